"""Train a model on a folder or feature file, and measure it on samples kept aside."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch

from crosslabel.app.measure import Accuracy
from crosslabel.datasets.source import load_source
from crosslabel.features.recipe import FeatureSettings
from crosslabel.features.recipes import recipe_for
from crosslabel.files import Model, save
from crosslabel.flagship import CrossLabelClassifier

Indices = NDArray[np.intp]

CHOSEN = ("ridge", "rule")
"""Parameters that are chosen where they are not given."""


@dataclass(frozen=True)
class Parameters:
    """Of the classifier; None for its default, or what it chooses on the training samples.

    Parameters
    ----------
    ridge, suppression, grouping : float or None
        β, λ and γ.
    rule : str or None
        A name of `crosslabel.core.rules.RULES`.
    atoms_per_class, shared_atoms : int or None
    """

    ridge: float | None = None
    suppression: float | None = None
    grouping: float | None = None
    rule: str | None = None
    atoms_per_class: int | None = None
    shared_atoms: int | None = None


@dataclass(frozen=True)
class Report:
    """What training gave.

    Parameters
    ----------
    model : Model
    held_out : Accuracy
        On the samples kept aside, which no choice has seen.
    data : Bunch
        What was loaded, with `skipped`.
    seconds : float
        Of features, choice of parameters and training together.
    """

    model: Model
    held_out: Accuracy
    data: Bunch
    seconds: float


def fit(
    path: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    features: str = "auto",
    settings: FeatureSettings | None = None,
    parameters: Parameters | None = None,
    held_out: float = 0.25,
    seed: int = 0,
    strict: bool = False,
    licence: str | None = None,
    data_name: str | None = None,
) -> Report:
    """Train on a folder of images or clips or on a feature file.

    Parameters
    ----------
    path : path
        A folder with a subfolder for each class, or a `.mat` or `.npz` file.
    out : path, default=None
        Where the model is written; None writes nothing.
    features : str, default="auto"
        A name of `crosslabel.features.recipes.RECIPES`, or "auto" for what suits the data.
    settings : FeatureSettings, default=None
        Of the features.
    parameters : Parameters, default=None
        Of the classifier.
    held_out : float, default=0.25
        Share of each class that is kept aside to measure the model. A file that holds a split
        keeps its own.
    seed : int, default=0
    strict : bool, default=False
        Raise for the first file that cannot be used instead of leaving it out.
    licence, data_name : str or None, default=None
        Of the training data, as the model's card will state them.

    Returns
    -------
    Report
    """
    if out is not None and not Path(out).resolve().parent.is_dir():
        raise FileNotFoundError(f"There is no folder {Path(out).resolve().parent} for the model.")
    data = load_source(path, strict=strict)
    if len(data.target_names) < 2:
        raise ValueError(f"{path} holds one usable class only: {data.target_names[0]}.")
    train, test = _split(data, held_out, seed)
    started = time.perf_counter()
    items = taken(data.samples, train)
    recipe = recipe_for(features, data.kind)
    steps = recipe.steps(items, settings or FeatureSettings(seed=seed))
    X = Pipeline(steps).fit_transform(items) if steps else items
    classifier = _trained(parameters or Parameters(), X, data.target[train], seed)
    pipeline = Pipeline([*steps, ("classifier", classifier)])
    seconds = time.perf_counter() - started
    names = data.target_names.tolist()
    predicted = pipeline.predict(taken(data.samples, test))
    accuracy = Accuracy.of(data.target[test], predicted, names)
    summary = {
        "data_name": data_name,
        "licence": licence,
        "protocol": _protocol(data, len(train), len(test), parameters or Parameters(), seed),
        **_summary(data, train, classifier, accuracy, seconds, seed),
    }
    model = Model(_unbound(pipeline), names, data.kind, recipe.name, summary)
    if out is not None:
        save(model, out)
    return Report(model, accuracy, data, seconds)


def taken(items: Any, indices: Indices) -> Any:
    """Rows of an array, or a list of the items with these indices."""
    return items[indices] if isinstance(items, np.ndarray) else [items[i] for i in indices]


def _split(data: Bunch, held_out: float, seed: int) -> tuple[Indices, Indices]:
    if data.train is not None:
        return data.train, data.test
    if not 0 < held_out < 1:
        raise ValueError(f"The share kept aside must lie between 0 and 1, but it is {held_out}.")
    # Every class must have a sample on both sides, however small the classes are.
    n_test = max(len(data.target_names), round(held_out * len(data.target)))
    n_test = min(n_test, len(data.target) - len(data.target_names))
    return train_test_split(
        np.arange(len(data.target)), test_size=n_test, stratify=data.target, random_state=seed
    )


def _trained(parameters: Parameters, X: ArrayLike, y: ArrayLike, seed: int) -> CrossLabelClassifier:
    """The classifier with what is given, and the rest chosen on the training samples."""
    given = {name: value for name, value in vars(parameters).items() if value is not None}
    return CrossLabelClassifier(random_state=seed, **given).fit(X, y)


def _unbound(pipeline: Pipeline) -> Pipeline:
    """The pipeline without what concerns this machine alone: folders, processes, progress."""
    local = {"cache": None, "n_jobs": None, "verbose": False}
    for _, step in pipeline.steps[:-1]:
        own = step.get_params(deep=False)
        step.set_params(**{name: value for name, value in local.items() if name in own})
    return pipeline


def _protocol(data: Bunch, n_train: int, n_test: int, given: Parameters, seed: int) -> str:
    """How the model was measured, in words that hold for what `fit` does."""
    split = "at random within each class" if data.train is None else "by the data file's own split"
    chosen = [name for name in CHOSEN if getattr(given, name) is None]
    how = "chosen by the log loss of held-out training samples"
    choice = f"{', '.join(chosen)}: {how}." if chosen else "All parameters were given."
    return (
        f"{n_train + n_test} samples were divided {split} into {n_train} to train with and "
        f"{n_test} to measure with, which no choice has seen. {choice} Seed {seed}."
    )


def _summary(
    data: Bunch,
    train: Indices,
    classifier: CrossLabelClassifier,
    accuracy: Accuracy,
    seconds: float,
    seed: int,
) -> dict[str, object]:
    chosen = ("ridge", "suppression", "grouping", "atoms_per_class", "shared_atoms")
    return {
        "data": data.DESCR,
        "training_samples": len(train),
        "held_out": accuracy.as_dict(),
        "parameters": {name: _plain(getattr(classifier, name)) for name in chosen},
        "rule": str(classifier.rule_),
        "seconds": seconds,
        "seed": seed,
        "skipped": [str(item) for item in data.skipped],
    }


def _plain(value: object) -> object:
    return value.tolist() if hasattr(value, "tolist") else value
