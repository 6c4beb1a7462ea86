"""Dictionary learning with structured incoherence (Ramirez et al. 2010)."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from crosslabel.core.lasso import lasso
from crosslabel.core.moments import Labels
from crosslabel.core.repulsion import blocks
from crosslabel.core.scaling import Array
from crosslabel.core.span import spanned
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.class_dictionary import CONSTRAINTS, alternate, coherence, local_energies
from crosslabel.methods.parameters import POSITIVE_OR_ZERO, AtomCounts, Constraints, RandomState
from crosslabel.methods.start import class_layout, class_parts, start_atoms


class DLSI(ComparisonMethod):
    r"""Dictionary learning with structured incoherence: class dictionaries that avoid each other.

    .. math::

        \min_{D, A} \sum_i \|X_i - D_i A_i\|_F^2 + \lambda \|A_i\|_1
        + \eta \sum_{i \ne j} \|D_i^\top D_j\|_F^2 \;\text{s.t.}\; \|d\|_2 \le 1

    A query goes to the class with the least :math:`\min_a \|y - D_i a\|_2^2 + \lambda \|a\|_1`.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`; a class gets at
        most as many as it has samples.
    penalty : float, default=1e-2
        λ.
    incoherence : float, default=1e-2
        η. Zero learns each class on its own.
    coherence_cut : float, default=1.0
        Atoms that some atom of another class resembles by more than this in absolute inner
        product are left out of the residual, as the paper does with 0.95; 1 keeps all.
    max_iter : int, default=20
        Most rounds of codes and atoms.
    tol : float, default=1e-3
        Stop when a round lowers the objective by less than this part of it.
    normalize : bool, default=True
        Scale samples to unit norm.
    random_state : int, RandomState instance or None, default=None
        Seeds the start.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_atoms, n_features)
        Atoms, class by class.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom.
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each round; it never rises.
    n_iter_ : int
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    I. Ramirez, P. Sprechmann and G. Sapiro, "Classification and Clustering via Dictionary Learning
    with Structured Incoherence and Shared Features", CVPR 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import DLSI
    >>> X, y = load_digits(return_X_y=True)
    >>> model = DLSI(atoms_per_class=10, random_state=0).fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **CONSTRAINTS,
        "incoherence": POSITIVE_OR_ZERO,
        "coherence_cut": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        atoms_per_class: AtomCounts = 15,
        *,
        penalty: float = 1e-2,
        incoherence: float = 1e-2,
        coherence_cut: float = 1.0,
        max_iter: int = 20,
        tol: float = 1e-3,
        normalize: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.penalty = penalty
        self.incoherence = incoherence
        self.coherence_cut = coherence_cut
        self.max_iter = max_iter
        self.tol = tol
        self.normalize = normalize
        self.random_state = random_state

    def _learn(self, X: Array, labels: Labels) -> None:
        self._layout = layout = class_layout(labels, self._atom_counts(self.atoms_per_class))
        self._name_atoms(layout)
        span = spanned(X)
        D = start_atoms(span.rows, labels, layout, self.random_state)
        samples = [span.rows[part] for part in class_parts(labels)]

        def sweep(D: Array, codes: list[Array]) -> tuple[Array, list[Array], float]:
            moving, codes = blocks(D, self.incoherence), list(codes)
            objective = 0.0
            for c, Y in enumerate(samples):
                own = layout.own(c)
                atoms = moving.D[own]  # before and after they move
                A = lasso(atoms @ atoms.T, Y @ atoms.T, self.penalty, start=codes[c])
                moving.update(own, A.T @ A, A.T @ Y)
                codes[c] = A
                objective += ((Y - A @ atoms) ** 2).sum() + self.penalty * np.abs(A).sum()
            pairs = coherence(moving.gram, layout)
            return moving.D, codes, float(objective + self.incoherence * pairs)

        start: list[Array] = [
            np.zeros((len(Y), layout.per_class[c])) for c, Y in enumerate(samples)
        ]
        D, _, self.objective_trace_ = alternate(sweep, D, start, self.max_iter, self.tol)
        self.dictionary_ = span.lifted(D)
        self.n_iter_ = len(self.objective_trace_)
        resemblance = np.abs(D @ D.T)
        resemblance[layout.labels[:, None] == layout.labels] = 0
        self._kept = resemblance.max(axis=1) <= self.coherence_cut

    def _scores(self, X: Array) -> Array:
        scores = np.empty((len(X), self._layout.n_classes))
        for c in range(self._layout.n_classes):
            own = self._layout.own(c)
            atoms, kept = self.dictionary_[own], self._kept[own]
            residuals, codes = local_energies(X, atoms, self.penalty)
            if not kept.all():
                residuals = ((X - (codes * kept) @ atoms) ** 2).sum(axis=1)
            scores[:, c] = -residuals - self.penalty * np.abs(codes).sum(axis=1)
        return scores
