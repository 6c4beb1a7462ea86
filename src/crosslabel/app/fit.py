"""Train a model on a folder or feature file, and measure it on samples kept aside."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch

from crosslabel.app.features_auto import ChosenFeatures, choose
from crosslabel.app.keepsakes import keepsakes
from crosslabel.app.measure import Accuracy, taken
from crosslabel.app.outputs import check_output
from crosslabel.app.training_bar import training_bar
from crosslabel.core.scaling import Array
from crosslabel.datasets.source import load_source
from crosslabel.features.recipe import FeatureSettings
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
    force: bool = False,
    features: str = "auto",
    settings: FeatureSettings | None = None,
    parameters: Parameters | None = None,
    held_out: float = 0.25,
    refit: bool = True,
    seed: int = 0,
    strict: bool = False,
    licence: str | None = None,
    data_name: str | None = None,
    tell: Callable[[str], None] | None = None,
) -> Report:
    """Train on a folder of images or clips or on a feature file.

    Parameters
    ----------
    path : path
        A folder with a subfolder for each class, or a `.mat` or `.npz` file.
    out : path, default=None
        Where the model is written; None writes nothing.
    force : bool, default=False
        Replace a file that is there already.
    features : str, default="auto"
        A name of `crosslabel.features.recipes.RECIPES`, or "auto" for what suits the data.
    settings : FeatureSettings, default=None
        Of the features.
    parameters : Parameters, default=None
        Of the classifier.
    held_out : float, default=0.25
        Share of each class that is kept aside to measure the model. A file that holds a split
        keeps its own.
    refit : bool, default=True
        After it was measured, train the model again on all samples. False gives the very model
        that was measured, and so does a file that holds a split.
    seed : int, default=0
    strict : bool, default=False
        Raise for the first file that cannot be used instead of leaving it out.
    licence, data_name : str or None, default=None
        Of the training data, as the model's card will state them.
    tell : callable, default=None
        Gets a line of text where something is decided, and asks for progress bars.

    Returns
    -------
    Report
    """
    place = None if out is None else check_output(out, keep=not force)
    data = load_source(path, strict=strict, progress=tell is not None)
    if len(data.target_names) < 2:
        raise ValueError(f"{path} holds one usable class only: {data.target_names[0]}.")
    split = _split(data, held_out, seed)
    # A data set's own test samples stay unseen.
    refit, started = refit and data.train is None, time.perf_counter()
    with _kept_features(settings or FeatureSettings(seed=seed)) as kept:
        work = _Work(data, kept, parameters or Parameters(), seed, tell)
        chosen = work.features(features, split[0])
        fitted = work.trained(chosen, split[0])
        accuracy = work.measured(fitted, split[1])
        if refit:
            fitted = work.trained(chosen, np.arange(len(data.target)))
    seconds = time.perf_counter() - started
    summary = {
        "data_name": data_name,
        "licence": licence,
        "protocol": _protocol(work, split, refit),
        **_summary(work, fitted, accuracy, seconds),
        "refit": refit,
        **keepsakes(data, path, fitted.rows, fitted.X, fitted.pipeline[-1]),
    }
    model = Model(_unbound(fitted.pipeline), work.names, data.kind, chosen.recipe.name, summary)
    if place is not None:
        save(model, place)
    return Report(model, accuracy, data, seconds)


@contextmanager
def _kept_features(settings: FeatureSettings) -> Iterator[FeatureSettings]:
    """Settings with a place for finished features: who trains twice computes them once."""
    if settings.cache is not None:
        yield settings
        return
    with TemporaryDirectory(prefix="crosslabel-") as folder:
        yield replace(settings, scratch=folder)


@dataclass(frozen=True)
class _Fit:
    """A trained pipeline, and the samples that it was trained on, as features."""

    pipeline: Pipeline
    rows: Indices
    X: Array


@dataclass(frozen=True)
class _Work:
    """What stays the same when a model is trained on some samples and then on all."""

    data: Bunch
    settings: FeatureSettings
    parameters: Parameters
    seed: int
    tell: Callable[[str], None] | None

    @property
    def names(self) -> list[str]:
        """Of the classes."""
        return self.data.target_names.tolist()

    def features(self, name: str, rows: Indices) -> ChosenFeatures:
        """The features that were asked for, or that suit these samples; says why."""
        items, labels = taken(self.data.samples, rows), self.data.target[rows]
        chosen = choose(name, self.data.kind, items, labels, self.settings)
        if self.tell is not None and chosen.why:
            self.tell(chosen.why)
        return chosen

    def measured(self, fitted: _Fit, rows: Indices) -> Accuracy:
        """How often these samples, which training has not seen, are labelled rightly."""
        predicted = fitted.pipeline.predict(taken(self.data.samples, rows))
        return Accuracy.of(self.data.target[rows], predicted, self.names)

    def trained(self, chosen: ChosenFeatures, rows: Indices) -> _Fit:
        """The classifier with what is given, and the rest chosen on these samples."""
        items = taken(self.data.samples, rows)
        steps = chosen.recipe.steps(items, self.settings)
        X = Pipeline(steps).fit_transform(items) if steps else items
        given = {name: value for name, value in vars(self.parameters).items() if value is not None}
        classifier = CrossLabelClassifier(random_state=self.seed, **given)
        quiet = self.tell is None
        with training_bar(quiet, f"training on {len(rows)} {self.data.kind}") as watch:
            if watch is not None:
                watch(classifier)
            classifier.fit(X, self.data.target[rows])
        return _Fit(Pipeline([*steps, ("classifier", classifier)]), rows, X)


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


def _unbound(pipeline: Pipeline) -> Pipeline:
    """The pipeline without what concerns this machine alone: folders, processes, progress."""
    local = {"cache": None, "n_jobs": None, "verbose": False}
    for _, step in pipeline.steps[:-1]:
        own = step.get_params(deep=False)
        step.set_params(**{name: value for name, value in local.items() if name in own})
    return pipeline


def _protocol(work: _Work, split: tuple[Indices, Indices], refit: bool) -> str:
    """How the model was measured, in words that hold for what `fit` does."""
    n_train, n_test = (len(part) for part in split)
    at_random = work.data.train is None
    how_split = "at random within each class" if at_random else "by the data file's own split"
    chosen = [name for name in CHOSEN if getattr(work.parameters, name) is None]
    how = "chosen by the log loss of held-out training samples"
    choice = f"{', '.join(chosen)}: {how}." if chosen else "All parameters were given."
    stored = (
        f"The stored model was then trained in the same way on all {n_train + n_test} samples: the "
        "accuracy is that of the model before, from fewer samples."
        if refit
        else "The stored model is the one that was measured."
    )
    return (
        f"{n_train + n_test} samples were divided {how_split} into {n_train} to train with and "
        f"{n_test} to measure with, which no choice has seen. {choice} Seed {work.seed}. {stored}"
    )


def _summary(work: _Work, fitted: _Fit, accuracy: Accuracy, seconds: float) -> dict[str, object]:
    chosen = ("ridge", "suppression", "grouping", "atoms_per_class", "shared_atoms")
    classifier = fitted.pipeline[-1]
    return {
        "data": work.data.DESCR,
        "training_samples": len(fitted.rows),
        "held_out": accuracy.as_dict(),
        "parameters": {name: _plain(getattr(classifier, name)) for name in chosen},
        "rule": str(classifier.rule_),
        "seconds": seconds,
        "seed": work.seed,
        "skipped": [str(item) for item in work.data.skipped],
    }


def _plain(value: object) -> object:
    return value.tolist() if hasattr(value, "tolist") else value
