"""How far queries are from every class, for a model with atoms of each class."""

from __future__ import annotations

import numpy as np

from crosslabel.core.backend import ArrayOrTensor
from crosslabel.core.residuals import energies
from crosslabel.core.scaling import Array
from crosslabel.flagship.fitted import Fitted
from crosslabel.intake.devices import from_device, rule_scores


def novelty(fitted: Fitted, X: ArrayOrTensor) -> Array:
    """How badly the best class explains a query, beside how badly the others do.

    Each class codes the query over its own atoms alone, with little ridge, whichever rule predicts.

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
    lifted = view.lifted(X)
    energy = np.asarray(from_device(energies(lifted)), np.float64)
    residuals = -np.asarray(from_device(rule_scores(view.local_rule, lifted)), np.float64)
    whole = np.where(energy > 0, energy, 1)[:, None]
    return residual_ratio(residuals / whole).astype(view.dictionary.dtype, copy=False)


def residual_ratio(shares: Array) -> Array:
    """r_b / (mean of the other r)^(1 − 2/C): 0 for a perfect fit, 1 where nothing is explained.

    Of a known class, one class explains the query far better than the rest. The more classes there
    are, the better the mean of the others tells what a stranger leaves; of two it tells little.

    Parameters
    ----------
    shares : ndarray of shape (n_queries, n_classes)
        r: what each class leaves of a query's energy, in [0, 1].

    Returns
    -------
    ndarray of shape (n_queries,)
    """
    n_classes, best = shares.shape[1], shares.min(axis=1)
    others = (shares.sum(axis=1) - best) / (n_classes - 1)
    scale = others ** (1 - 2 / n_classes)
    # Where no class leaves anything, as of a row of zeros, none stands out.
    return np.divide(best, scale, out=np.ones_like(best), where=others > 0)
