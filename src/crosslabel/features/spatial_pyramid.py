"""Spatial pyramids: which visual words an image holds, and roughly where.

Descriptors of an image are written in the words of a codebook and pooled over the cells of grids
from coarse to fine. The codebook is learnt from the images given to `fit`, so it sees training
images only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.scaling import Array, unit_rows
from crosslabel.features.assignment import ASSIGNMENTS, Codebook
from crosslabel.features.codebooks import CODEBOOKS, DescriptorSampler
from crosslabel.features.dense_sift import DenseSIFT, Descriptors
from crosslabel.features.eigenfaces import Eigenfaces
from crosslabel.features.extraction import extract
from crosslabel.features.recipe import FeatureSettings, Option, Recipe, Steps, whole_number
from crosslabel.files.budget import budget
from crosslabel.files.forms import check_attributes, numbers
from crosslabel.media.gray import Images, Item, gray_image
from crosslabel.media.images import MAX_SIDE
from crosslabel.site import on_site

MOST_LEVELS = 16

POOLING: dict[str, Callable[[Array, NDArray[np.intp], Array], None]] = {
    "max": np.maximum.at,
    "sum": np.add.at,
    "absolute": lambda cells, bins, codes: np.maximum.at(cells, bins, np.abs(codes)),
}


@on_site
class SpatialPyramid(TransformerMixin, BaseEstimator):
    """Turn images of any size into vectors of one length that linear classifiers do well on.

    Parameters
    ----------
    words : int, default=1024
        Size of the codebook.
    assignment : {"llc", "hard", "sparse", "lasso"}, default="llc"
        How a descriptor is written in words: locality-constrained linear coding, the nearest word,
        orthogonal matching pursuit, or a code of least l1 norm among the words nearest to it.
    neighbours : int, default=5
        Words per descriptor for "llc" and "sparse", or that "lasso" chooses from; at most 64.
    pooling : {"max", "sum", "absolute"}, default="max"
        Largest coefficient (zero where none is positive), sum of coefficients, or largest absolute
        coefficient in a cell.
    codebook : {"kmeans", "sparse"}, default="kmeans"
        How words are learnt from descriptors: as centres of k-means, or so that few of them add up
        to each descriptor.
    levels : tuple of int, default=(1, 2, 4)
        Cells along each side, one number for each level; (1, 2, 4, 8) for four levels.
    descriptor : transformer, default=None
        `DenseSIFT()` where None; any object whose `describe(image)` gives `Descriptors`.
    longest_side : int or None, default=256
        Pixels that the longest side of every image is brought to before it is described, so that
        the words of a thing are the same in a thumbnail and in a photo of twelve megapixels. None
        describes images as they come.
    samples : int, default=100_000
        Descriptors, drawn at random from all images of `fit`, that the codebook is learnt from.
    n_jobs : int, default=None
        Processes that read and code images; -1 for one on each core.
    cache : path, default=None
        Folder that keeps finished vectors, for runs that are interrupted or repeated.
    verbose : bool, default=False
        Show progress on standard error.
    random_state : int, RandomState instance or None, default=None
        Draws the descriptors and starts k-means.

    Attributes
    ----------
    codebook_ : ndarray of shape (words, 128)
    longest_side_ : int or None
        Of the images that the codebook was learnt from, and of all that are transformed.

    References
    ----------
    S. Lazebnik, C. Schmid, J. Ponce, "Beyond bags of features", CVPR 2006.
    J. Wang et al., "Locality-constrained linear coding for image classification", CVPR 2010.
    J. Yang, K. Yu, Y. Gong, T. Huang, "Linear spatial pyramid matching using sparse coding for
    image classification", CVPR 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from crosslabel.features import SpatialPyramid
    >>> rng = np.random.default_rng(0)
    >>> images = [rng.random((32, 24)) for _ in range(6)]
    >>> SpatialPyramid(words=8, random_state=0).fit_transform(images).shape
    (6, 168)
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "words": [Interval(Integral, 1, None, closed="left")],
        "assignment": [StrOptions(set(ASSIGNMENTS))],
        "neighbours": [Interval(Integral, 1, 64, closed="both")],
        "pooling": [StrOptions(set(POOLING))],
        "codebook": [StrOptions(set(CODEBOOKS))],
        "levels": ["array-like"],
        "descriptor": [None, HasMethods("describe")],
        "longest_side": [None, Interval(Integral, 1, MAX_SIDE, closed="both")],
        "samples": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
        "cache": [None, str, os.PathLike],
        "verbose": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        words: int = 1024,
        assignment: str = "llc",
        neighbours: int = 5,
        pooling: str = "max",
        codebook: str = "kmeans",
        levels: tuple[int, ...] = (1, 2, 4),
        descriptor: BaseEstimator | None = None,
        longest_side: int | None = 256,
        samples: int = 100_000,
        n_jobs: int | None = None,
        cache: str | os.PathLike[str] | None = None,
        verbose: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.words = words
        self.assignment = assignment
        self.neighbours = neighbours
        self.pooling = pooling
        self.codebook = codebook
        self.levels = levels
        self.descriptor = descriptor
        self.longest_side = longest_side
        self.samples = samples
        self.n_jobs = n_jobs
        self.cache = cache
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Images, y: object = None) -> Self:
        """Learn the codebook from the descriptors of training images.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width), or a sequence of images or paths
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        self._check_levels(self.words)
        random = check_random_state(self.random_state)
        self.descriptor_ = DenseSIFT() if self.descriptor is None else clone(self.descriptor)
        self.descriptor_.fit(X)
        self.longest_side_ = self.longest_side
        drawn = self._draw_descriptors(list(X), random)  # type: ignore[arg-type]
        self.codebook_ = CODEBOOKS[self.codebook](drawn, self.words, random)
        return self

    def _check_levels(self, words: int) -> None:
        """Refuse grids whose cells, each with a value for every word, would not fit."""
        whole = all(isinstance(cells, Integral) and cells >= 1 for cells in self.levels)
        if not whole or not 1 <= len(self.levels) <= MOST_LEVELS:
            raise ValueError(
                f"levels must be 1 to {MOST_LEVELS} positive numbers, but they are "
                f"{tuple(self.levels)!r:.100}."
            )
        values = words * sum(float(cells) ** 2 for cells in self.levels)
        budget().check("bytes", 32 * values, f"A pyramid of {words} words")

    def check_stored(self) -> None:
        """Refuse a codebook and levels that no training had, where they come from a file."""
        check_attributes(vars(self), {"codebook_": numbers("words", "values")})
        self._check_levels(len(getattr(self, "codebook_", range(self.words))))
        side = getattr(self, "longest_side_", None)
        if side is not None and not (isinstance(side, int) and 1 <= side <= MAX_SIDE):
            raise ValueError(f"longest_side_ is {side!r}, not a number from 1 to {MAX_SIDE}")

    def _draw_descriptors(self, images: list[Item], random: np.random.RandomState) -> Array:
        """An equal number of descriptors from each image, or from a thousand images at random."""
        # A codebook gains nothing from more images, and describing them takes most of the time.
        images = [images[i] for i in random.permutation(len(images))[:1000]]
        quota = -(-self.samples // len(images))
        seeds = random.randint(2**31, size=len(images))
        drawn: list[Array] = extract(
            DescriptorSampler(self.descriptor_, quota, self.longest_side_),
            list(zip(images, seeds)),
            n_jobs=self.n_jobs,
            progress="descriptors" if self.verbose else None,
        )
        return np.concatenate(drawn)[: self.samples]

    def transform(self, X: Images) -> Array:
        """Pyramid vector of each image, of unit norm.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width), or a sequence of images or paths

        Returns
        -------
        ndarray of shape (n_images, words · Σ levels²), float32
        """
        check_is_fitted(self)
        rows = extract(
            self.encoder(),
            list(X),  # type: ignore[arg-type]
            settings=self._settings(),
            cache=self.cache,
            n_jobs=self.n_jobs,
            progress="pyramids" if self.verbose else None,
        )
        return np.stack(rows)

    def encoder(self) -> PyramidEncoder:
        """The function from one image to its vector that `transform` applies."""
        check_is_fitted(self)
        return PyramidEncoder(
            self.descriptor_,
            Codebook.of(self.codebook_),
            self.assignment,
            self.neighbours,
            self.pooling,
            tuple(self.levels),
            # Models of earlier versions have learnt from images as they came.
            getattr(self, "longest_side_", None),
        )

    def _settings(self) -> dict[str, object]:
        chosen = ("assignment", "neighbours", "pooling", "levels")
        described = {type(self.descriptor_).__name__: self.descriptor_.get_params()}
        return {name: getattr(self, name) for name in chosen} | {
            "codebook": self.codebook_,
            "descriptor": described,
            "longest_side": getattr(self, "longest_side_", None),
        }

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Name of each value: level, row and column of the cell, word.

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        words = range(len(self.codebook_))
        names = [
            f"level{level}_{row}_{column}_word{word}"
            for level, cells in enumerate(self.levels)
            for row, column in np.ndindex(cells, cells)
            for word in words
        ]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


@dataclass(frozen=True)
class PyramidEncoder:
    """From one image to its pyramid vector: what the processes of `transform` run."""

    descriptor: BaseEstimator
    codebook: Codebook
    assignment: str
    neighbours: int
    pooling: str
    levels: tuple[int, ...]
    longest_side: int | None = None

    def __call__(self, image: Item) -> Array:
        """Pyramid vector of an image, (words · Σ levels²,), of unit norm."""
        pixels = gray_image(image, self.longest_side)
        return self.pool(self.descriptor.describe(pixels), pixels.shape)

    def pool(self, descriptors: Descriptors, shape: tuple[int, ...]) -> Array:
        """Pyramid vector of an image of this shape from its descriptors."""
        words, codes = ASSIGNMENTS[self.assignment](
            descriptors.values, self.codebook, self.neighbours
        )
        n_words = len(self.codebook.words)
        place = descriptors.centres / np.array(shape[:2])
        pooled = []
        for cells in self.levels:
            row, column = np.minimum((place * cells).astype(np.intp), cells - 1).T
            level = np.zeros(cells * cells * n_words, codes.dtype)
            bins = (row * cells + column)[:, None] * n_words + words
            POOLING[self.pooling](level, bins.ravel(), codes.ravel())
            pooled.append(level)
        return unit_rows(np.concatenate(pooled)[None])[0]


def _steps(
    items: Sequence[Item], settings: FeatureSettings, words: int, dimension: int, longest_side: int
) -> Steps:
    pyramid = SpatialPyramid(
        words, longest_side=longest_side, random_state=settings.seed, **settings.extraction
    )
    # Not centred: subtracting the mean costs the flagship points (docs/guide/features.md).
    return [("pyramid", pyramid), ("pca", Eigenfaces(dimension))]


RECIPE = Recipe(
    "spm",
    "images",
    _steps,
    (
        Option("words", "Codebook size.", 1024, whole_number),
        Option("dimension", "Values that are kept.", 3000, whole_number),
        Option("longest_side", "Pixels that images are brought to.", 256, whole_number),
    ),
)
