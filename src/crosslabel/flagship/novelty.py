"""How far queries are from every class, for a model with atoms of each class."""

from __future__ import annotations

import numpy as np

from crosslabel.core.backend import ArrayOrTensor, energies, in_type_of, namespace
from crosslabel.core.rules import RULES, LocalRule
from crosslabel.flagship.fitted import Fitted

_EXACT = np.zeros(0)
"""Ratios of residuals are taken in double precision."""


def novelty(fitted: Fitted, X: ArrayOrTensor) -> ArrayOrTensor:
    """How badly the best class explains a query, beside how badly the others do.

    r and s are what a class leaves of the query by its own atoms alone and by its part of a code
    over all atoms, which sees whether one class claims the query; both with little ridge. With
    p = 1 − 2/C for C classes the score is

        r_b / r̄ᵖ · (s_b / s̄)^(p/2),      (r_b / r̄ᵖ)^½ · (s_b / s̄)ᵖ

    for a model that predicts by own atoms, and for one that does by a code over all: what the rule
    goes by counts in full, the other by its root. b is the best class, r̄ and s̄ are means over the
    others: the more classes there are, the better these tell what a stranger leaves; of two they
    tell nothing.

    Parameters
    ----------
    fitted : Fitted
    X : ndarray or tensor of shape (n_queries, n_features)

    Returns
    -------
    ndarray of shape (n_queries,)
        In [0, 1]: 0 for a perfect fit, 1 where nothing is explained.
    """
    view = fitted.view
    lifted = view.lifted(X)
    there = view.beside(lifted)
    energy = in_type_of(_EXACT, energies(lifted))
    xp = namespace(energy)
    whole = xp.where(energy > 0, energy, 1)[:, None]
    own, all_atoms = (
        -in_type_of(_EXACT, rule.scores(lifted)) for rule in (there.own_residuals, there.claims)
    )
    trust = 1 - 2 / len(fitted.classes)
    near, claimed = beside_others(own / whole, trust), beside_others(all_atoms, 1.0) ** trust
    found = near * xp.sqrt(claimed) if RULES[view.rule] is LocalRule else xp.sqrt(near) * claimed
    return in_type_of(view.dictionary, found)


def beside_others(residuals: ArrayOrTensor, power: float) -> ArrayOrTensor:
    """The least residual over a power of the mean of the others.

    Parameters
    ----------
    residuals : ndarray of shape (n_queries, n_classes)
    power : float

    Returns
    -------
    ndarray of shape (n_queries,)
        1 where no class leaves anything, as of a row of zeros: none stands out.
    """
    xp = namespace(residuals)
    best = xp.amin(residuals, axis=1)
    others = (residuals.sum(axis=1) - best) / (residuals.shape[1] - 1)
    scale = xp.where(others > 0, others, 1) ** power
    return xp.where(others > 0, best / scale, 1.0)
