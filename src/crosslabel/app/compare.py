"""`crosslabel compare`: methods on the images, clips or features of a folder or file.

Here the data are read and each split's features are chosen; `crosslabel.lab.comparison` does the
rest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch

from crosslabel.app.features_auto import choose
from crosslabel.app.measure import taken
from crosslabel.core.scaling import Array
from crosslabel.datasets.source import load_source
from crosslabel.datasets.splits import Split, half, per_class
from crosslabel.features.recipe import FeatureSettings
from crosslabel.lab.comparison import Standing, StoppedComparison, compare_features
from crosslabel.lab.estimators import all_methods


class Comparison(NamedTuple):
    """What a comparison gave.

    Attributes
    ----------
    standings : list of Standing
        Best first.
    data : Bunch
        What was loaded, with `skipped`.
    interrupted : bool
        Whether somebody stopped it; the standings are then of what was finished.
    """

    standings: list[Standing]
    data: Bunch
    interrupted: bool = False


def compare(
    path: str | os.PathLike[str],
    methods: Sequence[str] | None = None,
    *,
    features: str = "auto",
    settings: FeatureSettings | None = None,
    n_train: int | None = None,
    repeats: int = 5,
    seed: int = 0,
    records: str | os.PathLike[str] | None = None,
    strict: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Comparison:
    """Accuracy of several methods over random splits of a folder or feature file.

    Parameters
    ----------
    path : path
        As of `load_source`.
    methods : sequence of str, default=None
        Names of `all_methods`; None for all.
    features : str, default="auto"
        A name of `crosslabel.features.recipes.RECIPES`, or "auto".
    settings : FeatureSettings, default=None
        Of the features.
    n_train : int, default=None
        Training samples per class; None for half of each class.
    repeats : int, default=5
        Random splits; a file that holds a split is used once, as it is.
    seed : int, default=0
    records : path, default=None
        Folder that keeps each result; what is in it is not computed again.
    strict : bool, default=False
        Raise for the first file that cannot be used instead of leaving it out.
    tell : callable, default=None
        Gets a line of text where something is decided, and asks for progress bars.

    Returns
    -------
    Comparison
    """
    named = _chosen(methods, seed)
    data = load_source(path, strict=strict, progress=tell is not None)
    settings = settings or FeatureSettings(seed=seed)
    splits = _splits(data, n_train, repeats, seed)
    seen = splits[0][0]
    chosen = choose(features, data.kind, taken(data.samples, seen), data.target[seen], settings)
    if tell is not None and chosen.why:
        tell(chosen.why)

    def learnt(train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Array, Array]:
        rows = taken(data.samples, train), taken(data.samples, test)
        steps = chosen.recipe.steps(data.samples, settings)
        extractor = Pipeline(steps or [("as they are", "passthrough")])
        return extractor.fit_transform(rows[0]), extractor.transform(rows[1])

    try:
        standings = compare_features(
            learnt,
            data.target,
            splits,
            subject=joblib.hash([_fingerprint(data), chosen.recipe.name, settings]),
            methods=named,
            records=records,
            progress=tell is not None,
        )
    except StoppedComparison as stopped:
        return Comparison(stopped.standings, data, interrupted=True)
    return Comparison(standings, data)


def _chosen(methods: Sequence[str] | None, seed: int) -> dict[str, BaseEstimator]:
    known = all_methods(seed)
    unknown = [name for name in methods or () if name not in known]
    if unknown:
        raise ValueError(
            f"There is no method {', '.join(map(repr, unknown))}. Known: {', '.join(known)}."
        )
    return {name: known[name] for name in methods or known}


def _splits(data: Bunch, n_train: int | None, repeats: int, seed: int) -> list[Split]:
    if data.train is not None:
        return [(data.train, data.test)]
    if n_train is None:
        return list(half(data.target, repeats=repeats, seed=seed))
    return list(per_class(data.target, n_train, repeats=repeats, seed=seed))


def _fingerprint(data: Bunch) -> str:
    """What tells these data from others: the rows, or each file's name, size and time."""
    if data.kind == "features":
        return joblib.hash([data.samples, data.target])
    stats = [os.stat(name) for name in data.samples]
    return joblib.hash([(n, s.st_size, s.st_mtime_ns) for n, s in zip(data.samples, stats)])
