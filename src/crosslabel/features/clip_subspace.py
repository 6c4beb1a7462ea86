"""Subspaces of clips: what its frames, its dynamics or its local patterns span.

A clip becomes a matrix whose columns are samples of it; the leading left singular vectors are an
orthonormal basis, a point on the Grassmann manifold. Rows go to the kernels "projection" and
"projection-rbf" of the flagship and to `GrassmannCoding`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import product
from numbers import Integral
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from crosslabel.core.scaling import Array
from crosslabel.features.extraction import extract
from crosslabel.features.lbptop import LBPTOP
from crosslabel.media.gray import Images, Item, gray_clip
from crosslabel.site import on_site

BRICK = 20
"""Most frames, rows and columns of a brick, whose LBP-TOP histogram is one column."""

STRIDE = 15
"""Frames, rows and columns from one brick to the next."""

HORIZON = 3
"""Frames over which the observability matrix of a linear dynamical system looks."""


def frames(clip: Array, dimension: int) -> Array:
    """The span of the frames: leading left singular vectors of the matrix with a frame a column."""
    return leading(clip.reshape(len(clip), -1).T, dimension)


def dynamics(clip: Array, dimension: int) -> Array:
    """The span of [C; CA; CA²] of the system y_t = C x_t + ȳ, x_{t+1} = A x_t (Doretto 2003).

    C has the leading left singular vectors of the centred frames, x_t their coordinates, and A is
    the least-squares step from one to the next.
    """
    Y = clip.reshape(len(clip), -1).T
    Y = Y - Y.mean(axis=1, keepdims=True)
    C = leading(Y, dimension)
    states = C.T @ Y
    A = states[:, 1:] @ np.linalg.pinv(states[:, :-1])
    blocks = [C]
    for _ in range(HORIZON - 1):
        blocks.append(blocks[-1] @ A)
    return np.linalg.qr(np.concatenate(blocks))[0]


def patterns(clip: Array, dimension: int) -> Array:
    """The span of the LBP-TOP histograms of overlapping bricks of the clip (Harandi 2015)."""
    starts = [range(0, max(1, length - BRICK + 1), STRIDE) for length in clip.shape]
    bricks = [clip[t : t + BRICK, r : r + BRICK, c : c + BRICK] for t, r, c in product(*starts)]
    return leading(LBPTOP().transform(bricks).T, dimension)


SPANS: dict[str, Callable[[Array, int], Array]] = {
    "patterns": patterns,
    "frames": frames,
    "dynamics": dynamics,
}
"""From a clip and a dimension p to an orthonormal basis (M, p)."""


def leading(matrix: Array, dimension: int) -> Array:
    """The leading left singular vectors, each with its largest entry positive.

    Raises
    ------
    ValueError
        If the matrix has fewer columns.
    """
    left, _, _ = np.linalg.svd(matrix.astype(np.float64), full_matrices=False)
    if left.shape[1] < dimension:
        raise ValueError(
            f"A clip spans {left.shape[1]} dimensions at most, but the subspace was to have "
            f"{dimension}. Give longer clips or a smaller dimension."
        )
    left = left[:, :dimension]
    peaks = np.take_along_axis(left, np.abs(left).argmax(axis=0)[None], axis=0)
    return left * np.where(peaks < 0, -1.0, 1.0)


@on_site
class ClipSubspace(TransformerMixin, BaseEstimator):
    """Describe a clip by a subspace, whatever its brightness and order.

    Parameters
    ----------
    dimension : int, default=6
        p, of the subspace.
    span : {"patterns", "frames", "dynamics"}, default="patterns"
        What spans it: LBP-TOP histograms of bricks of 20×20×20 every 15 voxels; the frames; or the
        observability matrix of a linear dynamical system of p states (ARMA). The last two compare
        pixels, so that all clips must have one frame size.
    n_jobs : int, default=None
        Processes; -1 for one on each core.
    cache : path, default=None
        Folder that keeps finished subspaces.
    verbose : bool, default=False
        Show progress on standard error.

    References
    ----------
    M. Harandi, R. Hartley, C. Shen, B. Lovell and C. Sanderson, "Extrinsic Methods for Coding and
    Dictionary Learning on Grassmann Manifolds", International Journal of Computer Vision, 2015.
    G. Doretto, A. Chiuso, Y. N. Wu and S. Soatto, "Dynamic Textures", International Journal of
    Computer Vision, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from crosslabel.features import ClipSubspace
    >>> clips = [np.random.default_rng(seed).random((12, 20, 20)) for seed in range(3)]
    >>> ClipSubspace(dimension=2, span="frames").fit_transform(clips).shape
    (3, 800)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "dimension": [Interval(Integral, 1, None, closed="left")],
        "span": [StrOptions(set(SPANS))],
        "n_jobs": [None, Integral],
        "cache": [None, str, os.PathLike],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        dimension: int = 6,
        span: str = "patterns",
        n_jobs: int | None = None,
        cache: str | os.PathLike[str] | None = None,
        verbose: bool = False,
    ) -> None:
        self.dimension = dimension
        self.span = span
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
        return self

    def transform(self, X: Images) -> Array:
        """An orthonormal basis of each clip's subspace, as a row.

        Parameters
        ----------
        X : array-like of shape (n_clips, frames, height, width), or a sequence of clips or paths

        Returns
        -------
        ndarray of shape (n_clips, M · dimension)
            `row.reshape(M, dimension)` has orthonormal columns.
        """
        rows = extract(
            self.basis,
            list(X),  # type: ignore[arg-type]
            settings={"ClipSubspace": [self.dimension, self.span, BRICK, STRIDE, HORIZON]},
            cache=self.cache,
            n_jobs=self.n_jobs,
            progress="clips" if self.verbose else None,
        )
        lengths = {len(row) for row in rows}
        if len(lengths) > 1:
            raise ValueError(
                f"The clips have frames of unlike sizes: their bases have {min(lengths)} to "
                f"{max(lengths)} entries. Bring them to one size, or use span='patterns'."
            )
        return np.stack(rows)

    def basis(self, clip: Item) -> Array:
        """Orthonormal basis of one clip's subspace, (M · dimension,).

        Parameters
        ----------
        clip : array of shape (frames, height, width) or path
        """
        return SPANS[self.span](gray_clip(clip), self.dimension).ravel()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags
