"""A closed form learnt on a device: samples stay where they are, the dictionary comes home once.

Lift, order, choice by folds, closed form, discriminant, preparation of the rule and calibration are
torch's; of the samples the host sees the classes' counts and keys, hashes where folds are drawn,
and one number of each held-out sample and setting. The coordinates of a kernel that is chosen,
grouping, shared atoms and what keeps a summary are learnt on the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import (
    ArrayOrTensor,
    device_named,
    from_device,
    is_tensor,
    require_torch,
)
from crosslabel.core.calibration import fit_temperature
from crosslabel.core.discriminant import Discriminant
from crosslabel.core.rules import RULES
from crosslabel.core.solver import Callback
from crosslabel.flagship.calibrate import FEWEST, SAMPLES, spared_classes
from crosslabel.flagship.choice import Member
from crosslabel.flagship.choose import Distinct, choose, named_choice
from crosslabel.flagship.fitted import Fitted, View
from crosslabel.flagship.lifts import lift_named
from crosslabel.flagship.problem import Wish, wanted_atoms
from crosslabel.flagship.race import Tell, silent
from crosslabel.flagship.train import LOOKED_AT
from crosslabel.intake.checking import check_classes, check_several, checked_weights, validate_rows
from crosslabel.intake.devices import tensor_queries
from crosslabel.intake.labels import ClassLabels

if TYPE_CHECKING:
    from torch import Tensor

    from crosslabel.core.gpu.closed_form import ClassRows, Solved
    from crosslabel.core.gpu.ordering import KeptRows


class _Samples(NamedTuple):
    """Valid samples on the device, with labels that are places in `classes`."""

    X: Tensor
    classes: ClassLabels
    labels: Tensor
    weights: Tensor


def fit_there(
    estimator: BaseEstimator,
    X: ArrayLike | Tensor,
    y: ArrayLike | Tensor,
    sample_weight: ArrayLike | None,
    wish: Wish,
    callback: Callback | None = None,
    tell: Tell = silent,
) -> Fitted:
    """The model that `train` would give, learnt on the device of the wish.

    Parameters
    ----------
    estimator : estimator
        Gets `n_features_in_` and `feature_names_in_`.
    X : array-like or tensor of shape (n_samples, n_features)
    y : array-like or tensor of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), optional
    wish : Wish
        That `is_for_device`.
    callback : callable, optional
        Told of the one iteration.
    tell : callable, optional
        Called after each fold that a lift has run.
    """
    samples = _checked(estimator, X, y, sample_weight, wish)
    from crosslabel.core.gpu import ordering  # only now it is known that there is a torch

    n_classes, n_samples = len(samples.classes), float(samples.weights.sum())
    given = samples.X, samples.labels, samples.weights
    kept = ordering.distinct(*given, n_classes, wish.settings.seed)
    rows = samples.X[kept.rows]
    if wish.is_open:
        choice = choose(_known(rows, kept), wish, tell=tell)
    else:
        choice = named_choice(
            wish, lift_named(samples.X, samples.weights, wish).settled(samples.X, wish.n_landmarks)
        )
    views: list[View] = []
    solutions: list[Solved] = []
    # Coordinates of kernels are many more than features: they would be made as wide.
    for _, group in groupby(choice.members, key=lambda member: member.lift.kernel is None):
        for view, found in _learnt(list(group), rows, kept, is_shown=not views):
            views.append(view)
            solutions.append(found)
    values = solutions[0].values.tolist()
    if callback:
        callback(0, float(np.sum(values)))
    both = zip(choice.members, views)
    members = tuple(
        replace(m, lift=view.lift, share=view.share, discriminant=None) for m, view in both
    )
    return Fitted(
        samples.classes,
        tuple(views),
        np.array([np.sum(values)]),
        np.array(solutions[0].unused.nonzero()[:, 0].tolist(), np.intp),
        tuple([value] for value in values),
        choice.scores,
        replace(choice, members=members, n_samples=n_samples),
    )


def _known(rows: Tensor, kept: KeptRows) -> Distinct:
    """The samples as the choice by folds takes them: rows where they lie, all else at home."""
    labels = np.repeat(np.arange(len(kept.counts)), kept.counts)
    hashes = from_device(kept.hashes).view(np.uint64)
    return Distinct(rows, labels, from_device(kept.weights), hashes)


def _learnt(
    members: Sequence[Member], rows: Tensor, kept: KeptRows, *, is_shown: bool
) -> Iterator[tuple[View, Solved]]:
    """Views of a choice, each with its dictionary at home and on the device."""
    from crosslabel.core.gpu.closed_form import ClassRows, closed_form

    counts = np.asarray(kept.counts)
    lifted = [ClassRows.of(member.lift(rows), kept.weights, counts) for member in members]
    layouts = [_layout(member, counts) for member in members]
    spared = np.zeros(0, np.intp)
    if members[0].share is None:  # it is named, and alone
        spared = spared_classes(kept.keys, counts, np.ones(len(counts), bool))
    held = _Held.of(lifted[0], spared)
    per_class = [k for layout in layouts for k in layout.per_class]
    per_class += [layouts[0].per_class[c] for c in spared]
    ridges = np.repeat([member.settings.ridge for member in members], len(counts))
    ridges = np.append(ridges, np.full(len(spared), members[0].settings.ridge))
    looked_at = LOOKED_AT if is_shown else None
    # The classes that set the temperature are learnt again without some samples, with the others.
    every = ClassRows.stacked(lifted).beside(held.counts, held.starts)
    found = closed_form(every, per_class, ridges, looked_at, len(counts))
    classes = atoms = 0
    for member, own, layout in zip(members, lifted, layouts):
        here = slice(classes, classes + len(counts)), slice(atoms, atoms + layout.n_atoms)
        classes, atoms = here[0].stop, here[1].stop
        solved = found.part(*here)
        solved = solved._replace(atoms=solved.atoms[:, : own.X.shape[1]].contiguous())
        again = found.atoms[layout.n_atoms :]
        share = member.share
        if share is None:
            share = _temperature(own, held, member, layout, solved.atoms, again)
        yield _view(member, share, own, layout, solved), solved


def _layout(member: Member, counts: np.ndarray) -> AtomLayout:
    """No class has more atoms than samples."""
    wanted = wanted_atoms(member.settings.atoms_per_class, len(counts))
    return AtomLayout(0, tuple(np.minimum(wanted, counts).tolist()))


def _view(member: Member, share: float, rows: ClassRows, layout: AtomLayout, found: Solved) -> View:
    """A member of a choice with its dictionary, and its discriminant if it has one."""
    from crosslabel.core.gpu.discriminant import within_class

    linear, b = member.discriminant, member.discriminant_share
    if linear is None and member.shrinkage is not None and b > 0:
        there = within_class(rows, member.lift.keeps_features).discriminant(member.shrinkage)
        linear = Discriminant(from_device(there.weights), from_device(there.offsets))
    lift, settings, atoms = member.lift.home(), member.settings, home(found.atoms)
    view = View(lift, atoms, layout, member.rule, settings.ridge, share, linear, b)
    view.keep_beside(found.atoms, member.lift)
    return view


def home(atoms: Tensor) -> np.ndarray:
    """The dictionary as an array on the host: attributes are arrays, wherever they were learnt."""
    return atoms.cpu().numpy()


def _checked(
    estimator: BaseEstimator,
    X: ArrayOrTensor,
    y: ArrayOrTensor,
    sample_weight: ArrayLike | None,
    wish: Wish,
) -> _Samples:
    """Samples, labels and weights that can be learnt from, on the device of the wish."""
    torch, device = require_torch("A device"), device_named(str(wish.settings.device))
    if is_tensor(X):
        samples = tensor_queries(X, estimator.device, X.shape[-1])
        estimator.n_features_in_ = samples.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
    else:
        X, y = validate_rows(estimator, X, from_device(y))
        samples = torch.as_tensor(X, device=device)
    if is_tensor(y):
        seen, labels = torch.unique(y.to(device), return_inverse=True)
        classes = np.array(seen.tolist(), str(y.dtype).removeprefix("torch."))
        check_classes(classes)
    else:
        check_classification_targets(y)
        classes, numbers = np.unique(column_or_1d(np.asarray(y)), return_inverse=True)
        labels = torch.as_tensor(numbers, device=device)
    check_consistent_length(samples, labels)
    weights = torch.as_tensor(
        checked_weights(from_device(sample_weight), len(samples)), device=device
    )
    heavy = weights > 0
    if not bool(heavy.any()):
        raise ValueError("All sample weights are zero: there is no sample to learn from.")
    if not bool(heavy.all()):
        samples, weights = samples[heavy], weights[heavy]
        places, labels = torch.unique(labels[heavy], return_inverse=True)
        classes = classes[places.tolist()]
    check_several(estimator, classes, "y holds")
    return _Samples(samples, classes, labels, weights)


class _Held(NamedTuple):
    """Classes that are learnt again without their first samples, and the stretch that is left."""

    classes: np.ndarray
    n_out: np.ndarray
    counts: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, rows: ClassRows, spared: np.ndarray) -> _Held:
        counts, starts = rows.counts[spared], rows.starts[spared]
        n_out = np.minimum(SAMPLES, counts // FEWEST)
        return cls(spared, n_out, counts - n_out, starts + n_out)


def _temperature(
    rows: ClassRows, held: _Held, member: Member, layout: AtomLayout, atoms: Tensor, again: Tensor
) -> float:
    """As `flagship.calibrate.temperature`, from samples of some classes that are learnt again."""
    if not len(held.classes):
        return 1.0
    out = _spans(held.starts - held.n_out, held.starts)
    D: ArrayOrTensor = atoms.clone()
    queries: ArrayOrTensor = rows.X[out]
    ends = layout.starts[held.classes] + np.asarray(layout.per_class)[held.classes]
    D[_spans(layout.starts[held.classes], ends)] = again
    scores = RULES[member.rule](D, layout, member.settings.ridge).scores(queries)
    weights = np.array(rows.weights[out].tolist())
    return fit_temperature(scores, np.repeat(held.classes, held.n_out), weights)


def _spans(starts: np.ndarray, ends: np.ndarray) -> list[int]:
    """All numbers from each start up to its end."""
    return [k for a, b in zip(starts.tolist(), ends.tolist()) for k in range(a, b)]
