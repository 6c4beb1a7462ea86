"""How good the model is, and what it doubts: every picture judged by a model that never saw it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.flagship.audit import Audit, audit
from crosslabel.studio.lesson import Lesson, first_lesson, settled, strangeness, taught

FOLDS = 5
KNOWN_REFUSED = 0.05
"""Share of pictures of known classes that are taken for strangers."""

SIZES = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80)
DRAWINGS = 3
"""How often pictures are drawn for each point of the curve."""

Stop = Callable[[], bool]
"""Whether what is being studied has changed."""


class Interrupted(Exception):
    """What was studied has changed: the result would tell of what is no more."""


@dataclass(frozen=True)
class Exercises:
    """All pictures that have a class.

    Attributes
    ----------
    keys : list of str
    rows : ndarray of shape (n, n_features)
    labels : ndarray of int of shape (n,)
        Indices in `names`.
    names : list of str
        The studio's own of each class.
    """

    keys: list[str]
    rows: Array
    labels: Labels
    names: list[str]

    def lesson(self, chosen: NDArray[np.bool_]) -> Lesson:
        """What some of them teach."""
        labels = [self.names[label] for label in self.labels[chosen]]
        return settled(taught(first_lesson(self.rows.shape[1]), (list(self.rows[chosen]), labels)))


@dataclass(frozen=True)
class Study:
    """What held-out pictures tell.

    Attributes
    ----------
    version : int
        Of the pictures that were studied.
    tested : ndarray of int
        Indices of the pictures that were held out: those of classes with two or more.
    probabilities : ndarray of shape (n_tested, n_classes)
        Of each held-out picture, by a model without it.
    threshold : float
        Strangeness from which on a picture is of none of the classes.
    audit : Audit
        Whether each picture's own class suits it.
    curve : list of (pictures per class, accuracy, standard error)
    """

    version: int
    pictures: Exercises
    tested: Labels
    probabilities: Array
    threshold: float
    audit: Audit
    curve: list[tuple[int, float, float]] = field(default_factory=list)

    @property
    def confusion(self) -> NDArray[np.intp]:
        """Pictures of each class (rows) by the class they were taken for."""
        n = len(self.pictures.names)
        found = np.zeros((n, n), np.intp)
        np.add.at(found, (self.pictures.labels[self.tested], self.probabilities.argmax(axis=1)), 1)
        return found


def held_out(pictures: Exercises, version: int, stop: Stop) -> Study:
    """Judge every picture by a model of the other folds.

    Parameters
    ----------
    pictures : Exercises
        Of at least two classes, one of which has two.
    version : int
    stop : callable
        Asked between two models; true ends the study with `Interrupted`.
    """
    fold = folds(pictures.labels, pictures.keys)
    tested, found, strange = list[Labels](), list[Array](), list[Array]()
    for k in range(fold.max() + 1):
        if stop():
            raise Interrupted
        out = np.flatnonzero(fold == k)
        lesson = pictures.lesson(fold != k)
        if lesson.fitted is None or not len(out):
            continue
        places = [pictures.names.index(name) for name in lesson.fitted.classes.tolist()]
        shown = np.zeros((len(out), len(pictures.names)))
        shown[:, places] = lesson.fitted.probabilities(pictures.rows[out])
        tested.append(out)
        found.append(shown)
        strange.append(strangeness(lesson.fitted, pictures.rows[out]))
    threshold = float(np.quantile(np.concatenate(strange), 1 - KNOWN_REFUSED))
    if stop():
        raise Interrupted
    found_out = audit(pictures.rows, pictures.labels)
    p = np.concatenate(found)
    return Study(version, pictures, np.concatenate(tested), p, threshold, found_out)


def folds(labels: Labels, keys: Sequence[str]) -> Labels:
    """A fold for each picture, by its content; −1 for the only one of its class.

    Parameters
    ----------
    labels : ndarray of int
    keys : sequence of str
    """
    order = np.lexsort((np.array(keys), labels))
    counts = np.bincount(labels)
    starts = np.cumsum(counts) - counts
    n_folds = int(np.clip(counts[counts > 1].min(initial=FOLDS), 2, FOLDS))
    found = np.empty(len(labels), np.intp)
    found[order] = (np.arange(len(order)) - starts[labels[order]] + labels[order]) % n_folds
    return np.where(counts[labels] > 1, found, -1)


def curve(pictures: Exercises, stop: Stop) -> Iterator[tuple[int, float, float]]:
    """Accuracy against the number of pictures of each class, measured on all other pictures.

    Parameters
    ----------
    pictures, stop
        As of `held_out`.

    Yields
    ------
    size : int
    accuracy : float
    error : float
        Standard error of the mean over the drawings.
    """
    counts = np.bincount(pictures.labels)
    random = np.random.default_rng(0)
    for size in (size for size in SIZES if size < counts.max()):
        right = []
        for _ in range(DRAWINGS):
            if stop():
                raise Interrupted
            order = random.permutation(len(pictures.labels))
            chosen = _first_of_each(pictures.labels, order, size)
            lesson = pictures.lesson(chosen)
            if lesson.fitted is None or chosen.all():
                continue
            best = lesson.fitted.probabilities(pictures.rows[~chosen]).argmax(axis=1)
            names = np.array(pictures.names)
            right.append(np.mean(lesson.fitted.classes[best] == names[pictures.labels[~chosen]]))
        if right:
            yield size, float(np.mean(right)), float(np.std(right) / np.sqrt(len(right)))


def _first_of_each(labels: Labels, order: Labels, size: int) -> NDArray[np.bool_]:
    """So many pictures of each class, the first ones of an order; always one less than all."""
    chosen = np.zeros(len(labels), bool)
    for label in np.unique(labels):
        own = order[labels[order] == label]
        chosen[own[: max(1, min(size, len(own) - 1))]] = True
    return chosen
