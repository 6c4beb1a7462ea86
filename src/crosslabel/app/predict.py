"""Label files with a trained model, a batch at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import ArrayLike

from crosslabel.app.options import AS_JSON, MODEL, QUIET, STRICT, choice
from crosslabel.app.printing import PRINTERS, user_errors
from crosslabel.app.queries import Query, read_queries
from crosslabel.files import Model, load_model
from crosslabel.files.visible import visible

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

BATCH = 64  # images in memory at once


@dataclass(frozen=True)
class Prediction:
    """What a model says about one file; `label` is None where the file could not be used.

    Parameters
    ----------
    file : str
    label : str or None
    margin : float
        Score of the winner less that of the runner-up: how clear the decision is.
    runner_up : str or None
    problem : str or None
        Why the file could not be used.
    """

    file: str
    label: str | None = None
    margin: float = float("nan")
    runner_up: str | None = None
    problem: str | None = None

    def as_dict(self) -> dict[str, object]:
        """For JSON and CSV."""
        if self.problem is not None:
            return {"file": self.file, "label": None, "problem": self.problem}
        return {
            "file": self.file,
            "label": self.label,
            "runner_up": self.runner_up,
            "margin": self.margin,
        }


def predict(
    model: Model | str | os.PathLike[str],
    files: Sequence[str | os.PathLike[str]],
    *,
    strict: bool = False,
) -> Iterator[Prediction]:
    """Label images, clips, or the rows of feature files.

    Parameters
    ----------
    model : Model or path
    files : sequence of paths
        Images or clips, or folders of them; `.npz` or `.mat` files for a model on features.
    strict : bool, default=False
        Raise for the first file that cannot be used instead of reporting it.

    Yields
    ------
    Prediction
        One for each file, or each row of a feature file, in order.
    """
    trained = model if isinstance(model, Model) else load_model(model)
    batch: list[Query] = []
    for query in read_queries(trained.kind, [Path(file) for file in files], strict):
        batch.append(query)
        if len(batch) == BATCH:
            yield from _label(trained, batch)
            batch = []
    yield from _label(trained, batch)


def class_scores(pipeline: Pipeline, items: ArrayLike) -> np.ndarray:
    """Score of each class, (n_items, n_classes), for two classes too."""
    scores = pipeline.decision_function(items)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def _label(model: Model, batch: list[Query]) -> Iterator[Prediction]:
    good = [query for query in batch if query.problem is None]
    answers: dict[str, Prediction] = {}
    if good:
        scores = class_scores(model.pipeline, _stacked(model.kind, good))
        classes = model.pipeline.classes_
        for query, row in zip(good, scores):
            second, first = np.argsort(row)[-2:]
            answers[query.name] = Prediction(
                query.name,
                model.class_names[classes[first]],
                float(row[first] - row[second]),
                model.class_names[classes[second]],
            )
    for query in batch:
        yield answers.get(query.name) or Prediction(query.name, problem=query.problem)


def _stacked(kind: str, queries: list[Query]) -> ArrayLike:
    items = [query.item for query in queries]
    return np.stack(items) if kind == "features" else items


def predict_command(
    model: MODEL,
    files: Annotated[list[Path], typer.Argument(help="Images or clips, or folders of them.")],
    form: Annotated[str, choice(PRINTERS, "How to print.", "--format")] = "table",
    strict: STRICT = False,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Label images or clips; each answer is printed as soon as it is known.

    Examples
    --------
      crosslabel predict pets.skops new.jpg

      crosslabel predict pets.skops inbox --format csv > labels.csv
    """
    with user_errors():
        printer = PRINTERS["json" if as_json else form]()
        problems = 0
        for prediction in predict(model, files, strict=strict):
            if prediction.problem is not None:
                problems += 1
                said = f"{prediction.file}: {prediction.problem}; left out"
                typer.echo(visible(said), err=True)
            printer.add(prediction.as_dict())
        printer.close()
        if problems and not quiet:
            typer.echo(f"{problems} files could not be used.", err=True)
        if problems:
            raise typer.Exit(1)
