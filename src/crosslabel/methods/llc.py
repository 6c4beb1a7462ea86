"""Locality-constrained linear coding (Wang et al. 2010)."""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.kmeans import kmeans
from crosslabel.core.locality import locality_codes
from crosslabel.core.scaling import Array
from crosslabel.files.forms import check_attributes, numbers
from crosslabel.intake.checking import check_range, validate_data
from crosslabel.methods.parameters import COUNT, POSITIVE, SEED, Constraints, RandomState
from crosslabel.methods.stored import check_codes
from crosslabel.site import on_site


@on_site
class LLC(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Locality-constrained linear coding: a sample by its nearest atoms, with weights of sum one.

    .. math::

        \min_c \|x - B c\|_2^2 + \lambda' \|c\|_2^2 \;\text{s.t.}\; 1^\top c = 1

    over the k atoms of the codebook nearest to :math:`x`: the fast approximation of the paper, with
    :math:`\lambda'` in units of the trace of the local covariance.

    Parameters
    ----------
    codebook : int or array-like of shape (n_atoms, n_features), default=64
        The atoms, or how many to learn by k-means.
    n_neighbors : int, default=5
        k, as published.
    ridge : float, default=1e-4
        λ', as published.
    random_state : int, RandomState instance or None, default=None
        Seeds k-means.

    Attributes
    ----------
    codebook_ : ndarray of shape (n_atoms, n_features)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    References
    ----------
    J. Wang, J. Yang, K. Yu, F. Lv, T. Huang and Y. Gong, "Locality-constrained Linear Coding for
    Image Classification", CVPR 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import LLC
    >>> X, _ = load_digits(return_X_y=True)
    >>> coder = LLC(codebook=32, n_neighbors=5, random_state=0).fit(X)
    >>> codes = coder.transform(X[:3])
    >>> codes.shape, (codes != 0).sum(axis=1).tolist()
    ((3, 32), [5, 5, 5])
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "codebook": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "n_neighbors": COUNT,
        "ridge": POSITIVE,
        "random_state": SEED,
    }

    def __init__(
        self,
        codebook: int | ArrayLike = 64,
        *,
        n_neighbors: int = 5,
        ridge: float = 1e-4,
        random_state: RandomState = None,
    ) -> None:
        self.codebook = codebook
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the codebook by k-means, or take the one given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        samples = validate_data(self, X, dtype=[np.float64, np.float32], order="C")
        check_range(samples, "Rescale X.")
        if isinstance(self.codebook, Integral):
            seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
            self.codebook_ = kmeans(samples, int(self.codebook), np.random.default_rng(seed))
        else:
            self.codebook_ = check_array(self.codebook, dtype=samples.dtype)
            if self.codebook_.shape[1] != samples.shape[1]:
                raise ValueError(
                    f"The codebook has atoms of {self.codebook_.shape[1]} features, but X has "
                    f"{samples.shape[1]}: give a codebook of the same features."
                )
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Code each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_atoms)
            Rows of sum one, with at most `n_neighbors` non-zero entries.
        """
        check_is_fitted(self)
        samples = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], order="C")
        check_range(samples, "Rescale X.")
        return locality_codes(samples, self.codebook_, self.n_neighbors, self.ridge)

    def check_stored(self) -> None:
        """Refuse a codebook that is no matrix or takes too long, where it comes from a file."""
        check_attributes(vars(self), {"codebook_": numbers("atoms", "features")})
        if hasattr(self, "codebook_"):
            check_codes(min(self.n_neighbors, len(self.codebook_)), self.codebook_)

    @property
    def _n_features_out(self) -> int:
        return len(self.codebook_)
