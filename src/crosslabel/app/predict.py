"""Label files with a trained model, a batch at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import ArrayLike

from crosslabel.app.options import AS_JSON, MODEL, QUIET, STRICT, choice
from crosslabel.app.printing import PRINTERS, user_errors
from crosslabel.app.queries import SMALL, Query, read_queries
from crosslabel.files import Model, load_model
from crosslabel.files.named import features_of
from crosslabel.files.visible import visible
from crosslabel.flagship.rejection import threshold_for

BATCH = 64  # files that are labelled at once
UNKNOWN = "unknown"
"""The label of what is refused."""


@dataclass(frozen=True)
class Prediction:
    """What a model says about one file; `label` is None where the file could not be used.

    Attributes
    ----------
    file : str
    label : str or None
        "unknown" where the file looks like none of the classes.
    probability : float or None
        Of the class that suits best, which is the label unless that is "unknown".
    runner_up : str or None
        The class that suits second best.
    runner_up_probability : float or None
    warning : str or None
        Why the label means little.
    problem : str or None
        Why the file could not be used.
    top : list of dict or None
        The best classes, as many as were asked for, each with `label` and `probability`.
    """

    file: str
    label: str | None = None
    probability: float | None = None
    runner_up: str | None = None
    runner_up_probability: float | None = None
    warning: str | None = None
    problem: str | None = None
    top: list[dict[str, object]] | None = None

    def as_dict(self) -> dict[str, object]:
        """For JSON and CSV; without the best classes where nobody asked for them."""
        found = asdict(self)
        return found if self.top is not None else {k: v for k, v in found.items() if k != "top"}


def predict(
    model: Model | str | os.PathLike[str],
    files: Sequence[str | os.PathLike[str]],
    *,
    reject: float | None = None,
    top: int | None = None,
    strict: bool = False,
) -> Iterator[Prediction]:
    """Label images, clips, or the rows of feature files.

    Parameters
    ----------
    model : Model or path
    files : sequence of paths
        Images or clips, or folders of them; `.npz` or `.mat` files for a model on features.
    reject : float, default=None
        Share of files of none of the classes that may get the label of one; what looks like none is
        "unknown". None labels everything.
    top : int, default=None
        List so many of the best classes of each file.
    strict : bool, default=False
        Raise for the first file that cannot be used instead of reporting it.

    Yields
    ------
    Prediction
        One for each file, or each row of a feature file, in order.
    """
    trained = model if isinstance(model, Model) else load_model(model)
    if top is not None:
        _check_top(trained, top)
    threshold = float("inf") if reject is None else novelty_threshold(trained, reject)
    told = trained.summary.get("shortest_side")
    shortest = told if isinstance(told, int) else SMALL
    batch: list[Query] = []
    for query in read_queries(trained.kind, [Path(file) for file in files], strict, shortest):
        batch.append(query)
        if len(batch) == BATCH:
            yield from _label(trained, batch, threshold, top, strict)
            batch = []
    yield from _label(trained, batch, threshold, top, strict)


def _check_top(model: Model, top: int) -> None:
    """Refuse a ranking that the model cannot give, before any file is read."""
    classifier, known = model.pipeline[-1], len(model.classes_)
    if not hasattr(classifier, "predict_topk"):
        raise ValueError(f"A {type(classifier).__name__} does not rank classes: leave --top out.")
    if not 1 <= top <= known:
        raise ValueError(f"It knows {known} classes: --top lies from 1 to {known}, not {top}.")


def novelty_threshold(model: Model, rate: float) -> float:
    """The novelty from which on a query is refused, for a rate of strangers that get a label.

    Parameters
    ----------
    model : Model
        With the novelty of classes that were left out in training, as `fit` stores it.
    rate : float

    Returns
    -------
    float
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"The rate of strangers that get a label lies in [0, 1], not at {rate}.")
    scores = model.summary.get("strangers")
    if not scores:
        raise ValueError(
            "This model does not know what strangers look like: it was trained on fewer than three "
            "classes, or by an earlier version. Train it anew on three classes or more."
        )
    return threshold_for(np.asarray(scores, np.float64), rate)


def _label(
    model: Model, batch: list[Query], threshold: float, top: int | None, strict: bool
) -> Iterator[Prediction]:
    good = [query for query in batch if query.problem is None]
    none: list[dict[str, object]] | None = None if top is None else []
    try:
        found = iter(_answers(model, good, threshold, top) if good else [])
    except ValueError as error:
        # Rows of features are alike: what is wrong with one is wrong with all.
        if strict or model.kind == "features":
            raise
        # One of them is unfit, such as a clip of two frames: the others are labelled without it.
        if len(batch) == 1:
            yield Prediction(batch[0].name, problem=str(error), top=none)
        else:
            for query in batch:
                yield from _label(model, [query], threshold, top, strict)
        return
    for query in batch:
        if query.problem is not None:
            yield Prediction(query.name, problem=query.problem, top=none)
        else:
            yield next(found)


def _answers(
    model: Model, queries: list[Query], threshold: float, top: int | None
) -> list[Prediction]:
    classifier = model.pipeline[-1]
    X = features_of(model.pipeline, _stacked(model.kind, queries))
    # The label is the classifier's own, so that this and `evaluate` agree on ties too.
    places = np.searchsorted(classifier.classes_, classifier.predict(X))
    names = model.classes_[places]
    if threshold < float("inf"):
        names = np.where(classifier.novelty_score(X) >= threshold, UNKNOWN, names)
    if not hasattr(classifier, "predict_proba"):
        pairs = zip(queries, names)
        return [Prediction(one.name, str(name), warning=one.warning) for one, name in pairs]
    chances, rows = classifier.predict_proba(X), np.arange(len(names))
    best = chances[rows, places].tolist()
    chances[rows, places] = -1.0
    seconds = chances.argmax(axis=1)
    others = chances[rows, seconds].tolist()
    found = zip(queries, names.tolist(), best, model.classes_[seconds].tolist(), others)
    answers = [Prediction(one.name, a, p, b, q, one.warning) for one, a, p, b, q in found]
    if top is None:
        return answers
    ranked = classifier.predict_topk(X, top)
    called = model.classes_[np.searchsorted(classifier.classes_, ranked.labels)].tolist()
    lists = zip(answers, called, ranked.probabilities.tolist())
    return [replace(one, top=_ranking(labels, chances)) for one, labels, chances in lists]


def _ranking(labels: list[str], chances: list[float]) -> list[dict[str, object]]:
    return [{"label": str(a), "probability": p} for a, p in zip(labels, chances)]


def _stacked(kind: str, queries: list[Query]) -> ArrayLike:
    items = [query.item for query in queries]
    return np.stack(items) if kind == "features" else items


def predict_command(
    model: MODEL,
    files: Annotated[list[Path], typer.Argument(help="Images or clips, or folders of them.")],
    form: Annotated[str, choice(PRINTERS, "How to print.", "--format")] = "table",
    reject: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="RATE",
            help="Call unknown what looks like no class; this share of such files may be missed.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(min=1, metavar="K", help="List the K best classes of each file."),
    ] = None,
    strict: STRICT = False,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Label images or clips; each answer is printed as soon as it is known.

    For example:

      crosslabel predict pets.skops new.jpg

      crosslabel predict pets.skops inbox --reject 0.05

      crosslabel predict pets.skops inbox --top 5 --json

      crosslabel predict pets.skops inbox --format csv > labels.csv
    """  # fmt: skip
    with user_errors():
        printer = PRINTERS["json" if as_json else form](quiet)
        problems = 0
        for prediction in predict(model, files, reject=reject, top=top, strict=strict):
            said = prediction.problem or prediction.warning
            if prediction.problem is not None:
                problems += 1
                said = f"{said}; left out"
            if said and not (quiet and prediction.problem is None):
                typer.echo(visible(f"{prediction.file}: {said}"), err=True)
            printer.add(prediction.as_dict())
        printer.close()
        if problems and not quiet:
            typer.echo(f"{problems} files could not be used.", err=True)
        if problems:
            raise typer.Exit(1)
