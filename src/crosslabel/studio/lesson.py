"""What has been taught so far, and the model that knows it: a value, and ways to the next one.

A picture added or taken out changes the statistics of its class, exactly; with the settings kept,
only that class's atoms are learnt anew, in milliseconds: that is the quick model, which decides by
each class's own atoms. When there is time, the settings are chosen by held-out pictures, and the
full model is learnt: the classifier's own defaults. Both come from what is there: a picture that
was taken out has no say in either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from crosslabel.core.backend import energies, one_thread
from crosslabel.core.scaling import Array
from crosslabel.flagship.choice import Choice
from crosslabel.flagship.choose import Distinct, choose, named_choice
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.novelty import beside_others
from crosslabel.flagship.problem import Settings, Wish
from crosslabel.flagship.race import LOCAL
from crosslabel.flagship.train import Before, train
from crosslabel.intake.lift import Lift
from crosslabel.intake.summary import Summary

ATOMS = 15
KEPT = 1000
RULE = LOCAL
"""Of the quick model: each class by its own atoms, so that a change of one concerns no other."""


@dataclass(frozen=True)
class Lesson:
    """Statistics of the pictures, the settings, and the models.

    Attributes
    ----------
    summary : Summary
        Its labels are names that the studio gives to classes, and keeps when people rename them.
    choice : Choice
        Of the quick model.
    quick : Fitted or None
        None until two classes have pictures.
    full : Fitted or None
        None until there was time to learn it.
    """

    summary: Summary
    choice: Choice
    quick: Fitted | None = None
    full: Fitted | None = None

    @property
    def fitted(self) -> Fitted | None:
        """The best model that there is now."""
        return self.full or self.quick


def _wish(rule: str) -> Wish:
    return Wish(Settings(atoms_per_class=ATOMS), rule=rule, ridge="auto")


def first_lesson(width: int) -> Lesson:
    """Before any picture.

    Parameters
    ----------
    width : int
        Features of a picture.
    """
    lift = Lift(unit=True)
    summary = Summary.empty(width, np.dtype(np.float64), lift, size=KEPT, seed=0)
    return Lesson(summary, named_choice(_wish(RULE), lift))


Batch = tuple[Sequence[Array], Sequence[str]]
"""Rows of pictures and their labels."""

NOTHING: Batch = ((), ())


def taught(lesson: Lesson, added: Batch = NOTHING, removed: Batch = NOTHING) -> Lesson:
    """The lesson after pictures came and went; the settings stay.

    Parameters
    ----------
    lesson : Lesson
    added, removed : Batch
        What goes must have come before.
    """
    summary = lesson.summary
    if removed[0]:
        summary = summary.remove(np.stack(removed[0]), np.array(removed[1]))
    if added[0]:
        summary = summary.absorb(np.stack(added[0]), np.array(added[1]))
    return _learnt(lesson, summary, lesson.choice)


def settled(lesson: Lesson) -> Lesson:
    """The lesson with settings that its own pictures choose, and with its full model.

    Parameters
    ----------
    lesson : Lesson
    """
    if lesson.quick is None:
        return lesson
    summary, samples = lesson.summary, Distinct.kept(lesson.summary)
    quick = _learnt(lesson, summary, choose(samples, _wish(RULE), summary.lift))
    choice = choose(samples, _wish("auto"), summary.lift)
    with one_thread():
        full = train([summary] * len(choice.members), choice, summary.classes)
        # What depends on the dictionary alone is prepared now, not when somebody waits.
        full.probabilities(samples.X[:1])
    return replace(quick, full=full)


def _learnt(lesson: Lesson, summary: Summary, choice: Choice) -> Lesson:
    if len(summary.classes) < 2:
        return Lesson(summary, lesson.choice)
    before = None if lesson.quick is None else Before(lesson.summary, lesson.quick)
    # Systems of a few dozen unknowns: threads would wait for one another.
    with one_thread():
        quick = train([summary] * len(choice.members), choice, summary.classes, before=before)
    return Lesson(summary, quick.choice or choice, quick)


def strangeness(fitted: Fitted, rows: Array) -> Array:
    """How badly the best class explains a picture, beside how badly the others do.

    r_b / r̄ᵖ with r what each class leaves of it by its own atoms, b the best class, r̄ the mean over
    the others and p = 1 − 2/C: the first part of `novelty`, which needs no code over all atoms.

    Parameters
    ----------
    fitted : Fitted
    rows : ndarray of shape (n, n_features)

    Returns
    -------
    ndarray of shape (n,)
    """
    lifted = fitted.view.lifted(rows)
    energy = np.asarray(energies(lifted))
    whole = np.where(energy > 0, energy, 1)[:, None]
    residuals = -np.asarray(fitted.view.own_residuals.scores(lifted)) / whole
    return beside_others(residuals, 1 - 2 / len(fitted.classes))
