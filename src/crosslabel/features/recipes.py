"""Features by name, as the command line offers them: each a list of pipeline steps.

A new one is a function and an entry in `RECIPES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crosslabel.features.eigenfaces import Eigenfaces
from crosslabel.features.lbptop import LBPTOP
from crosslabel.features.pixels import Pixels
from crosslabel.features.random_faces import RandomFaces
from crosslabel.features.spatial_pyramid import SpatialPyramid
from crosslabel.media.gray import gray_image

HEIGHT = 48  # rows of pixels that images are shrunk to where no size is given
Steps = list[tuple[str, Any]]


@dataclass(frozen=True)
class Settings:
    """What a user may say about features; each recipe takes what concerns it.

    Parameters
    ----------
    size : (height, width) or None, default=None
        Of pixels; None shrinks to 48 rows, with the shape of the first image.
    log : bool, default=False
        Logarithm of intensities.
    dimension : int or None, default=None
        Of eigenfaces (300), random faces (504) or PCA of a pyramid (3000); None for these.
    words : int, default=1024
        Size of a pyramid's codebook.
    cache : str or None, default=None
        Folder for finished features.
    n_jobs : int or None, default=None
    verbose : bool, default=False
    seed : int, default=0
    """

    size: tuple[int, int] | None = None
    log: bool = False
    dimension: int | None = None
    words: int = 1024
    cache: str | None = None
    n_jobs: int | None = None
    verbose: bool = False
    seed: int = 0


def steps_for(name: str, kind: str, settings: Settings, items: Any, n_train: int) -> Steps:
    """Pipeline steps of the named features for training items of this kind.

    Parameters
    ----------
    name : str
        A name of `RECIPES`, or "auto" for what suits the kind.
    kind : {"images", "clips", "features"}
    settings : Settings
    items : sequence
        Training items, of which the first may be looked at.
    n_train : int

    Returns
    -------
    list of (str, transformer)
    """
    chosen = DEFAULTS[kind] if name == "auto" else name
    if chosen not in RECIPES:
        raise ValueError(f"There are no features {name!r}. Known: {', '.join(RECIPES)}.")
    wanted, recipe = RECIPES[chosen]
    if kind != wanted:
        suited = [n for n, (k, _) in RECIPES.items() if k == kind]
        raise ValueError(
            f"Features {chosen!r} are for {wanted}, but the data are {kind}. Take one of: "
            f"{', '.join(suited)}."
        )
    return recipe(settings, items, n_train)


def _pixels(settings: Settings, items: Any, n_train: int) -> Steps:
    size = settings.size
    if size is None:
        height, width = gray_image(items[0]).shape
        shrink = min(1.0, HEIGHT / height)
        size = (max(1, round(height * shrink)), max(1, round(width * shrink)))
    return [("pixels", Pixels(size, log=settings.log))]


def _eigenfaces(settings: Settings, items: Any, n_train: int) -> Steps:
    return [
        *_pixels(settings, items, n_train),
        ("eigenfaces", Eigenfaces(settings.dimension or 300)),
    ]


def _random_faces(settings: Settings, items: Any, n_train: int) -> Steps:
    faces = RandomFaces(settings.dimension or 504, random_state=settings.seed)
    return [*_pixels(settings, items, n_train), ("randomfaces", faces)]


def _spm(settings: Settings, items: Any, n_train: int) -> Steps:
    pyramid = SpatialPyramid(
        settings.words,
        n_jobs=settings.n_jobs,
        cache=settings.cache,
        verbose=settings.verbose,
        random_state=settings.seed,
    )
    # Not centred: subtracting the mean costs the flagship points (docs/features.md).
    return [("pyramid", pyramid), ("pca", Eigenfaces(settings.dimension or 3000))]


def _lbptop(settings: Settings, items: Any, n_train: int) -> Steps:
    patterns = LBPTOP(
        root=True, n_jobs=settings.n_jobs, cache=settings.cache, verbose=settings.verbose
    )
    return [("lbptop", patterns)]


def _none(settings: Settings, items: Any, n_train: int) -> Steps:
    return []


RECIPES: dict[str, tuple[str, Callable[[Settings, Any, int], Steps]]] = {
    "pixels": ("images", _pixels),
    "eigenfaces": ("images", _eigenfaces),
    "randomfaces": ("images", _random_faces),
    "spm": ("images", _spm),
    "lbptop": ("clips", _lbptop),
    "none": ("features", _none),
}
DEFAULTS = {"images": "pixels", "clips": "lbptop", "features": "none"}
