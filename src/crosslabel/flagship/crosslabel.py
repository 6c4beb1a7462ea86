"""The flagship: cross-label suppression with group regularization (Wang and Gu, 2017)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.backend import is_tensor
from crosslabel.core.coding import ridge_coder
from crosslabel.core.initialise import INITIALISERS, Initialiser
from crosslabel.core.memory import check_room
from crosslabel.core.objective import Penalties
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array, row_norms, unit_rows
from crosslabel.core.solver import Callback, Solution
from crosslabel.flagship.incremental import STREAM_CONSTRAINTS
from crosslabel.flagship.out_of_core import OutOfCoreMixin
from crosslabel.flagship.probability import ProbabilityMixin
from crosslabel.flagship.progress import CallbackSupportMixin, Progress, with_callbacks
from crosslabel.flagship.rejection import NoveltyMixin
from crosslabel.flagship.rule_choice import RuleChoiceMixin
from crosslabel.flagship.solvers import SOLVERS
from crosslabel.flagship.stored import StoredWithoutRule
from crosslabel.flagship.training import TrainingSet
from crosslabel.intake.devices import (
    device_for,
    in_type_of,
    initialiser,
    like,
    rule_scores,
)
from crosslabel.intake.partitions import over_partitions
from crosslabel.intake.sources import is_out_of_core

INSTEAD = "Use solver='class', whose cost is linear in the number of classes, or fewer atoms."


class CrossLabelClassifier(
    NoveltyMixin,
    StoredWithoutRule,
    CallbackSupportMixin,
    OutOfCoreMixin,
    RuleChoiceMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ProbabilityMixin,
):
    r"""Supervised dictionary learning by cross-label suppression with group regularization.

    Learns unit-norm atoms :math:`D`, some for each class and some shared by all, and codes
    :math:`X^c` of each class's samples :math:`Y^c` (columns, as in the paper):

    .. math::

        \min_{D, X} \sum_c \|Y^c - D X^c\|^2 + \beta \|X^c\|^2 + \lambda \|P^c X^c\|^2
        + \gamma \operatorname{tr}(X^c \tilde L^c X^{c\top}), \quad \|d_k\| = 1

    where :math:`P^c` keeps the coefficients on other classes' atoms and :math:`\tilde L^c` is the
    normalised Laplacian of the complete graph on the class's samples. Codes have a closed form;
    the objective never rises. Training depends on the samples only through each class's count,
    mean and scatter, so that its cost per iteration does not grow with their number.

    Parameters
    ----------
    atoms_per_class : int or sequence of int, default=15
        Atoms of each class, or one number per class in the order of `classes_`. A class gets at
        most as many as it has distinct samples.
    shared_atoms : int, default=0
        Atoms that all classes use freely.
    ridge : float, default=8e-3
        β, the weight of the codes' energy, in training and in prediction. Zero is allowed where
        the atoms of each class are linearly independent.
    suppression : float, default=2e3
        λ, the weight of the energy on other classes' atoms.
    grouping : float, default=2e-2
        γ, how strongly the codes of a class are pulled together.
    rule : {"auto", "global", "local"}, default="auto"
        "global" codes a query over all atoms and compares residuals over coefficient mass (GCC);
        "local" codes it over each class's atoms alone and compares residuals (LCC); "auto" takes
        the better of the two by 5-fold cross-validation on the training data, which ends early
        where one is clearly better.
    normalize : bool, default=True
        Scale each sample to unit norm, the paper's convention. A sample of zeros stays zero; all
        classes then score the same, and the first one is predicted.
    init : {"kmeans", "random"}, callable or array-like, default="kmeans"
        The starting dictionary: centroids of each class, with centroids of the residuals for
        shared atoms; random training samples; the result of
        ``init(X, labels, layout, ridge, rng, sample_weight)``; or an array of shape
        (n_atoms, n_features), shared atoms first, then those of each class as in `classes_`.
    max_iter : int, default=20
        Most iterations.
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this part of it.
    solver : {"exact", "paper", "class"}, default="exact"
        "exact" minimises over the codes in closed form. "paper" is Algorithm 1 literally, with one
        fixed-point step of the codes per iteration: slow, for comparison. "class" is the limit of
        very large `suppression`: codes live on own and shared atoms, and cost is linear in the
        number of classes.
    warm_start : bool, default=False
        Start from the dictionary of the previous `fit`, if its shape and classes still fit.
    random_state : int, RandomState instance or None, default=None
        Seeds the start and the folds. Results do not depend on the order of the samples nor on
        the names of the classes.
    verbose : int, default=0
        Print the objective after each iteration.
    probability : bool, default=False
        Enable `predict_proba`, calibrated by 5-fold cross-validation on the training data.
    warm_iter : int, default=3
        Iterations after each batch of `partial_fit`; with 0 the dictionary waits for `refit`.
    kept_samples : int, default=1000
        Most samples of each class that a stream keeps, for the start, the choice of the rule and
        the calibration; never fewer than its atoms. The statistics are of all samples.
    memory_limit : int, default=2**30
        Bytes that a pass over an array on disk may take beside the statistics. A memmap of up to a
        quarter of it is an array like any other.
    checkpoint : path, default=None
        File that such a pass writes now and then, and from which it resumes; removed at the end.
    device : str, default=None
        "cuda", "cuda:1" or "cpu" trains and predicts there with PyTorch (extra `gpu`), with the
        "exact" solver; None uses NumPy, or the device of a tensor that is given as X. Arrays give
        arrays and tensors give tensors on their own device; attributes are always arrays.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_atoms, n_features)
        Unit-norm atoms: shared ones first, then those of each class.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom; −1 for a shared atom.
    classes_ : ndarray of shape (n_classes,)
    objective_trace_ : ndarray of shape (n_iter_,)
        Objective after each iteration.
    n_iter_ : int
    unused_atoms_ : ndarray of int
        Indices of atoms that no training code uses; they keep their last value.
    rule_ : {"global", "local"}
        The rule that predicts.
    rule_scores_ : dict
        Accuracy of each rule on the training samples that were held out for the choice; empty
        where there was none.
    temperature_ : float
        Scale of the calibrated probabilities, with ``probability=True``.
    statistics_ : ClassStatistics
        Of all samples learnt from; not part of a saved model unless `partial_fit` made it.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    References
    ----------
    X. Wang and Y. Gu, "Cross-label Suppression: A Discriminative and Fast Dictionary Learning with
    Group Regularization", IEEE Transactions on Image Processing, 2017, arXiv:1705.02928.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from crosslabel import CrossLabelClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    >>> model = CrossLabelClassifier(random_state=0).fit(X, y)
    >>> bool(model.score(X_test, y_test) > 0.97)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "atoms_per_class": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "shared_atoms": [Interval(Integral, 0, None, closed="left")],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "suppression": [Interval(Real, 0, None, closed="left")],
        "grouping": [Interval(Real, 0, None, closed="left")],
        "rule": [StrOptions({"auto", *RULES})],
        "normalize": ["boolean"],
        "init": [StrOptions(set(INITIALISERS)), callable, "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions(set(SOLVERS))],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "probability": ["boolean"],
        **STREAM_CONSTRAINTS,
        "device": [str, None],
    }

    def __init__(
        self,
        *,
        atoms_per_class: int | Sequence[int] = 15,
        shared_atoms: int = 0,
        ridge: float = 8e-3,
        suppression: float = 2e3,
        grouping: float = 2e-2,
        rule: Literal["auto", "global", "local"] = "auto",
        normalize: bool = True,
        init: Literal["kmeans", "random"] | Initialiser | ArrayLike = "kmeans",
        max_iter: int = 20,
        tol: float = 1e-4,
        solver: Literal["exact", "paper", "class"] = "exact",
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        probability: bool = False,
        warm_iter: int = 3,
        kept_samples: int = 1000,
        memory_limit: int = 2**30,
        checkpoint: str | os.PathLike[str] | None = None,
        device: str | None = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.shared_atoms = shared_atoms
        self.ridge = ridge
        self.suppression = suppression
        self.grouping = grouping
        self.rule = rule
        self.normalize = normalize
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.probability = probability
        self.warm_iter = warm_iter
        self.kept_samples = kept_samples
        self.memory_limit = memory_limit
        self.checkpoint = checkpoint
        self.device = device

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the dictionary, and choose the rule where it is "auto".

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; also an array on disk (memmap, Zarr, HDF5, the path of an .npy file or
            of a folder of .npy shards) or a Dask array or dataframe: see docs/streaming.md.
        y : array-like of shape (n_samples,)
            Their labels, of any type and in any order.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two equals the sample twice; zero equals its absence.

        Returns
        -------
        self
        """
        self._validate_params()
        if is_out_of_core(X, self.memory_limit):
            return self._fit_pass(X, y, sample_weight)
        training = self._training_set(X, y, sample_weight)
        self._remember(training)
        layout = self._layout(training)
        start = self._last_dictionary(training, layout)
        return self._solve(training, layout, start, X, y)

    def _solve(
        self,
        training: TrainingSet,
        layout: AtomLayout,
        start: Array | None,
        X: ArrayLike,
        y: ArrayLike,
    ) -> Self:
        """Learn the dictionary from a start, or from a new one; choose and prepare the rule."""
        rng_start, rng_folds = np.random.default_rng(self._seed).spawn(2)
        new_start = start is None
        if start is None:
            start = self._start(training, layout, rng_start)
        with Progress(self, X, y, self._n_folds) as progress:
            solution = self._learn(training, layout, start, progress.iteration)
            self._store(training, layout, solution)
            # Whether the classes were learnt apart, from a start that has seen none of the others.
            self._settled = new_start and bool(self._traces)
            self._choose_rule(training, rng_folds, progress)
            self._prepare()
        return self

    def _training_set(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> TrainingSet:
        device = device_for(X, self.device)
        samples, labels, weights = self._check_weighted_training(X, y, sample_weight)
        training = TrainingSet.collect(samples, labels, len(self.classes_), weights, self._scaled)
        return replace(training, device=device)

    def _layout(self, training: TrainingSet) -> AtomLayout:
        """Atoms of each class, in canonical class order."""
        sizes, n_classes = np.asarray(self.atoms_per_class), len(self.classes_)
        if sizes.shape not in {(), (n_classes,)} or sizes.dtype.kind not in "iu":
            raise ValueError(
                f"atoms_per_class must be an integer, or one integer for each of the "
                f"{n_classes} classes; got {self.atoms_per_class!r}."
            )
        if sizes.min() < 1:
            raise ValueError(
                f"Every class needs at least one atom, but atoms_per_class has {sizes.min()}."
            )
        if sizes.ndim and training.n_classes < n_classes:
            sizes = sizes[self._seen]
        # A dictionary that is given may hold more atoms than there are samples.
        return training.layout(sizes, self.shared_atoms, limited=isinstance(self.init, str))

    def _start(self, training: TrainingSet, layout: AtomLayout, rng: np.random.Generator) -> Array:
        """The starting dictionary, in canonical class order."""
        if isinstance(self.init, str):
            make = initialiser(self.init, training.device)
            return make(training.X, training.labels, layout, self.ridge, rng, training.weights)
        named, _ = layout.reordered(training.by_name)
        given: Any = self.init
        if callable(given):
            labels = training.classes[training.labels]
            given = given(training.X, labels, named, self.ridge, rng, training.weights)
        return _in_order(self._check_dictionary(given, named, training), named, training.classes)

    def _last_dictionary(self, training: TrainingSet, layout: AtomLayout) -> Array | None:
        """The dictionary of the previous fit, for a warm start; None where none fits.

        Folds never start from it: it has seen the samples that they hold out.
        """
        if not (self.warm_start and hasattr(self, "dictionary_")):
            return None
        named, _ = layout.reordered(training.by_name)
        same = np.array_equal(self.atom_labels_, named.labels)
        if not same or self.dictionary_.shape[1] != training.X.shape[1]:
            return None
        return _in_order(self.dictionary_.astype(training.X.dtype), named, training.classes)

    def _check_dictionary(
        self, given: ArrayLike, layout: AtomLayout, training: TrainingSet
    ) -> Array:
        given = self._rows_of_seen(given)
        start = check_array(given, dtype=training.X.dtype, input_name="init", copy=True)
        expected = (layout.n_atoms, training.X.shape[1])
        if start.shape != expected:
            raise ValueError(
                f"The dictionary given as init has shape {start.shape}, but {layout.shared} shared "
                f"atoms and {layout.n_atoms - layout.shared} atoms of {layout.n_classes} classes "
                f"over {expected[1]} features need {expected}."
            )
        zeros = np.flatnonzero(row_norms(start) == 0)
        if zeros.size:
            raise ValueError(
                f"Atom {zeros[0]} of the dictionary given as init is zero and has no direction. "
                "Replace it, for example by a training sample."
            )
        return unit_rows(start)

    def _learn(
        self,
        training: TrainingSet,
        layout: AtomLayout,
        start: Array,
        callback: Callback | None = None,
        max_iter: int | None = None,
    ) -> Solution:
        penalties = Penalties(float(self.ridge), float(self.suppression), float(self.grouping))
        if self.solver == "exact":
            # The Gram matrix, its factor and the moment XᵀX.
            check_room(3, layout.n_atoms, "atoms", "solver='exact'", INSTEAD)
        with training.naming(self.classes_[self._seen]):
            return SOLVERS[self.solver](
                training, start, layout, penalties, max_iter or self.max_iter, self.tol, callback
            )

    def _store(self, training: TrainingSet, layout: AtomLayout, solution: Solution) -> None:
        """Keep the solution with the classes in the order of their names."""
        named, atoms = layout.reordered(training.by_name)
        self.dictionary_ = np.ascontiguousarray(solution.dictionary[atoms])
        self.atom_labels_ = named.labels
        self.objective_trace_ = np.array(solution.trace)
        self.n_iter_ = len(solution.trace)
        self._traces = [solution.apart[c] for c in training.by_name] if solution.apart else []
        self.unused_atoms_ = np.flatnonzero(solution.unused[atoms])
        self._atom_layout = named
        self._keep_places()

    def _prepare(self) -> None:
        """Compute once what every prediction needs."""
        self._rule = RULES[self.rule_](self.dictionary_, self._atom_layout, self.ridge)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_rule")

    def _class_scores(self, X: Array) -> Array:
        return rule_scores(self._rule, in_type_of(self.dictionary_, X))

    @over_partitions
    def transform(self, X: ArrayLike) -> Array:
        """Ridge codes over all atoms: x = yDᵀ(DDᵀ + βI)⁻¹.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, n_atoms)
        """
        return self._codes(self._check_queries(X))

    def _codes(self, samples: Array) -> Array:
        coder = ridge_coder(self.dictionary_, self.ridge)
        return in_type_of(coder, samples) @ like(coder, samples).T

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Samples that codes stand for: the codes times the dictionary.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_atoms)

        Returns
        -------
        ndarray of shape (n_queries, n_features)
        """
        check_is_fitted(self)
        codes: Any = X
        if not is_tensor(X):
            codes = check_array(X, dtype=[np.float64, np.float32], input_name="X")
        if codes.shape[1] != len(self.dictionary_):
            raise ValueError(
                f"X has {codes.shape[1]} codes per row, but the dictionary has "
                f"{len(self.dictionary_)} atoms."
            )
        return codes @ like(self.dictionary_, codes)

    @property
    def _n_features_out(self) -> int:
        return len(self.dictionary_)


def _in_order(dictionary: Array, layout: AtomLayout, order: NDArray[np.intp]) -> Array:
    """Atoms with the classes in another order."""
    return dictionary[layout.reordered(order)[1]]
