"""Label files with a trained model, a batch at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
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
    """

    file: str
    label: str | None = None
    probability: float | None = None
    runner_up: str | None = None
    runner_up_probability: float | None = None
    warning: str | None = None
    problem: str | None = None

    def as_dict(self) -> dict[str, object]:
        """For JSON and CSV."""
        return asdict(self)


def predict(
    model: Model | str | os.PathLike[str],
    files: Sequence[str | os.PathLike[str]],
    *,
    reject: float | None = None,
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
    strict : bool, default=False
        Raise for the first file that cannot be used instead of reporting it.

    Yields
    ------
    Prediction
        One for each file, or each row of a feature file, in order.
    """
    trained = model if isinstance(model, Model) else load_model(model)
    threshold = float("inf") if reject is None else novelty_threshold(trained, reject)
    told = trained.summary.get("shortest_side")
    shortest = told if isinstance(told, int) else SMALL
    batch: list[Query] = []
    for query in read_queries(trained.kind, [Path(file) for file in files], strict, shortest):
        batch.append(query)
        if len(batch) == BATCH:
            yield from _label(trained, batch, threshold, strict)
            batch = []
    yield from _label(trained, batch, threshold, strict)


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
    model: Model, batch: list[Query], threshold: float, strict: bool
) -> Iterator[Prediction]:
    good = [query for query in batch if query.problem is None]
    try:
        found = iter(_answers(model, good, threshold) if good else [])
    except ValueError as error:
        # Rows of features are alike: what is wrong with one is wrong with all.
        if strict or model.kind == "features":
            raise
        # One of them is unfit, such as a clip of two frames: the others are labelled without it.
        if len(batch) == 1:
            yield Prediction(batch[0].name, problem=str(error))
        else:
            for query in batch:
                yield from _label(model, [query], threshold, strict)
        return
    for query in batch:
        if query.problem is not None:
            yield Prediction(query.name, problem=query.problem)
        else:
            yield next(found)


def _answers(model: Model, queries: list[Query], threshold: float) -> list[Prediction]:
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
    return [Prediction(one.name, a, p, b, q, one.warning) for one, a, p, b, q in found]


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
    strict: STRICT = False,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Label images or clips; each answer is printed as soon as it is known.

    Examples
    --------
      crosslabel predict pets.skops new.jpg

      crosslabel predict pets.skops inbox --reject 0.05

      crosslabel predict pets.skops inbox --format csv > labels.csv
    """  # fmt: skip
    with user_errors():
        printer = PRINTERS["json" if as_json else form](quiet)
        problems = 0
        for prediction in predict(model, files, reject=reject, strict=strict):
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
