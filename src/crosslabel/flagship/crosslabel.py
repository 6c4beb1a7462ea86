"""The flagship: cross-label suppression with group regularization (Wang and Gu, 2017).

`fit` is here; what a trained model answers is in `predictor`, learning from streams in `streams`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _num_samples

from crosslabel.core.backend import device_of
from crosslabel.core.initialise import Initialiser
from crosslabel.core.ordering import row_hashes
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Callback
from crosslabel.flagship.by_class import ClassSource, exceeds, train_by_class
from crosslabel.flagship.choice import Choice
from crosslabel.flagship.choose import Distinct, choose, most_steps, named_choice
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.lifts import default_lift, lift_named
from crosslabel.flagship.on_device import fit_there
from crosslabel.flagship.parameters import CLASSIFIER, Constraints
from crosslabel.flagship.problem import SPECTRAL, Wish
from crosslabel.flagship.progress import CallbackSupportMixin, Progress, with_callbacks
from crosslabel.flagship.race import Tell, silent
from crosslabel.flagship.stored import Attributes, from_state, to_state
from crosslabel.flagship.streams import StreamLearner
from crosslabel.flagship.train import train
from crosslabel.intake.checking import Training, check_spread, check_training, is_out_of_core
from crosslabel.intake.class_weights import ClassWeight, weighed
from crosslabel.intake.lift import Lift
from crosslabel.intake.summary import Summary


class CrossLabelClassifier(CallbackSupportMixin, StreamLearner):
    r"""Supervised dictionary learning by cross-label suppression with group regularization.

    Learns unit-norm atoms :math:`D`, some for each class and some shared by all, and codes
    :math:`X^c` of each class's samples :math:`Y^c` (columns, as in the paper):

    .. math::

        \min_{D, X} \sum_c \|Y^c - D X^c\|^2 + \beta \|X^c\|^2 + \lambda \|P^c X^c\|^2
        + \gamma \operatorname{tr}(X^c \tilde L^c X^{c\top}), \quad \|d_k\| = 1

    where :math:`P^c` keeps the coefficients on other classes' atoms and :math:`\tilde L^c` is the
    normalised Laplacian of the complete graph on the class's samples. With infinite suppression,
    the default, the best dictionary has a closed form: one small eigendecomposition per class, no
    start and no iteration. Training sees each class's count, mean and scatter alone.

    Parameters
    ----------
    atoms_per_class : "auto", int or sequence of int, default="auto"
        Atoms of each class, or one number per class in the order of `classes_`. A class gets at
        most as many as it has distinct samples. "auto" is 30, or 60 or 120 where classes are large,
        the rule or the ridge is "auto" and the closed form learns: by held-out log loss.
    shared_atoms : int, default=0
        Atoms that all classes use freely.
    ridge : "auto" or float, default="auto"
        β, the weight of the codes' energy, in training and in prediction. "auto" is chosen by the
        log loss of held-out samples.
    suppression : float, default=inf
        λ, the weight of the energy on other classes' atoms. Infinite: codes live on own and shared
        atoms, classes part, and the closed form is exact. A finite value iterates.
    grouping : float, default=0
        γ, how strongly the codes of a class are pulled together.
    rule : {"auto", "joint", "global", "local", ...}, default="auto"
        "global" codes a query over all atoms and compares residuals over coefficient mass (GCC);
        "local" codes it over each class's atoms alone and compares residuals (LCC); "joint" adds
        the discriminant that the same statistics hold, with weights from held-out samples. "auto"
        chooses by held-out log loss, averages what is equally good, and tries `scale`, `offset`
        and `kernel` where these are "auto" too. The other names are in `crosslabel.core.rules`.
    scale : {"auto", "unit", "standard", "none"}, default="auto"
        "unit" scales each sample to unit norm, the paper's convention; "standard" first takes from
        each feature its mean and divides by its deviation; "none" leaves samples as they are.
        "auto" with a rule that is named is "unit". A sample of zeros stays zero: by a single rule
        all classes then score the same, and the first one is predicted.
    offset : "auto" or float, default="auto"
        A constant coordinate beside the features before samples get unit norm: a class may then
        lie off the origin, as in standardised tables. 0 for none.
    kernel : str or callable, default="auto"
        "linear", "rbf", "poly", "precomputed", one of `crosslabel.core.manifolds`, or a function of
        two arrays of rows. "auto" takes "rbf" only where better by more than one standard error.
    n_landmarks : int, default=None
        Training samples that a kernel is reckoned from (Nyström), evenly over their order; None
        for all, which is exact.
    shrinkage : "auto" or float, default="auto"
        Of the joint rule's discriminant: how much of the pooled covariance is replaced by its mean.
    class_weight : dict, "balanced" or None, default=None
        What an error on each class costs, by label; one where none is named. It multiplies the
        weights of the class's samples wherever `sample_weight` acts (in the discriminant, the
        choice and the temperature; within a class a common weight changes no atom), and raises the
        class's log-probability by its logarithm: of two classes that are equally likely the dearer
        one is predicted. The model holds all classes equally likely, whatever their sizes:
        "balanced" therefore shifts nothing, and makes all classes count alike in what is learnt.
    init : {"spectral", "kmeans", "random", "whole-random"}, callable or array-like
        Where iterations start: the closed form (default); centroids of each class, of residuals for
        shared atoms; samples of each class; samples of any class; the result of
        ``init(X, labels, layout, ridge, rng, sample_weight)``; or an array of shape
        (n_atoms, n_features), shared atoms first, then those of each class as in `classes_`.
    max_iter : int, default=20
        Most iterations.
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this part of it.
    solver : {"exact", "accelerated", "paper"}, default="exact"
        "exact" minimises over the codes in closed form. "accelerated" also carries each iteration
        on along the last one: the same objective after a fraction of them. "paper" is Algorithm 1
        literally, with one fixed-point step of the codes per iteration: slow, for comparison.
    warm_start : bool, default=False
        Start from the dictionary of the previous `fit`, if its shape and classes still fit.
    random_state : int, RandomState instance or None, default=None
        Seeds the start and the folds. Results do not depend on the order of the samples nor on
        the names of the classes.
    verbose : int, default=0
        Print the objective after each iteration.
    keep_summary : bool, default=False
        Keep statistics and some samples after `fit`, for `partial_fit`, `forget` and `refit`.
    warm_iter : int, default=3
        Iterations after each batch of `partial_fit` with a finite suppression; with 0 the
        dictionary waits for `refit`.
    kept_samples : int, default=1000
        Most samples of each class that a summary keeps, for the start, the choice of the rule and
        the calibration; never fewer than its atoms. The statistics are of all samples.
    memory_limit : int, default=2**30
        Bytes that a pass over an array on disk may take beside the statistics. A memmap of up to a
        quarter of it is an array like any other. Where rule and ridge are named, the suppression is
        infinite and no summary is to be kept, classes are learnt so few at a time that the work on
        them fits into it; a pass whose summary would not fit keeps none.
    checkpoint : path, default=None
        File that such a pass writes now and then, and from which it resumes; removed at the end.
    device : str, default=None
        "cuda", "cuda:1" or "cpu" predicts there with PyTorch (extra `gpu`), iterates for a finite
        suppression, and chooses and learns what has a closed form; None uses NumPy. Arrays give
        arrays and tensors give tensors on their own device; attributes are always arrays.

    Attributes
    ----------
    dictionary_ : ndarray of shape (n_atoms, n_features)
        Unit-norm atoms: shared ones first, then those of each class.
    atom_labels_ : ndarray of int of shape (n_atoms,)
        Index in `classes_` of the class of each atom; −1 for a shared atom.
    classes_ : ndarray of shape (n_classes,)
    objective_trace_ : ndarray of shape (n_iter,)
        Objective after each iteration; one value in the closed form.
    n_iter_ : int
    optimality_gap_ : float
        With `keep_summary`: what the objective could still fall by with any number of atoms. Zero
        to rounding where there are as many atoms as the best dictionary has dimensions.
    unused_atoms_ : ndarray of int
        Indices of atoms that no training code uses; they keep their last value.
    rule_ : str
        The rule that predicts.
    rule_scores_ : dict
        Accuracy of each rule on the training samples that were held out for the choice; empty
        where there was none.
    temperature_ : float
        Scale of the calibrated probabilities.
    statistics_ : ClassStatistics
        Of all samples learnt from, where the summary is kept.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

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
    >>> bool(CrossLabelClassifier(random_state=0).fit(X, y).score(X_test, y_test) > 0.97)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = CLASSIFIER

    def __init__(
        self,
        *,
        atoms_per_class: Literal["auto"] | int | Sequence[int] = "auto",
        shared_atoms: int = 0,
        ridge: Literal["auto"] | float = "auto",
        suppression: float = math.inf,
        grouping: float = 0.0,
        rule: str = "auto",
        scale: Literal["auto", "unit", "standard", "none"] = "auto",
        offset: Literal["auto"] | float = "auto",
        kernel: str | Callable[[Array, Array], Array] = "auto",
        n_landmarks: int | None = None,
        shrinkage: Literal["auto"] | float = "auto",
        class_weight: ClassWeight = None,
        init: str | Initialiser | ArrayLike = SPECTRAL,
        max_iter: int = 20,
        tol: float = 1e-4,
        solver: Literal["exact", "accelerated", "paper"] = "exact",
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        keep_summary: bool = False,
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
        self.scale = scale
        self.offset = offset
        self.kernel = kernel
        self.n_landmarks = n_landmarks
        self.shrinkage = shrinkage
        self.class_weight = class_weight
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.keep_summary = keep_summary
        self.warm_iter = warm_iter
        self.kept_samples = kept_samples
        self.memory_limit = memory_limit
        self.checkpoint = checkpoint
        self.device = device

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose what is "auto", then learn the dictionary.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, dense or sparse; also an array on disk (memmap, Zarr, HDF5, the path
            of an .npy file or of a folder of .npy shards) or a Dask array or dataframe: see
            docs/guide/streaming.md.
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
        wish = Wish.of(self, self._seed(), device_of(X))
        if not self.verbose and not hasattr(self, "_skl_callbacks"):  # nobody is to be told
            return self._fit(X, y, sample_weight, wish)
        with Progress(self, X, y, *most_steps(_num_samples(X), wish)) as progress:
            told = progress.iteration, progress.trial
            return progress.done(self._fit(X, y, sample_weight, wish, *told))

    def _fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, wish: Wish,
        callback: Callback | None = None, tell: Tell = silent,
    ) -> Self:  # fmt: skip
        """`fit` of samples in memory, which tells of its iterations and trials."""
        bare, seed = self._bare(), wish.settings.seed
        if wish.is_for_device and not self.keep_summary and self.class_weight is None:
            fitted = fit_there(bare, X, y, sample_weight, wish, callback, tell)
            return self._adopt(bare, None, fitted)
        training = check_training(bare, X, y, sample_weight, self.device)
        training = training if self.class_weight is None else weighed(training, self.class_weight)
        if self.scale == "none":
            check_spread(training.X)
        choice = self._choice(training, wish, tell)
        by_class = wish.parts_classes and not self.keep_summary
        if by_class and exceeds(training.X, self.memory_limit):
            empty = self._empty(training.X, choice.members[0].lift, len(training.X), seed)
            source = ClassSource(training.X.__getitem__, *training[1:], empty)
            fitted = train_by_class(source, choice, self.memory_limit, callback)
            return self._adopt(bare, None, self._raised(fitted))
        hashes = row_hashes(training.X)
        summaries = [Summary.of(training, m.lift, seed, hashes) for m in choice.members]
        warm = self.__dict__.get("_fitted") if self.warm_start else None
        fitted = self._train(summaries, choice, training.classes, callback, warm=warm)
        kept = summaries[0].bounded(self._kept()) if self.keep_summary else None
        return self._adopt(bare, kept, fitted)

    def _choice(self, training: Training, wish: Wish, tell: Tell) -> Choice:
        """What is chosen from samples in memory; with one lift where they go on as a stream."""
        if self.keep_summary:
            targets = training.classes[training.labels]
            summary = self._empty_summary(training.X)
            return self._chosen(summary.absorb(training.X, targets, training.weights))
        if not wish.is_open:
            plan = lift_named(training.X, training.weights, wish)
            return named_choice(wish, plan.settled(training.X, wish.n_landmarks))
        return choose(Distinct.of(training), wish, tell=tell)

    def _chosen(self, summary: Summary) -> Choice:
        """What is chosen from the samples that a summary keeps."""
        return choose(Distinct.kept(summary), Wish.of(self, summary.sample.seed), summary.lift)

    def _train(
        self, summaries: Sequence[Summary], choice: Choice, *given: Any, **more: Any
    ) -> Fitted:
        """A trained model that decides by what errors cost."""
        return self._raised(train(summaries, choice, *given, **more))

    def _empty(self, samples: Array, lift: Lift, size: int, seed: int) -> Summary:
        return Summary.empty(samples.shape[1], samples.dtype, lift, size=size, seed=seed)

    def _empty_summary(self, samples: Array) -> Summary:
        """Of a stream, which fixes its lift with the first samples."""
        seed = self._seed()
        return self._empty(samples, default_lift(samples, Wish.of(self, seed)), self._kept(), seed)

    def __getstate__(self) -> Attributes:
        return to_state(super().__getstate__())

    def __setstate__(self, state: Attributes) -> None:
        super().__setstate__(from_state(state))
