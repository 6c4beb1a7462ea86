"""Sparse representation based classification (Wright et al. 2009)."""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from crosslabel.core.backend import ArrayOrTensor, energies, is_tensor, like, namespace
from crosslabel.core.lasso import lasso
from crosslabel.core.memory import check_room
from crosslabel.core.moments import Labels
from crosslabel.core.omp import omp
from crosslabel.core.residuals import class_residuals
from crosslabel.core.scaling import Array
from crosslabel.methods.base import ComparisonMethod
from crosslabel.methods.parameters import DEVICE, POSITIVE, Constraints
from crosslabel.methods.start import class_parts


class SRC(ComparisonMethod):
    r"""Sparse representation based classification: one l1 code over all training samples.

    .. math::

        \hat x = \arg\min_x \|y - A x\|_2^2 + \lambda \|x\|_1, \qquad
        \text{label} = \arg\min_c \|y - A \delta_c(\hat x)\|_2

    with the training samples as the columns of :math:`A`. The robust form adds an identity block
    that takes up gross errors :math:`e` of single features:
    :math:`\min \|y - Ax - e\|_2^2 + \lambda(\|x\|_1 + \|e\|_1)`, and compares
    :math:`\|y - e - A\delta_c(x)\|_2`.

    Parameters
    ----------
    penalty : float, default=1e-2
        λ. The paper solves the constrained form, with an error of 0.05; 0.001 to 0.01 is common.
    robust : bool, default=False
        Add the identity block.
    sparsity : int, default=None
        If given, codes are found by orthogonal matching pursuit with so many atoms, instead of
        the l1 problem.
    normalize : bool, default=True
        Scale samples to unit norm, as in the paper.
    device : str, default=None
        "cuda" or "cpu" predicts there with PyTorch (extra `gpu`), l1 codes
        by FISTA; None uses NumPy, or the device of a tensor that is given as X.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_samples, n_features)
        The training samples, class by class; the identity is not stored.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    J. Wright, A. Y. Yang, A. Ganesh, S. S. Sastry and Y. Ma, "Robust Face Recognition via Sparse
    Representation", IEEE Transactions on Pattern Analysis and Machine Intelligence, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import SRC
    >>> X, y = load_digits(return_X_y=True)
    >>> model = SRC().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:600], y[300:600]) > 0.7)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **ComparisonMethod._parameter_constraints,
        "penalty": POSITIVE,
        "robust": ["boolean"],
        "sparsity": [Interval(Integral, 1, None, closed="left"), None],
        "device": DEVICE,
    }

    def __init__(
        self,
        penalty: float = 1e-2,
        *,
        robust: bool = False,
        sparsity: int | None = None,
        normalize: bool = True,
        device: str | None = None,
    ) -> None:
        self.penalty = penalty
        self.robust = robust
        self.sparsity = sparsity
        self.normalize = normalize
        self.device = device

    def _learn(self, X: Array, labels: Labels) -> None:
        check_room(1, len(X), "samples", "SRC", "Use fewer, or a method that learns a dictionary.")
        self.dictionary_ = X
        self._parts = class_parts(labels)

    def _scores(self, X: Array) -> Array:
        samples = self.dictionary_
        if self.robust:
            xp = namespace(X)
            identity = like(np.eye(X.shape[1]), X)
            upper = xp.concatenate([self._gram, samples], 1)
            gram = xp.concatenate([upper, xp.concatenate([samples.T, identity], 1)])
            codes = self._codes(gram, xp.concatenate([X @ samples.T, X], 1))
            X = X - codes[:, len(samples) :]  # y − e
            codes, correlations = codes[:, : len(samples)], X @ samples.T
        else:
            correlations = X @ samples.T
            codes = self._codes(self._gram, correlations)
        return -class_residuals(energies(X), correlations, self._gram, codes, self._parts)

    def _codes(self, gram: Array, correlations: Array) -> Array:
        if is_tensor(gram):
            return self._device_codes(gram, correlations)
        if self.sparsity is None:
            return lasso(gram, correlations, self.penalty)
        return omp(gram, correlations, self.sparsity)

    def _device_codes(self, gram: ArrayOrTensor, correlations: ArrayOrTensor) -> ArrayOrTensor:
        if self.sparsity is not None:
            raise ValueError(
                f"sparsity={self.sparsity} is matching pursuit, which runs on the CPU only. Use "
                "sparsity=None with a device, or device=None and arrays."
            )
        from crosslabel.core.gpu.fista import lasso as batched_lasso

        return batched_lasso(gram, correlations, self.penalty)
