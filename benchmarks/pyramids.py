"""Pyramid features of a whole data set for several splits, each with its own codebook.

An image's descriptors do not depend on the split and its codes do. So one pass over the images
codes each under the codebooks of all splits. What is kept for a split is each image's coordinates
in the span of the split's training images, and the length of what lies outside of it as one more:
inner products with training images and norms are those of the 21,504 values, so that every method
here gives the same model and the same answers on a fourteenth of the size.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import scipy.linalg
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.svm import LinearSVC

from crosslabel import CrossLabelClassifier
from crosslabel.commands.measure import Accuracy
from crosslabel.datasets.splits import per_class
from crosslabel.features.dense_sift import DenseSIFT
from crosslabel.features.extraction import extract
from crosslabel.features.gray import gray_image
from crosslabel.features.spatial_pyramid import (
    DescriptorSampler,
    PyramidEncoder,
    SpatialPyramid,
    learn_codebook,
)

PER_IMAGE = 60  # descriptors of a training image that the codebook is learnt from
BATCH = 256  # images between two records of progress


class _AllSplits:
    """From one image to its pyramid vector under each codebook."""

    def __init__(self, encoders: list[PyramidEncoder]) -> None:
        self.encoders = encoders

    def __call__(self, path: str) -> np.ndarray:
        pixels = gray_image(path)
        descriptors = self.encoders[0].descriptor.describe(pixels)
        return np.stack([e.pool(descriptors, pixels.shape) for e in self.encoders])


def codebooks(paths, seen, folder: Path, n_jobs: int) -> list[SpatialPyramid]:
    """One pyramid for each list of images that its codebook may see."""
    place = folder / "samples.npz"
    if not place.exists():
        sampler, seeds = DescriptorSampler(DenseSIFT(), PER_IMAGE), range(len(paths))
        drawn = extract(sampler, list(zip(paths, seeds)), n_jobs=n_jobs, progress="samples")
        owners = np.repeat(np.arange(len(paths)), [len(rows) for rows in drawn])
        np.savez(place, values=np.concatenate(drawn), owners=owners)
    with np.load(place) as stored:
        values, owners = stored["values"], stored["owners"]
    pyramids = []
    for number, train in enumerate(seen):
        pyramid = SpatialPyramid(random_state=number)
        own = values[np.isin(owners, train)]
        random = np.random.RandomState(number)
        pyramid.descriptor_ = DenseSIFT()
        pyramid.codebook_ = learn_codebook(own, pyramid.words, random)
        pyramids.append(pyramid)
    return pyramids


def coordinates(paths, splits, folder: Path, n_jobs: int = 2, seen=None) -> list[Path]:
    """Files of coordinates (n_images, n_train), one for each split; resumes where it stopped.

    `seen` lists the images that each split's codebook is learnt from, all its training images by
    default. Training sets of several sizes that lie in one another share their coordinates, if the
    codebook has seen the smallest alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    places = [folder / f"coordinates{number}.npy" for number in range(len(splits))]
    if all(place.exists() for place in places):
        return places
    pyramids = codebooks(paths, seen or [train for train, _ in splits], folder, n_jobs)
    dimension = len(pyramids[0].codebook_) * sum(c * c for c in pyramids[0].levels)
    stores = []
    for number in range(len(splits)):
        name, fresh = folder / f"pyramids{number}.npy", folder / "done.json"
        mode = "r+" if name.exists() and fresh.exists() else "w+"
        shape = (len(paths), dimension)
        stores.append(np.lib.format.open_memmap(name, mode, dtype=np.float32, shape=shape))
    _fill(stores, paths, [p.encoder() for p in pyramids], folder / "done.json", n_jobs)
    for number, (train, _) in enumerate(splits):
        np.save(places[number], span_coordinates(stores[number], train))
        (folder / f"pyramids{number}.npy").unlink()
    return places


def _fill(stores, paths, encoders, record: Path, n_jobs: int) -> None:
    done = json.loads(record.read_text()) if record.exists() else 0
    started = time.perf_counter()
    for start in range(done, len(paths), BATCH):
        batch = extract(_AllSplits(encoders), paths[start : start + BATCH], n_jobs=n_jobs)
        for number, store in enumerate(stores):
            store[start : start + len(batch)] = [rows[number] for rows in batch]
            store.flush()
        record.write_text(json.dumps(start + len(batch)))
        spent = time.perf_counter() - started
        print(f"{start + len(batch)}/{len(paths)} images, {spent:.0f} s", flush=True)


def span_coordinates(features, train) -> np.ndarray:
    """Coordinates of unit-norm rows in an orthonormal basis of the span of the training rows.

    With the training rows' Gram matrix K = LLᵀ they are F Fₜᵀ L⁻ᵀ; for training rows that is L.
    The last column is the length of the rest. No atom has any of it, but a residual has.
    """
    inside = _inside(_products(features, train), train)
    rest = np.sqrt(np.maximum(0, 1 - np.einsum("ij,ij->i", inside, inside)))
    return np.column_stack([inside, rest]).astype(np.float32)


def components(features, train, gamma: float = 0.0) -> np.ndarray:
    """All components of unit-norm rows by PCA, or by kernel PCA with exp(−γ‖a − b‖²), of training.

    Neither is centred: that costs the flagship points. They are given up to a rotation, which no
    model here sees.
    """
    products = _products(features, train)
    if gamma > 0:
        products = np.exp(2 * gamma * (products - 1))
    return _inside(products, train).astype(np.float32)


def _products(features, train) -> np.ndarray:
    training = np.ascontiguousarray(features[train])
    return np.vstack([block @ training.T for block in np.array_split(features, 16)])


def _inside(gram, train) -> np.ndarray:
    """Coordinates in the span of the training rows from all rows' inner products with these."""
    kernel = gram[train].astype(np.float64)
    # Near-equal training images make K singular to rounding of its float32 entries.
    kernel[np.diag_indices_from(kernel)] += 1e-6
    lower = scipy.linalg.cholesky(kernel, lower=True)
    return scipy.linalg.solve_triangular(lower, gram.T, lower=True).T


def measure(data, n_train: int, fixed: dict, grid: dict, gammas, svm_c: float = 1.0) -> None:
    """Print accuracy of a linear SVM and of the flagship over random splits.

    The flagship sees all components of PCA (γ = 0) or of kernel PCA; γ and its parameters are
    chosen once, on the first split's training images alone.
    """
    options = argparse.ArgumentParser()
    options.add_argument("--splits", type=int, default=10)
    options.add_argument("--jobs", type=int, default=2, help="processes that code images")
    options.add_argument("--folder", type=Path, required=True, help="keeps what was computed")
    given = options.parse_args()
    splits = list(per_class(data.target, n_train, repeats=given.splits, seed=0))
    places = coordinates(data.filenames, splits, given.folder, given.jobs)
    chosen = choose(np.load(places[0]), data.target, splits[0][0], fixed, grid, gammas)
    results = [_one_split(np.load(p), data, s, chosen, svm_c) for p, s in zip(places, splits)]
    for name in results[0]:
        overall = np.array([result[name].overall for result in results])
        classes = np.array([result[name].mean_per_class for result in results])
        print(
            f"{name:<22} overall {overall.mean():.2%} ± {100 * overall.std():.2f}, "
            f"per class {classes.mean():.2%} ± {100 * classes.std():.2f} ({len(results)} splits)"
        )


def choose(Z, y, train, fixed: dict, grid: dict, gammas) -> dict:
    """The point of the grid that does best in three-fold cross-validation on training images."""
    Z, y = Z[train], y[train]
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(Z, y))
    best = (-1.0, {})
    for gamma in gammas:
        seen = [components(Z, a, gamma) for a, _ in folds]
        for point in ParameterGrid(grid):
            model = CrossLabelClassifier(random_state=0, **fixed, **point)
            scores = [model.fit(F[a], y[a]).score(F[b], y[b]) for F, (a, b) in zip(seen, folds)]
            point = {"gamma": gamma, **point}
            print(f"on training images: {np.mean(scores):.2%} {point}", flush=True)
            best = max(best, (float(np.mean(scores)), point), key=lambda pair: pair[0])
    print(f"chosen: {best[1]}", flush=True)
    return fixed | best[1]


def _one_split(Z, data, split, chosen: dict, svm_c: float) -> dict[str, Accuracy]:
    train, test = split
    y, names = data.target, data.target_names.tolist()
    models = {"linear SVM": (LinearSVC(C=svm_c), Z)}
    seen = components(Z, train, chosen["gamma"])
    if chosen["gamma"] > 0:  # the kernel's components are shorter along each direction
        models["linear SVM, components"] = (LinearSVC(C=10 * svm_c), seen)
    parameters = {name: value for name, value in chosen.items() if name != "gamma"}
    flagship = CrossLabelClassifier(random_state=0, **parameters)
    models["flagship, components"] = (flagship, seen)
    results = {}
    for name, (model, F) in models.items():
        started = time.perf_counter()
        predicted = model.fit(F[train], y[train]).predict(F[test])
        results[name] = Accuracy.of(y[test], predicted, names)
        print(f"{name}: {results[name]} ({time.perf_counter() - started:.0f} s)", flush=True)
    return results
