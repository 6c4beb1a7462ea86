"""What the methods with l1 codes over class dictionaries share: parameters, start and queries."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.lasso import lasso
from crosslabel.core.residuals import energies
from crosslabel.core.scaling import Array
from crosslabel.methods.base import Labels, RepresentationClassifier
from crosslabel.methods.canonical import CanonicalClassifier, class_layout, start_atoms


class ClassDictionaryClassifier(CanonicalClassifier):
    """Alternate codes and atoms until the objective settles.

    Subclasses set `self.shared_atoms` where they have shared atoms, and give `_sweep`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RepresentationClassifier._parameter_constraints,
        "atoms_per_class": [Interval(Integral, 1, None, closed="left")],
        "penalty": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    atoms_per_class: int
    penalty: float
    max_iter: int
    tol: float
    random_state: Any
    dictionary_: Array
    objective_trace_: Array
    n_iter_: int
    _layout: AtomLayout

    def _start(self, X: Array, labels: Labels) -> Array:
        shared = getattr(self, "shared_atoms", 0)
        self._layout = class_layout(labels, self.atoms_per_class, shared)
        self._name_atoms(self._layout)
        return start_atoms(X, labels, self._layout, self.random_state)

    def _alternate(self, sweep: Any, D: Array, codes: Any) -> Any:
        """Run `sweep(D, codes) -> D, codes, objective`; set the dictionary and the trace."""
        trace: list[float] = []
        for _ in range(self.max_iter):
            D, codes, objective = sweep(D, codes)
            trace.append(objective)
            if len(trace) > 1 and trace[-2] - trace[-1] <= self.tol * abs(trace[-1]):
                break
        self.dictionary_, self.objective_trace_ = D, np.array(trace)
        self.n_iter_ = len(trace)
        return codes


def local_energies(X: Array, atoms: Array, penalty: float) -> tuple[Array, Array]:
    """Residual ‖y − xD‖² and code of each query over a few atoms: x of the lasso."""
    gram, correlations = atoms @ atoms.T, X @ atoms.T
    codes = lasso(gram, correlations, penalty)
    residuals = energies(X) + np.einsum("ij,ij->i", codes, codes @ gram - 2 * correlations)
    return np.maximum(residuals, 0), codes
