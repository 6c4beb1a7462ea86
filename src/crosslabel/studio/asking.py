"""An answer to one picture: the classes, whether it is a stranger, and why."""

from __future__ import annotations

import numpy as np

from crosslabel.core.scaling import Array
from crosslabel.flagship.fitted import Fitted
from crosslabel.studio.behind import shares_behind
from crosslabel.studio.lesson import strangeness
from crosslabel.studio.teacher import Teacher

SHOWN = 6
"""Classes, and pictures behind the winner, that are told of."""

Said = dict[str, object]
"""What is sent to the page, as JSON."""


def answer(row: Array, teacher: Teacher, names: dict[str, str], threshold: float | None) -> Said:
    """What the model says of a picture.

    Parameters
    ----------
    row : ndarray of shape (n_features,)
    teacher : Teacher
    names : dict
        What people call each class.
    threshold : float or None
        Strangeness from which on it is of none of the classes; None while that is not known.

    Returns
    -------
    dict
        `classes`: names and probabilities, the best first. `stranger`: true, false, or None.
        `behind`: keys of pictures of the best class, and how much each adds to the answer.
        Without two classes there is no answer but `ready`: false.
    """
    lesson = teacher.lesson
    fitted = None if lesson is None else lesson.fitted
    if fitted is None:
        return {"ready": False}
    p = fitted.probabilities(row[None])[0]
    order = np.argsort(-p, kind="stable")[:SHOWN].tolist()
    labels = fitted.classes.tolist()
    classes = [{"name": names.get(labels[c], "?"), "probability": float(p[c])} for c in order]
    strange = float(strangeness(fitted, row[None])[0])
    return {
        "ready": True,
        "classes": classes,
        "stranger": None if threshold is None else bool(strange > threshold),
        "strangeness": strange,
        "behind": _behind(row, labels[order[0]], fitted, teacher),
    }


def _behind(row: Array, label: str, fitted: Fitted, teacher: Teacher) -> list[Said]:
    """Pictures that the best class's atoms are made of, those that matter most first."""
    keys = sorted({key for (own, _), key in list(teacher.learnt.items()) if own == label})
    if not keys:
        return []
    shares = shares_behind(row, np.stack([teacher.row(key) for key in keys]), fitted.view.ridge)
    best = np.argsort(-shares, kind="stable")[:SHOWN].tolist()
    return [{"key": keys[i], "share": float(shares[i])} for i in best if shares[i] > 0.01]
