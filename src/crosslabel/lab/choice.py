"""The parameters that a spec leaves to training data: chosen once for a method at a setting.

The training samples of the first split choose, by stratified folds; the other splits keep what was
chosen, as in the paper's protocol. A climb starts from what the setting before has chosen: with
half as many samples the best parameters are near, and mostly their neighbours alone are tried. A
choice is a file, so that a run that stops goes on from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

from crosslabel.files.whole import write_whole
from crosslabel.lab.climb import Climb, Values, climb
from crosslabel.lab.inputs import Input
from crosslabel.lab.spec import Cell

FOLDS = 3
Rows = NDArray[np.intp]


def chosen(
    cell: Cell,
    inputs: Callable[[Cell], Input],
    build: Callable[[Cell], BaseEstimator],
    folder: Path,
) -> Values:
    """What the cell's method has in place of the start values of its `search`.

    Parameters
    ----------
    cell : Cell
        Its method has a `search`.
    inputs, build : callable
        From a cell to its rows, and to its unfitted estimator.
    folder : Path
        Keeps the choices.

    Returns
    -------
    dict of str to float
    """
    place = _place(cell, folder)
    if place.exists():
        return dict(json.loads(place.read_text("utf-8"))["values"])
    first = replace(cell, split=0)
    before = _before(first)
    start = chosen(before, inputs, build, folder) if before else first.start
    found = climbed(first, inputs(first), build(first), start)
    _write(place, cell, **found._asdict())
    return found.values


def keep_choice(cell: Cell, values: Values, folder: Path) -> None:
    """Keep what a record says was chosen, for the splits that are still to come.

    Parameters
    ----------
    cell : Cell
    values : dict of str to float
        Empty where its method has no `search`; nothing is then kept.
    folder : Path
        Keeps the choices; one that is there stays.
    """
    place = _place(cell, folder)
    if values and not place.exists():
        _write(place, cell, values=values)


def _before(cell: Cell) -> Cell | None:
    """The cell of the same method and split at the setting before, where it has the same start."""
    settings = [s for s in cell.spec.settings if cell.method.runs_at(s)]
    place = settings.index(cell.setting)
    before = replace(cell, setting=settings[place - 1]) if place else None
    return before if before and before.start == cell.start else None


def _place(cell: Cell, folder: Path) -> Path:
    return folder / f"{_key(replace(cell, split=0))}.json"


def _write(place: Path, cell: Cell, **found: object) -> None:
    content = {"place": list(cell.place[:3]), **found}
    write_whole(place, lambda file: file.write(json.dumps(content, sort_keys=True).encode()))


def climbed(cell: Cell, given: Input, model: BaseEstimator, start: Values) -> Climb:
    """The climb over a method's `search`, by the mean accuracy of folds of the training samples.

    Parameters
    ----------
    cell : Cell
    given : Input
    model : estimator
        Unfitted, with the parameters of the cell.
    start : dict of str to float
        Of each parameter of the search.

    Returns
    -------
    Climb
    """
    folds = list(
        StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(given.X_train, given.y_train)
    )

    def score(values: Values) -> float:
        model.set_params(**values)
        return float(np.mean([_accuracy(model, given, train, test) for train, test in folds]))

    return climb(score, start, cell.method.search)


def _accuracy(model: BaseEstimator, given: Input, train: Rows, test: Rows) -> float:
    model.fit(given.X_train[train], given.y_train[train])
    return float(np.mean(model.predict(given.X_train[test]) == given.y_train[test]))


def _key(cell: Cell) -> str:
    text = json.dumps([FOLDS, cell.identity], sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
