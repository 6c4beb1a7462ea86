"""How far queries are from every class, for a model with atoms of each class."""

from __future__ import annotations

import numpy as np

from crosslabel.core.backend import ArrayOrTensor
from crosslabel.core.scaling import Array
from crosslabel.flagship.fitted import Fitted
from crosslabel.intake.devices import from_device, rule_scores


def novelty(fitted: Fitted, X: ArrayOrTensor) -> Array:
    """The best class's residual over the mean of the others', by the code over all atoms.

    A code over all atoms shows whether one class claims the query, whichever rule predicts.

    Parameters
    ----------
    fitted : Fitted
    X : ndarray or tensor of shape (n_queries, n_features)

    Returns
    -------
    ndarray of shape (n_queries,)
        In [0, 1].
    """
    view = fitted.view
    return residual_ratio(from_device(rule_scores(view.global_rule, view.lifted(X))))


def residual_ratio(scores: Array) -> Array:
    """The best class's residual over the mean of the others': 0 for a perfect fit, 1 for none.

    Of a known class, one class explains the query far better than the rest; of an unknown one, all
    do about equally badly. The ratio does not depend on how well dictionaries explain anything at
    all, as the best residual alone would: dark images leave large ones in every class.

    Parameters
    ----------
    scores : ndarray of shape (n_queries, n_classes)
        Negated residuals, as the rules give them.

    Returns
    -------
    ndarray of shape (n_queries,)
    """
    residuals = -scores
    best = residuals.min(axis=1)
    others = (residuals.sum(axis=1) - best) / (residuals.shape[1] - 1)
    # Where no class leaves a residual, as with a row of zeros, none stands out.
    return np.divide(best, others, out=np.ones_like(best), where=others > 0)
