"""Measure a trained model on labelled data that it has not seen."""

from __future__ import annotations

import os

import numpy as np
import typer
from sklearn.utils import Bunch

from crosslabel.app.measure import Accuracy, taken
from crosslabel.app.options import AS_JSON, MODEL, QUIET, SOURCE, STRICT
from crosslabel.app.printing import SHOWN, print_json, tell_skipped, user_errors
from crosslabel.datasets.source import load_source
from crosslabel.files import Model, load_model
from crosslabel.progress_bar import progress_bar

BATCH = 64  # files that are labelled at once


def evaluate(
    model: Model | str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    progress: bool = False,
) -> tuple[Accuracy, Bunch]:
    """Accuracy of a model on a folder or feature file.

    Parameters
    ----------
    model : Model or path
    path : path
        A folder with a subfolder for each class, or a `.mat` or `.npz` file; its classes must be
        among the model's. Where the file holds a split, its test part counts.
    strict : bool, default=False
        Raise for the first file that cannot be used instead of leaving it out.
    progress : bool, default=False
        Show bars while files are read and labelled.

    Returns
    -------
    accuracy : Accuracy
    data : Bunch
        What was loaded, with `skipped`.
    """
    trained = model if isinstance(model, Model) else load_model(model)
    data = load_source(path, strict=strict, minimum=1, progress=progress)
    if data.kind != trained.kind:
        raise ValueError(f"The model was trained on {trained.kind}, but {path} holds {data.kind}.")
    number = {name: index for index, name in enumerate(trained.class_names)}
    unknown = [name for name in data.target_names if name not in number]
    if unknown:
        raise ValueError(
            f"The model does not know the classes {', '.join(unknown[:5])} of {path}. It knows "
            f"{', '.join(trained.class_names[:8])}{' …' if len(number) > 8 else ''}."
        )
    truth = np.array([number[name] for name in data.target_names])[data.target]
    chosen = np.arange(len(truth)) if data.test is None else data.test
    predicted = []
    with progress_bar("labelling" if progress else None, len(chosen)) as advance:
        for part in np.array_split(chosen, -(-len(chosen) // BATCH)):
            predicted.append(trained.pipeline.predict(taken(data.samples, part)))
            advance(len(part))
    return Accuracy.of(truth[chosen], np.concatenate(predicted), trained.class_names), data


def evaluate_command(
    model: MODEL,
    path: SOURCE,
    strict: STRICT = False,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Measure a model on labelled data that it has not seen.

    For example:

      crosslabel evaluate pets.skops more_photos
    """
    with user_errors():
        accuracy, data = evaluate(model, path, strict=strict, progress=not quiet)
        tell_skipped(data, quiet)
        if as_json:
            print_json({**accuracy.as_dict(), "skipped": [str(s) for s in data.skipped]})
            return
        typer.echo(f"Accuracy: {accuracy}")
        if not quiet:
            for true, taken_for, count in accuracy.confusions[:SHOWN]:
                typer.echo(f"  {count} × {true} taken for {taken_for}")
