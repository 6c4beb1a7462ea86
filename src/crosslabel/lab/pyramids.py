"""Pyramid features of a whole data set for several splits, each with its own codebook.

An image's descriptors do not depend on the split and its codes do. So one pass over the images
codes each under the codebooks of all splits. What is kept for a split is each image's coordinates
in the span of the split's training images, and the length of what lies outside of it as one more:
inner products with training images and norms are those of the 21,504 values, so that every method
here gives the same model and the same answers on a fourteenth of the size. The same is kept of the
values' square roots, which count a strong word less.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from crosslabel.core.scaling import Array, unit_rows
from crosslabel.datasets.splits import Split
from crosslabel.features.codebooks import DescriptorSampler, kmeans_codebook
from crosslabel.features.dense_sift import DenseSIFT
from crosslabel.features.extraction import extract
from crosslabel.features.spatial_pyramid import PyramidEncoder, SpatialPyramid
from crosslabel.files.whole import write_whole
from crosslabel.media.gray import gray_image
from crosslabel.progress_bar import progress_bar

PER_IMAGE = 60  # descriptors of a training image that the codebook is learnt from
BATCH = 256  # images between two records of progress

# Files of a split by the name they begin with, each of the pyramids in one form. Max pooling starts
# at zero: no value is negative.
FORMS: dict[str, Callable[[Array], Array]] = {
    "coordinates": lambda pyramids: pyramids,
    "roots": lambda pyramids: unit_rows(np.sqrt(pyramids)),
}


class _AllSplits:
    """From one image to its pyramid vector under each codebook."""

    def __init__(self, encoders: list[PyramidEncoder]) -> None:
        self.encoders = encoders

    def __call__(self, path: str) -> Array:
        """All its vectors, (n_codebooks, n_values)."""
        pixels = gray_image(path)
        descriptors = self.encoders[0].descriptor.describe(pixels)
        return np.stack([e.pool(descriptors, pixels.shape) for e in self.encoders])


def codebooks(
    paths: Sequence[str], seen: Mapping[int, NDArray[np.intp]], folder: Path, n_jobs: int
) -> list[SpatialPyramid]:
    """One pyramid for each list of images that its codebook may see; the number is its seed.

    A codebook is kept until all images are coded: k-means turns rounding into other words, and a
    run that goes on, perhaps with another BLAS, must code the rest of the images under the same.

    Parameters
    ----------
    paths : sequence of str
        All images.
    seen : dict of int to index array
    folder : Path
        Keeps the codebooks, and the descriptors that were drawn.
    n_jobs : int

    Returns
    -------
    list of SpatialPyramid
    """
    place = folder / "samples.npz"
    if not place.exists():
        sampler, seeds = DescriptorSampler(DenseSIFT(), PER_IMAGE), range(len(paths))
        drawn = extract(sampler, list(zip(paths, seeds)), n_jobs=n_jobs, progress="samples")
        owners = np.repeat(np.arange(len(paths)), [len(rows) for rows in drawn])
        write_whole(place, lambda file: np.savez(file, values=np.concatenate(drawn), owners=owners))
    with np.load(place) as stored:
        values, owners = stored["values"], stored["owners"]
    pyramids = []
    for number, train in seen.items():
        pyramid = SpatialPyramid(longest_side=None, random_state=number)
        pyramid.descriptor_ = DenseSIFT()
        kept = _codebook_place(folder, number)
        if not kept.exists():
            own = values[np.isin(owners, train)]
            learnt = kmeans_codebook(own, pyramid.words, np.random.RandomState(number))
            # What was coded under another codebook, which is lost, does not count.
            _progress_place(folder, number).unlink(missing_ok=True)
            write_whole(kept, partial(np.save, arr=learnt))
        pyramid.codebook_ = np.load(kept)
        pyramids.append(pyramid)
    return pyramids


def coordinates(
    paths: Sequence[str],
    splits: Sequence[Split],
    folder: Path,
    n_jobs: int = 2,
    seen: Sequence[NDArray[np.intp]] | None = None,
    only: Sequence[int] | None = None,
) -> list[Path]:
    """Files of coordinates (n_images, n_train + 1), one for each split; resumes where it stopped.

    Beside each lies one of the square roots, `roots0.npy` and so on.

    Parameters
    ----------
    paths : sequence of str
        All images.
    splits : sequence of (train, test) index arrays
    folder : Path
        Where the files lie, and what is unfinished.
    n_jobs : int, default=2
    seen : sequence of index arrays, default=None
        Images that each split's codebook is learnt from; None for all its training images.
        Training sets of several sizes that lie in one another share their coordinates, if the
        codebook has seen the smallest alone.
    only : sequence of int, default=None
        Numbers of the splits whose files are asked for; None for all.

    Returns
    -------
    list of Path
        Of the splits that are asked for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = range(len(splits)) if only is None else only
    kept = {number: _places(folder, number) for number in wanted}
    missing = [n for n, files in kept.items() if not all(p.exists() for p in files.values())]
    if missing:
        learnt_from = {n: splits[n][0] if seen is None else seen[n] for n in missing}
        pyramids = codebooks(paths, learnt_from, folder, n_jobs)
        dimension = len(pyramids[0].codebook_) * sum(c * c for c in pyramids[0].levels)
        partly = [_Unfinished(folder, number, (len(paths), dimension)) for number in missing]
        _fill(partly, paths, [p.encoder() for p in pyramids], n_jobs)
        for rows in partly:
            for form, place in kept[rows.number].items():
                found = span_coordinates(FORMS[form](rows.values), splits[rows.number][0])
                write_whole(place, partial(np.save, arr=found))
            rows.discard()
    return [files["coordinates"] for files in kept.values()]


def _places(folder: Path, number: int) -> dict[str, Path]:
    return {form: folder / f"{form}{number}.npy" for form in FORMS}


def _codebook_place(folder: Path, number: int) -> Path:
    return folder / f"codebook{number}.npy"


def _progress_place(folder: Path, number: int) -> Path:
    return folder / f"done{number}.json"


class _Unfinished:
    """Pyramid rows of one split on the disk, and how many an earlier run has left there."""

    def __init__(self, folder: Path, number: int, shape: tuple[int, int]) -> None:
        self.number = number
        self.place = folder / f"pyramids{number}.npy"
        self.record = _progress_place(folder, number)
        self.codebook = _codebook_place(folder, number)
        # Progress counts only where the file that it speaks of is there.
        going_on = self.record.exists() and self.place.exists()
        self.done = int(json.loads(self.record.read_text())) if going_on else 0
        mode: Literal["r+", "w+"] = "r+" if going_on else "w+"
        self.values = np.lib.format.open_memmap(self.place, mode, dtype=np.float32, shape=shape)

    def put(self, start: int, rows: Array) -> None:
        """Keep rows from this place on, and say on the disk that all before their end are there."""
        self.values[start : start + len(rows)] = rows
        self.values.flush()
        note = json.dumps(start + len(rows)).encode()
        write_whole(self.record, lambda file: file.write(note))

    def discard(self) -> None:
        """Free the disk; another process may have been here before."""
        for place in (self.place, self.record, self.codebook):
            place.unlink(missing_ok=True)


def _fill(
    partly: Sequence[_Unfinished], paths: Sequence[str], encoders: list[PyramidEncoder], n_jobs: int
) -> None:
    done = min(rows.done for rows in partly)
    with progress_bar("pyramids", len(paths)) as advance:
        advance(done)
        for start in range(done, len(paths), BATCH):
            batch = extract(_AllSplits(encoders), paths[start : start + BATCH], n_jobs=n_jobs)
            for number, rows in enumerate(partly):
                rows.put(start, np.stack([one[number] for one in batch]))
            advance(len(batch))


def span_coordinates(features: Array, train: NDArray[np.intp]) -> Array:
    """Coordinates of unit-norm rows in an orthonormal basis of the span of the training rows.

    With the training rows' Gram matrix K = LLᵀ they are F Fₜᵀ L⁻ᵀ; for training rows that is L.
    The last column is the length of the rest. No atom has any of it, but a residual has.

    Parameters
    ----------
    features : ndarray of shape (n_images, n_values)
    train : ndarray of int

    Returns
    -------
    ndarray of shape (n_images, n_train + 1), float32
    """
    inside = _inside(_products(features, train), train)
    rest = np.sqrt(np.maximum(0, 1 - np.einsum("ij,ij->i", inside, inside)))
    return np.column_stack([inside, rest]).astype(np.float32)


def components(features: Array, train: NDArray[np.intp], gamma: float = 0.0) -> Array:
    """All components of unit-norm rows by PCA, or by kernel PCA with exp(−γ‖a − b‖²), of training.

    Neither is centred: that costs the flagship points. They are given up to a rotation, which no
    model here sees.

    Parameters
    ----------
    features : ndarray of shape (n_images, n_values)
    train : ndarray of int
    gamma : float, default=0
        Zero for PCA.

    Returns
    -------
    ndarray of shape (n_images, n_train), float32
    """
    products = _products(features, train)
    if gamma > 0:
        products = np.exp(2 * gamma * (products - 1))
    return _inside(products, train).astype(np.float32)


def _products(features: Array, train: NDArray[np.intp]) -> Array:
    training = np.ascontiguousarray(features[train])
    return np.vstack([block @ training.T for block in np.array_split(features, 16)])


def _inside(gram: Array, train: NDArray[np.intp]) -> Array:
    """Coordinates in the span of the training rows from all rows' inner products with these."""
    kernel = gram[train].astype(np.float64)
    # Near-equal training images make K singular to rounding of its float32 entries.
    kernel[np.diag_indices_from(kernel)] += 1e-6
    lower = scipy.linalg.cholesky(kernel, lower=True)
    return scipy.linalg.solve_triangular(lower, gram.T, lower=True).T
