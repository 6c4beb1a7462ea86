"""LBP-TOP: local binary patterns on three orthogonal planes, for clips of moving texture.

Around each voxel a circle of neighbours is compared with it in the planes of space (XY), of columns
and time (XT) and of rows and time (YT); each comparison is a bit, and a plane's feature is the
histogram of codes. The loop is over the neighbours; voxels are compared all at once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from crosslabel.core.scaling import Array
from crosslabel.features.extraction import extract
from crosslabel.features.recipe import FeatureSettings, Recipe, Steps
from crosslabel.media.clips import read_clip
from crosslabel.media.gray import Images, Item
from crosslabel.site import on_site

PLANES = ("xy", "xt", "yt")
Volume = NDArray[Any]  # voxels (frames, rows, columns), numbers of any type
Offset = tuple[float, float, float]  # frames, rows, columns


@on_site
class LBPTOP(TransformerMixin, BaseEstimator):
    """Describe how a clip looks and moves, whatever its brightness and length.

    Parameters
    ----------
    neighbours : int, default=8
        Points on the circle, at most 16.
    radii : (columns, rows, frames), default=(1, 1, 1)
        Half axes of the circle.
    uniform : bool, default=True
        Give each code with at most two changes between neighbouring bits a bin of its own and all
        others one bin together: 59 bins for 8 neighbours, 177 values in all. Otherwise every code
        has a bin: 256 and 768.
    interpolation : {"nearest", "bilinear"}, default="nearest"
        A neighbour's value: that of the nearest voxel, or interpolated in its plane.
    root : bool, default=False
        Take the square root of each value: inner products then compare histograms as the
        Bhattacharyya coefficient does, and no bin drowns the others.
    n_jobs : int, default=None
        Processes; -1 for one on each core.
    cache : path, default=None
        Folder that keeps finished histograms.
    verbose : bool, default=False
        Show progress on standard error.

    References
    ----------
    G. Zhao, M. Pietikäinen, "Dynamic texture recognition using local binary patterns with an
    application to facial expressions", TPAMI 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from crosslabel.features import LBPTOP
    >>> clip = np.random.default_rng(0).random((12, 20, 20))
    >>> LBPTOP().fit_transform([clip]).shape
    (1, 177)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "neighbours": [Interval(Integral, 2, 16, closed="both")],
        "radii": [tuple, list],
        "uniform": ["boolean"],
        "interpolation": [StrOptions({"nearest", "bilinear"})],
        "root": ["boolean"],
        "n_jobs": [None, Integral],
        "cache": [None, str, os.PathLike],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        neighbours: int = 8,
        radii: tuple[int, int, int] = (1, 1, 1),
        uniform: bool = True,
        interpolation: str = "nearest",
        root: bool = False,
        n_jobs: int | None = None,
        cache: str | os.PathLike[str] | None = None,
        verbose: bool = False,
    ) -> None:
        self.neighbours = neighbours
        self.radii = radii
        self.uniform = uniform
        self.interpolation = interpolation
        self.root = root
        self.n_jobs = n_jobs
        self.cache = cache
        self.verbose = verbose

    def fit(self, X: Images, y: object = None) -> Self:
        """Check the parameters; there is nothing to learn.

        Parameters
        ----------
        X : clips, as arrays or paths
            Not looked at.
        y : ignored
        """
        self._validate_params()
        self.check_stored()
        return self

    def check_stored(self) -> None:
        """Refuse radii of no circle."""
        if len(self.radii) != 3 or min(self.radii) < 1:
            raise ValueError(f"radii must be three positive numbers, but they are {self.radii!r}.")

    def transform(self, X: Images) -> Array:
        """Histograms of the three planes, one after the other, each summing to one (before `root`).

        Parameters
        ----------
        X : array-like of shape (n_clips, frames, height, width), or a sequence of clips or paths

        Returns
        -------
        ndarray of shape (n_clips, 3 · n_bins)
        """
        chosen = ("neighbours", "radii", "uniform", "interpolation")
        rows = extract(
            self.histograms,
            list(X),  # type: ignore[arg-type]
            settings={"LBPTOP": {name: getattr(self, name) for name in chosen}},
            cache=self.cache,
            n_jobs=self.n_jobs,
            progress="clips" if self.verbose else None,
        )
        return np.sqrt(rows) if self.root else np.stack(rows)

    def histograms(self, clip: Item) -> Array:
        """Histograms of one clip, (3 · n_bins,).

        Parameters
        ----------
        clip : array of shape (frames, height, width) or path
        """
        volume = _volume(clip, self.radii)
        table = uniform_codes(self.neighbours) if self.uniform else None
        bins = 2**self.neighbours if table is None else int(table.max()) + 1
        histograms = []
        for plane in PLANES:
            codes = self._codes(volume, plane)
            counts = np.bincount(codes.ravel(), minlength=2**self.neighbours)
            if table is not None:
                counts = np.bincount(table, weights=counts, minlength=bins)
            histograms.append(counts / codes.size)
        return np.concatenate(histograms)

    def _codes(self, volume: Volume, plane: str) -> NDArray[np.uint16]:
        """Binary pattern of each inner voxel: bit p says that neighbour p is at least as bright."""
        centre = _shifted(volume, (0, 0, 0), self.radii)
        codes = np.zeros(centre.shape, np.uint16)
        for bit, offset in enumerate(_circle(plane, self.neighbours, self.radii)):
            codes |= self._brighter(volume, centre, offset).astype(np.uint16) << np.uint16(bit)
        return codes

    def _brighter(self, volume: Volume, centre: Volume, offset: Offset) -> NDArray[np.bool_]:
        if self.interpolation == "nearest":
            nearest = tuple(int(np.floor(o + 0.5)) for o in offset)
            return _shifted(volume, nearest, self.radii) >= centre
        # Interpolated differences rather than values: equal voxels then differ by exactly zero.
        difference = np.zeros(centre.shape, np.float32)
        for corner, weight in _corners(offset):
            value = _shifted(volume, corner, self.radii)
            difference += np.float32(weight) * np.subtract(value, centre, dtype=np.float32)
        return difference >= 0

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Name of each value: the plane and the bin.

        Parameters
        ----------
        input_features : ignored
        """
        table = uniform_codes(self.neighbours)
        bins = int(table.max()) + 1 if self.uniform else len(table)
        return np.array([f"{plane}_{b}" for plane in PLANES for b in range(bins)], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


def uniform_codes(neighbours: int) -> NDArray[np.intp]:
    """Bin of each code: uniform ones in the order of their value, the rest in the last bin."""
    codes = np.arange(2**neighbours)
    rotated = (codes >> 1) | ((codes & 1) << (neighbours - 1))
    changes = np.array([int(c).bit_count() for c in codes ^ rotated])
    uniform = changes <= 2
    return np.where(uniform, np.cumsum(uniform) - 1, uniform.sum())


def _circle(plane: str, neighbours: int, radii: tuple[int, int, int]) -> list[Offset]:
    """Neighbours of a voxel in one plane, in the order and orientation of the authors' code."""
    x, y, t = radii
    angles = 2 * np.pi * np.arange(neighbours) / neighbours
    # Rounding keeps the four points on the axes there, where cos and sin miss by 1e-16.
    cos, sin = np.cos(angles).round(12), np.sin(angles).round(12)
    points = {
        "xy": (0 * cos, -y * sin, x * cos),
        "xt": (t * sin, 0 * cos, x * cos),
        "yt": (t * cos, -y * sin, 0 * cos),
    }
    return list(zip(*(axis.tolist() for axis in points[plane])))


def _corners(offset: Offset) -> list[tuple[tuple[int, int, int], float]]:
    """Voxels around a point and their weights, without those of weight zero."""
    low = np.floor(offset).astype(int)
    part = np.asarray(offset) - low
    corners = [np.array(step) for step in np.ndindex(2, 2, 2)]
    weights = [float(np.prod(np.where(step == 1, part, 1 - part))) for step in corners]
    return [(tuple((low + s).tolist()), w) for s, w in zip(corners, weights) if w > 0]


def _shifted(volume: Volume, offset: tuple[int, ...], radii: tuple[int, int, int]) -> Volume:
    """The inner part of the volume, where a whole circle fits, moved by an offset."""
    margins = radii[::-1]
    inner = tuple(
        slice(margin + move, length - margin + move)
        for margin, move, length in zip(margins, offset, volume.shape)
    )
    return volume[inner]


def _volume(clip: Item, radii: tuple[int, int, int]) -> Volume:
    if isinstance(clip, str | os.PathLike):
        clip = read_clip(clip)
    volume = np.asarray(clip)
    if volume.ndim != 3 or min(np.array(volume.shape) - 2 * np.array(radii[::-1])) < 1:
        raise ValueError(
            f"A clip must be (frames, height, width) with more than {2 * radii[2]} frames and "
            f"{2 * radii[1]}×{2 * radii[0]} pixels for radii={tuple(radii)}, but its shape is "
            f"{volume.shape}."
        )
    if volume.dtype.kind not in "buif":
        raise ValueError(f"A clip must hold numbers, but its type is {volume.dtype}.")
    if volume.dtype.kind == "f" and not np.isfinite(volume).all():
        raise ValueError("The clip holds NaN or infinity. Repair it or leave it out.")
    return volume


def _steps(items: Sequence[Item], settings: FeatureSettings) -> Steps:
    return [("lbptop", LBPTOP(root=True, **settings.extraction))]


RECIPE = Recipe("lbptop", "clips", _steps, usual=True)
