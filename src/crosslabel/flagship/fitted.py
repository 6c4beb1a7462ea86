"""What training gives: a frozen value that scores, labels, codes and is stored.

A `View` is one way to look at a sample: a lift, a dictionary with its rule, and a discriminant. A
model adds up the evidence of its views; most have one. Whoever holds a `Fitted` holds classes,
dictionary and rule of one moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from crosslabel.core.atoms import SHARED, AtomLayout
from crosslabel.core.backend import ArrayOrTensor, in_type_of, is_tensor, like
from crosslabel.core.coding import ridge_coder
from crosslabel.core.discriminant import Discriminant
from crosslabel.core.rules import RULES, GlobalRule, LocalRule, Rule
from crosslabel.core.rules.rule import evidence
from crosslabel.core.scaling import Array
from crosslabel.flagship.choice import Choice
from crosslabel.intake.devices import scores_beside
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.lift import Lift, State

# A rule costs about C·(k + s)³ operations. A dictionary that asks for far more than its own size
# explains was not learnt: it would stop whoever loads it.
WORK, WORK_PER_VALUE = 1e10, 1e5

STRANGERS_RIDGE = 0.01
"""Of the codes whose residuals tell whether a query is of any class."""


@dataclass(frozen=True, eq=False)
class View:
    """Evidence a·e + b·g for each class: e of the dictionary's rule, g of the discriminant.

    Attributes
    ----------
    lift : Lift
    dictionary : ndarray of shape (n_atoms, n_lifted_features)
    layout : AtomLayout
    rule : str
        A name in `RULES`.
    ridge : float
    share : float
        a, the weight of the rule's evidence.
    discriminant : Discriminant or None
    discriminant_share : float
        b.
    is_half : bool
        Whether the rule keeps what it multiplies queries with in bfloat16.
    """

    lift: Lift
    dictionary: Array
    layout: AtomLayout
    rule: str
    ridge: float
    share: float = 1.0
    discriminant: Discriminant | None = None
    discriminant_share: float = 0.0
    is_half: bool = False

    @cached_property
    def prepared(self) -> Rule:
        """The rule with all that depends on the dictionary alone."""
        rule = RULES[self.rule](self.dictionary, self.layout, self.ridge)
        return rule.halved() if self.is_half else rule

    @cached_property
    def coder(self) -> Array:
        """Φ with ridge codes x = yΦᵀ over all atoms."""
        return ridge_coder(self.dictionary, self.ridge)

    @cached_property
    def own_residuals(self) -> Rule:
        """What each class leaves of a query by its own atoms alone, with little ridge."""
        return LocalRule(self.dictionary, self.layout, STRANGERS_RIDGE)

    @cached_property
    def claims(self) -> Rule:
        """Residuals over coefficient mass of a code over all atoms, with little ridge."""
        return GlobalRule(self.dictionary, self.layout, STRANGERS_RIDGE)

    def lifted(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """Queries as the dictionary was learnt from them, in its precision."""
        lift = self.lift if self.lift.kernel is None else self.beside(X).lift
        return in_type_of(self.dictionary, lift(X))

    def scores(self, lifted: ArrayOrTensor) -> ArrayOrTensor:
        """Scores by the rule alone."""
        if is_tensor(lifted) and not RULES[self.rule].takes_tensors:
            return scores_beside(self.prepared, lifted)
        return self.beside(lifted).prepared.scores(lifted)

    def beside(self, X: ArrayOrTensor) -> View:
        """The view on the device of a tensor, where its rules are prepared too; made once."""
        if not is_tensor(X):
            return self
        if X.device not in self._elsewhere:
            self.keep_beside(like(self.dictionary, X))
        return self._elsewhere[X.device]

    def keep_beside(self, dictionary: ArrayOrTensor, lift: Lift | None = None) -> None:
        """Keep the view on a device, from copies of the dictionary and the lift that lie there."""
        g, there = self.discriminant, None
        if g is not None:
            there = Discriminant(like(g.weights, dictionary), like(g.offsets, dictionary))
        lift = lift or self.lift.beside(dictionary)
        moved = replace(self, lift=lift, dictionary=dictionary, discriminant=there)
        self._elsewhere[dictionary.device] = moved

    @cached_property
    def _elsewhere(self) -> dict[object, View]:
        return {}

    def evidence(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """a·e + b·g of each class, (n_queries, n_classes), in float64."""
        lifted = self.lifted(X)
        found = self.share * evidence(self.scores(lifted))
        if self.discriminant is not None:
            g = self.beside(lifted).discriminant.scores(lifted)  # type: ignore[union-attr]
            found = found + self.discriminant_share * (g - g.mean(axis=1, keepdims=True))
        return found

    def raised(self, offsets: Array) -> View:
        """The view with a constant added to the evidence of each class, by its discriminant."""
        known, b = self.discriminant, self.discriminant_share
        if known is None:
            shape = (len(offsets), self.dictionary.shape[1])
            known, b = Discriminant(np.zeros(shape, self.dictionary.dtype), np.zeros(shape[0])), 1.0
        shifted = (known.offsets + offsets / b).astype(known.weights.dtype)
        return replace(self, discriminant=replace(known, offsets=shifted), discriminant_share=b)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained model.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Labels; a class that has no samples yet has no atoms.
    views : tuple of View
        The first is the one whose dictionary is shown.
    trace : ndarray
        Objective after each iteration.
    unused : ndarray of int
        Atoms that no training code uses.
    apart : tuple of list of float
        The trace of each class, where classes are problems of their own; else empty.
    rule_scores : dict
        Held-out accuracy of each rule that was tried.
    choice : Choice, optional
        What the views were learnt from; not stored.
    """

    classes: ClassLabels
    views: tuple[View, ...]
    trace: Array
    unused: NDArray[np.intp]
    apart: tuple[list[float], ...] = ()
    rule_scores: dict[str, float] = field(default_factory=dict)
    choice: Choice | None = None

    @property
    def view(self) -> View:
        """The view whose dictionary is shown."""
        return self.views[0]

    @property
    def is_joint(self) -> bool:
        """Whether more than one rule has a say."""
        return len(self.views) > 1 or self.view.discriminant is not None

    def raised(self, offsets: Array) -> Fitted:
        """The model with a constant added to the log-probability of each class.

        Parameters
        ----------
        offsets : ndarray of shape (n_classes,)
        """
        if not offsets.any():
            return self
        return replace(self, views=(self.view.raised(offsets), *self.views[1:]))

    def scores(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """Score of each class for valid queries; the highest wins.

        A single rule's own scores; the evidence of all views where there is more than that.
        """
        if self.is_joint:
            return self.evidence(X)
        return self.view.scores(self.view.lifted(X))

    def logits(self, scores: ArrayOrTensor) -> ArrayOrTensor:
        """The evidence that belongs to scores of this model."""
        return scores if self.is_joint else self.view.share * evidence(scores)

    def evidence(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """log p of each class up to a constant of the query, in float64."""
        return sum(view.evidence(X) for view in self.views)

    def probabilities(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """p of each class, (n_queries, n_classes)."""
        found = self.evidence(X)
        return in_type_of(
            self.view.dictionary, found.softmax(1) if is_tensor(found) else softmax(found, axis=1)
        )

    def decisions(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """The scores; of two classes log p₁/p₀, which grows with the probability of the second."""
        if len(self.classes) != 2:
            return self.scores(X)
        found = self.evidence(X)
        return in_type_of(self.view.dictionary, found[:, 1] - found[:, 0])

    def codes(self, X: ArrayOrTensor) -> ArrayOrTensor:
        """Ridge codes over all atoms of the view that is shown."""
        lifted = self.view.lifted(X)
        return lifted @ like(self.view.coder, lifted).T

    def to_state(self) -> dict[str, object]:
        """The model as numbers, text and arrays; the rules follow from them."""
        views = [_view_state(view) for view in self.views]
        return {
            "classes": self.classes,
            "views": views,
            "trace": self.trace,
            "unused": self.unused,
            "rule_scores": self.rule_scores,
        }

    @classmethod
    def from_state(cls, state: State) -> Fitted:
        """A model from what `to_state` gave, checked."""
        n_classes = len(state["classes"])
        views = tuple(_view(each, n_classes) for each in state["views"])
        return cls(**{**state, "views": views})

    @classmethod
    def from_earlier(cls, state: State) -> Fitted:
        """A model from the attributes that files of format 1 hold."""
        layout = layout_of(state["atom_labels_"], len(state["classes_"]))
        check_dictionary(state["dictionary_"], layout, state["rule_"])
        view = View(
            Lift(unit=bool(state["normalize"])),
            state["dictionary_"],
            layout,
            state["rule_"],
            float(state["ridge"]),
            float(state.get("temperature_", 1.0)),
        )
        return cls(
            state["classes_"],
            (view,),
            np.asarray(state["objective_trace_"]),
            state["unused_atoms_"],
            rule_scores=state.get("rule_scores_", {}),
        )


def _view_state(view: View) -> dict[str, object]:
    state = {
        "lift": view.lift.to_state(),
        "dictionary": view.dictionary,
        "atom_labels": view.layout.labels,
        "rule": view.rule,
        "ridge": view.ridge,
        "share": view.share,
        "discriminant_share": view.discriminant_share,
    }
    if view.discriminant is not None:
        state["discriminant"] = dict(view.discriminant.__dict__)
    if view.is_half:
        state["is_half"] = True
    return state


def _view(state: State, n_classes: int) -> View:
    layout = layout_of(state["atom_labels"], n_classes)
    check_dictionary(state["dictionary"], layout, state["rule"])
    found, is_half = state.get("discriminant"), bool(state.get("is_half", False))
    if is_half and not (RULES[state["rule"]].halves and state["dictionary"].dtype == np.float32):
        raise ValueError(f"the rule {state['rule']!r} of this dictionary has no form in bfloat16")
    return View(
        Lift.from_state(state["lift"]),
        state["dictionary"],
        layout,
        state["rule"],
        float(state["ridge"]),
        float(state["share"]),
        None if found is None else Discriminant(**found),
        float(state["discriminant_share"]),
        is_half,
    )


def layout_of(labels: NDArray[np.intp], n_classes: int) -> AtomLayout:
    """The layout whose labels these are."""
    # Before they are counted: a count takes as much memory as the largest label says.
    if labels.ndim != 1 or labels.dtype.kind != "i" or not len(labels) or labels.max() >= n_classes:
        raise ValueError(f"atom_labels_ does not list atoms of {n_classes} classes")
    shared = int(np.count_nonzero(labels == SHARED))
    sizes = np.bincount(labels[labels >= 0], minlength=n_classes)
    layout = AtomLayout(shared, tuple(sizes.tolist()))
    if not np.array_equal(layout.labels, labels):
        raise ValueError("atom_labels_ does not list the shared atoms and then those of each class")
    return layout


def check_dictionary(dictionary: NDArray[np.generic], layout: AtomLayout, rule: str) -> None:
    """Refuse a dictionary that its layout or its rule does not fit."""
    if dictionary.ndim != 2 or len(dictionary) != layout.n_atoms or dictionary.dtype.kind != "f":
        raise ValueError(
            f"dictionary_ is {dictionary.dtype} of shape {dictionary.shape}, but atom_labels_ has "
            f"{layout.n_atoms} atoms"
        )
    if rule not in RULES:
        raise ValueError(f"there is no rule {rule!r}")
    work = layout.n_classes * (layout.shared + max(layout.per_class)) ** 3.0
    if work > WORK + WORK_PER_VALUE * dictionary.size:
        raise ValueError(
            f"dictionary_ of shape {dictionary.shape} is too small for the {layout.shared} shared "
            f"atoms and up to {max(layout.per_class)} of each class that it says it has"
        )
