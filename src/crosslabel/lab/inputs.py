"""From a cell to the rows and labels that its method is given.

What does not depend on the split (pixels, LBP-TOP histograms) is computed once for all samples;
what is learnt (eigenfaces, codebooks) is learnt from the split's training samples alone. The last
inputs are kept in memory, since methods of a table share them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from crosslabel.core.scaling import Array
from crosslabel.datasets.catalogue import DATASETS
from crosslabel.datasets.root import MissingData, Root
from crosslabel.datasets.splits import Split, earlier_later, group_folds, half, per_class
from crosslabel.features import (
    LBPTOP,
    ClipSubspace,
    Eigenfaces,
    Pixels,
    RandomFaces,
    RegionCovariance,
)
from crosslabel.lab.pyramid_step import (
    PyramidOptions,
    make_pyramids,
    pyramid_options,
    pyramid_place,
)
from crosslabel.lab.pyramids import components
from crosslabel.lab.spec import Cell, Options, Spec, SpecError

BUDGET = 768 << 20  # bytes of inputs that a process keeps
RAW = ("images", "data", "filenames")  # where a data set keeps its samples


class Input(NamedTuple):
    """What a method is given, and how it came about.

    Attributes
    ----------
    X_train, X_test : ndarray of shape (n, n_features)
    y_train, y_test : ndarray of int
        Class numbers.
    names : list of str
        Of the classes, by number.
    pipeline : list of transformers
        Fitted, from the raw data to X; empty where the way cannot be gone back.
    digest : str
        Hash of the arrays.
    """

    X_train: Array
    y_train: NDArray[np.intp]
    X_test: Array
    y_test: NDArray[np.intp]
    names: list[str]
    pipeline: list[BaseEstimator]
    digest: str

    @property
    def nbytes(self) -> int:
        """Memory of the rows."""
        return self.X_train.nbytes + self.X_test.nbytes


# A transformer that learns nothing, or one that learns from the training rows.
STATELESS: dict[str, type[BaseEstimator]] = {
    "Pixels": Pixels,
    "LBPTOP": LBPTOP,
    "ClipSubspace": ClipSubspace,
    "RegionCovariance": RegionCovariance,
}
LEARNT: dict[str, type[BaseEstimator]] = {"Eigenfaces": Eigenfaces, "RandomFaces": RandomFaces}


def _per_class(data: Bunch, cell: Cell, repeats: int, seed: int) -> Iterator[Split]:
    if cell.setting.n_train is None:
        raise SpecError(f"{cell.spec.name}: setting {cell.setting.name} needs n_train.")
    return per_class(data.target, cell.setting.n_train, repeats=repeats, seed=seed)


def _earlier_later(data: Bunch, cell: Cell, repeats: int, seed: int) -> Iterator[Split]:
    """The earlier part trains and the later tests; then the other way round."""
    early, late = earlier_later(data.target, data.origins[:, 0])
    return iter([(early, late), (late, early)])


PROTOCOLS: dict[str, Callable[[Bunch, Cell, int, int], Iterator[Split]]] = {
    "per_class": _per_class,
    "half": lambda data, cell, repeats, seed: half(data.target, repeats=repeats, seed=seed),
    "group_folds": lambda data, cell, repeats, seed: group_folds(data.groups, repeats, seed=seed),
    "earlier_later": _earlier_later,
}


class Inputs:
    """Inputs of cells, computed when first asked for.

    Parameters
    ----------
    features : Path
        Folder of features that take long to compute.
    root : path, default=None
        Folder of data sets.
    """

    def __init__(self, features: Path, root: Root = None) -> None:
        self.features = features
        self.root = root
        self._kept: OrderedDict[str, Input] = OrderedDict()
        self._rows: dict[str, tuple[Array, list[BaseEstimator]]] = {}

    def of(self, cell: Cell) -> Input:
        """The input of a cell.

        Parameters
        ----------
        cell : Cell

        Returns
        -------
        Input
        """
        spec = cell.spec
        steps: list[Options] = [dict(step) for step in cell.features]
        key = joblib.hash(
            [dict(spec.data), steps, dict(spec.protocol), cell.setting.n_train, cell.split]
        )
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        found = self._prepare(cell, steps)
        self._kept[key] = found
        while len(self._kept) > 1 and sum(i.nbytes for i in self._kept.values()) > BUDGET:
            self._kept.popitem(last=False)
        return found

    def _prepare(self, cell: Cell, steps: list[Options]) -> Input:
        data = load(cell.spec, self.root)
        train, test = split_of(data, cell)
        rows, pipeline, learnt = self._whole(cell, data, steps)
        X_train, X_test = rows[train], rows[test]
        for step in learnt:
            model = _built(LEARNT, step, cell.seed).fit(X_train)
            X_train, X_test = model.transform(X_train), model.transform(X_test)
            pipeline = [*pipeline, model]
        arrays = (X_train, data.target[train], X_test, data.target[test])
        return Input(*arrays, [str(n) for n in data.target_names], pipeline, joblib.hash(arrays))

    def _whole(
        self, cell: Cell, data: Bunch, steps: list[Options]
    ) -> tuple[Array, list[BaseEstimator], list[Options]]:
        """Rows of all samples, the steps that were taken, and those that are left."""
        options = pyramid_options(steps)
        if options is not None:
            return self._pyramid(cell, data, options), [], steps[1:]
        count = sum(1 for step in steps if step["step"] in STATELESS)
        return *self._stateless(cell.spec, data, steps[:count]), steps[count:]

    def _stateless(
        self, spec: Spec, data: Bunch, steps: list[Options]
    ) -> tuple[Array, list[BaseEstimator]]:
        """Rows of all samples, by steps that look at one sample at a time; computed once."""
        key = joblib.hash([dict(spec.data), steps])
        if key not in self._rows:
            rows = next(data[name] for name in RAW if name in data)
            pipeline = []
            for step in steps:
                model = _built(STATELESS, step, None)
                if "cache" in model.get_params():
                    model.set_params(cache=self.features / str(step["step"]).lower())
                rows = model.fit(rows).transform(rows)
                pipeline.append(model)
            self._rows[key] = np.asarray(rows), pipeline
        return self._rows[key]

    def _pyramid(self, cell: Cell, data: Bunch, options: PyramidOptions) -> Array:
        """Coordinates of all images under the codebook of this split (see `pyramids`)."""
        make_pyramids([cell], data, self.features)
        rows = np.load(pyramid_place(options, self.features, cell.split))
        if options.get("rest", True):
            return rows
        # Components must be those of this training set, not of the larger one of the file.
        return components(rows, split_of(data, cell)[0], options.get("gamma", 0.0))


def load(spec: Spec, root: Root = None) -> Bunch:
    """The data set of a spec.

    Parameters
    ----------
    spec : Spec
    root : path, default=None

    Returns
    -------
    Bunch

    Raises
    ------
    MissingData
        With what is missing, where it should lie, and who has it.
    """
    options = {key: value for key, value in spec.data.items() if key != "name"}
    place = None if root is None else str(root)
    return _loaded(str(spec.data["name"]), tuple(options.items()), place)


@lru_cache(maxsize=2)
def _loaded(name: str, options: tuple[tuple[str, object], ...], root: str | None) -> Bunch:
    if name not in DATASETS:
        raise SpecError(f"There is no data set {name!r}. Known: {', '.join(sorted(DATASETS))}.")
    entry = DATASETS[name]
    try:
        return entry.loader(root, **dict(options))
    except MissingData as absent:
        raise MissingData(
            f"{absent} It comes from {entry.origin}. Lay it out as: {entry.folder}/{entry.layout}."
        ) from None


def split_of(data: Bunch, cell: Cell) -> Split:
    """Training and test indices of a cell.

    Parameters
    ----------
    data : Bunch
    cell : Cell

    Returns
    -------
    train, test : ndarray of int
    """
    spec = cell.spec
    drawn = PROTOCOLS[spec.protocol["kind"]](data, cell, spec.splits, spec.seed)
    return next(islice(drawn, cell.split, None))


def _built(known: dict[str, type[BaseEstimator]], step: Options, seed: int | None) -> BaseEstimator:
    name = str(step["step"])
    if name not in known:
        raise SpecError(f"There is no step {name!r} at this place. Known: {', '.join(known)}.")
    model = known[name](**_parameters(step))
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return model


def _parameters(step: Options) -> dict[str, object]:
    return {key: value for key, value in step.items() if key != "step"}
