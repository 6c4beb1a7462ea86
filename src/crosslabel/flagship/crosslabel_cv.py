"""The flagship with its parameters chosen by cross-validation, in the manner of `RidgeCV`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import get_scorer_names
from sklearn.utils._param_validation import StrOptions

from crosslabel.core.backend import from_device, one_thread
from crosslabel.core.initialise import Initialiser
from crosslabel.core.ordering import row_hashes
from crosslabel.core.scaling import Array
from crosslabel.flagship.answers import HeldOut
from crosslabel.flagship.choice import Choice, Member
from crosslabel.flagship.crosslabel import CrossLabelClassifier
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.fold_scores import Fold, fold_scores, settings_of
from crosslabel.flagship.grid import Setting, settings
from crosslabel.flagship.judging import judged, results
from crosslabel.flagship.lifts import lift_named
from crosslabel.flagship.parameters import CROSS_VALIDATED, Constraints
from crosslabel.flagship.predictor import Predictor
from crosslabel.flagship.problem import SPECTRAL, Settings, Wish
from crosslabel.flagship.splits import Folds, Split, check_splits, content_splits, given_splits
from crosslabel.flagship.stored import EARLIER, Attributes
from crosslabel.flagship.train import train
from crosslabel.intake.checking import Training, check_spread, check_training, checked_weights
from crosslabel.intake.class_weights import ClassWeight, raises, weighed
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.lift import State
from crosslabel.intake.summary import Summary

COMMON = ("shared_atoms", "class_weight", "scale", "init", "max_iter", "tol", "device")
"""Parameters that go to the best estimator as they are."""


def chosen(name: str) -> property:
    """A parameter of the best setting, once there is one."""

    def value(self: CrossLabelClassifierCV) -> object:
        if "best_params_" not in self.__dict__:
            raise AttributeError(f"This {type(self).__name__} is not fitted yet: call fit first.")
        return self.best_params_.get(name)

    return property(value, doc=f"`{name}` of the best setting.")


class CrossLabelClassifierCV(Predictor):
    """`CrossLabelClassifier` with its parameters chosen by cross-validation.

    Far faster than `GridSearchCV` over the same grid: with infinite suppression and no grouping one
    eigendecomposition for each class and fold serves all numbers of atoms, ridges and rules. Other
    settings are learnt, each dictionary once for all rules.

    Parameters
    ----------
    atoms_per_class : sequence of int, default=(8, 15, 30)
        Numbers of atoms to try. An entry may itself be a sequence, one number per class.
    shared_atoms : int, default=0
        Atoms that all classes use freely.
    ridges : sequence of float, default=(1e-3, 1e-2, 1e-1, 5e-1)
        Values of β to try.
    suppressions : sequence of float, default=(inf,)
        Values of λ to try; the paper's range is 0.2, 2, 20, 200, 2000 and inf.
    groupings : sequence of float, default=(0.0,)
        Values of γ to try.
    rules : "auto" or sequence of str, default=("local", "global-length", "joint")
        Rules to try, "auto" for these three: names in `crosslabel.core.rules`, and "joint", the
        local rule with the discriminant of the same statistics. Its two weights, and the
        temperature of all probabilities, come from the folds that are not judged.
    shrinkages : sequence of float, default=(1e-2, 1e-1, 1.0)
        Shrinkages of the joint rule's discriminant to try.
    scale : {"auto", "unit", "standard", "none"}, default="unit"
        As of `CrossLabelClassifier`; "auto" is "unit".
    class_weight : dict, "balanced" or None, default=None
        As of `CrossLabelClassifier`; folds are judged by the same weights and costs.
    cv : int, cross-validation generator or iterable, default=5
        Number of stratified folds, or the splits themselves as in scikit-learn. An integer gives
        folds that do not depend on the order of the samples; with groups, folds that keep these
        together.
    scoring : str or callable, default=None
        Any scorer of scikit-learn; None for accuracy.
    init : {"spectral", "kmeans", "random", "whole-random"} or callable, default="spectral"
        Where iterations start, as of `CrossLabelClassifier`.
    max_iter : int, default=20
        Most iterations where there are any.
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this part of it.
    random_state : int, RandomState instance or None, default=None
        Seeds the folds and the start.
    verbose : int, default=0
        Print the score of each setting.
    device : str, default=None
        As of `CrossLabelClassifier`.

    Attributes
    ----------
    best_estimator_ : CrossLabelClassifier
        Learnt from all samples with the best setting.
    best_score_ : float
        Its mean cross-validated score.
    best_index_ : int
        Its place in `cv_results_`; of equals the first.
    best_params_ : dict
        Its parameters, as `CrossLabelClassifier` takes them.
    atoms_per_class_, suppression_, grouping_, ridge_, rule_, shrinkage_
        The same, one by one; the shrinkage is "auto" where the rule has none.
    cv_results_ : dict
        `params`, `mean_test_score`, `std_test_score`, `rank_test_score`, `split_test_score` of
        shape (n_settings, n_folds), and its columns `split0_test_score`, ….
    classes_, dictionary_, atom_labels_, objective_trace_, n_iter_, unused_atoms_, temperature_
        As of `CrossLabelClassifier`.
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import CrossLabelClassifierCV
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CrossLabelClassifierCV(atoms_per_class=(8, 15), random_state=0)
    >>> bool(model.fit(X[:500], y[:500]).best_score_ > 0.95)
    True
    """

    _scorings: ClassVar[list[object]] = [StrOptions(set(get_scorer_names())), callable, None]
    _parameter_constraints: ClassVar[Constraints] = {**CROSS_VALIDATED, "scoring": _scorings}

    best_params_: Attributes
    best_estimator_: CrossLabelClassifier
    best_score_: float
    best_index_: int
    cv_results_: dict[str, Any]

    atoms_per_class_ = chosen("atoms_per_class")
    suppression_ = chosen("suppression")
    grouping_ = chosen("grouping")
    ridge_ = chosen("ridge")
    rule_ = chosen("rule")
    shrinkage_ = chosen("shrinkage")

    def __init__(
        self,
        *,
        atoms_per_class: Sequence[int | Sequence[int]] = (8, 15, 30),
        shared_atoms: int = 0,
        ridges: Sequence[float] = (1e-3, 1e-2, 1e-1, 5e-1),
        suppressions: Sequence[float] = (math.inf,),
        groupings: Sequence[float] = (0.0,),
        rules: Literal["auto"] | Sequence[str] = ("local", "global-length", "joint"),
        shrinkages: Sequence[float] = (1e-2, 1e-1, 1.0),
        scale: Literal["auto", "unit", "standard", "none"] = "unit",
        class_weight: ClassWeight = None,
        cv: Folds = 5,
        scoring: str | Callable[..., float] | None = None,
        init: str | Initialiser = SPECTRAL,
        max_iter: int = 20,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        device: str | None = None,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.shared_atoms = shared_atoms
        self.ridges = ridges
        self.suppressions = suppressions
        self.groupings = groupings
        self.rules = rules
        self.shrinkages = shrinkages
        self.scale = scale
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.device = device

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose a setting by cross-validation, then learn from all samples with it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two equals the sample twice; zero equals its absence. Scorers are given it.
        groups : array-like of shape (n_samples,), optional
            For splitters: samples of one group are never apart.

        Returns
        -------
        self
        """
        self._validate_params()
        bare = self._bare()
        training = check_training(bare, X, y, sample_weight, self.device)
        training = training if self.class_weight is None else weighed(training, self.class_weight)
        if self.scale == "none":
            check_spread(training.X)
        seed = self._seed()
        grid = self._grid(len(training.classes))
        is_weighted = sample_weight is not None or self.class_weight is not None
        splits = self._splits(X, y, sample_weight, groups, training, seed)
        with one_thread():  # many small systems, by turns of two BLAS libraries
            held_out = self._held_out(grid, splits, training, seed)
            scores = judged(held_out, grid, self.scoring, is_weighted)
        found = results(grid, scores)
        if self.verbose:
            for setting, mean in zip(grid, found.table["mean_test_score"]):
                print(f"[CrossLabelClassifierCV] {mean:.4f} {setting}")
        best = grid[found.best]
        fitted = self._learnt(best, held_out.weights(best), training, seed)
        self.__dict__ = {
            **bare.__dict__,
            "cv_results_": found.table,
            "best_index_": found.best,
            "best_params_": best.parameters,
            "best_score_": float(found.table["mean_test_score"][found.best]),
            "best_estimator_": self._estimator(bare, best, fitted, seed),
            "_fitted": fitted,
        }
        return self

    def _grid(self, n_classes: int) -> list[Setting]:
        return settings(
            n_classes,
            atoms_per_class=self.atoms_per_class,
            suppressions=self.suppressions,
            groupings=self.groupings,
            ridges=self.ridges,
            rules=self.rules,
            shrinkages=self.shrinkages,
        )

    def _splits(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None,
        groups: ArrayLike | None, training: Training,
        seed: int,
    ) -> list[Split]:  # fmt: skip
        """Folds by content for an integer, or those of a splitter."""
        if isinstance(self.cv, Integral) and groups is None:
            return content_splits(training, int(self.cv), seed)
        targets = np.asarray(from_device(y)).ravel()
        weights = checked_weights(from_device(sample_weight), len(targets))
        splits = given_splits(self.cv, X, targets, groups, weights)
        check_splits(splits, training)
        return splits

    def _held_out(
        self, grid: list[Setting], splits: list[Split], training: Training, seed: int
    ) -> HeldOut:
        """Scores of every fold by every setting."""
        rules = list(dict.fromkeys(one.by_dictionary for one in grid))
        shrinkages = list(dict.fromkeys(one.shrinkage for one in grid if one.shrinkage is not None))
        X, classes, labels, weights = training
        hashes, base = row_hashes(X), self._base(seed)
        folds = []
        for rows, test in splits:
            part = Training(X[rows], classes, labels[rows], weights[rows])
            fold = Fold.of(part, X[test], self.scale, hashes[rows])
            folds.append(fold_scores(fold, rules, shrinkages, base))
        return HeldOut(training, splits, folds, self._raises(classes))

    def _base(self, seed: int) -> Settings:
        """What all settings have in common."""
        return Settings(
            shared_atoms=int(self.shared_atoms),
            init=self.init,
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            device=self.device,
            seed=seed,
        )

    def _learnt(self, best: Setting, weights: Array, training: Training, seed: int) -> Fitted:
        """The model of all samples, with the weights that the held-out ones gave."""
        X, classes, _, sample_weights = training
        full = settings_of(best, self._base(seed))
        lift = lift_named(X, sample_weights, Wish(full, scale=self.scale)).lift
        summary = Summary.of(training, lift, seed)
        a, b = [*weights.tolist(), 0.0][:2]
        member = Member(lift, full, best.by_dictionary.rule, a, best.shrinkage, b)
        choice = Choice((member,), n_samples=float(sample_weights.sum()))
        fitted, offsets = train([summary], choice, classes), self._raises(classes)
        return fitted if offsets is None else fitted.raised(offsets)

    def _raises(self, classes: ClassLabels) -> Array | None:
        """What costs add to the logits of each class; None for nothing."""
        return None if self.class_weight is None else raises(self.class_weight, classes)

    def _estimator(
        self, bare: Predictor, best: Setting, fitted: Fitted, seed: int
    ) -> CrossLabelClassifier:
        """The classifier that has the best parameters and the model learnt with them."""
        # The same integer starts the classifier's own fit where it started this one.
        state = self.random_state if isinstance(self.random_state, Integral) else seed
        common = {name: getattr(self, name) for name in COMMON}
        found = CrossLabelClassifier(**best.parameters, **common, random_state=state)
        seen = {
            name: v
            for name, v in vars(bare).items()
            if name in ("n_features_in_", "feature_names_in_")
        }
        found.__dict__.update(seen, _fitted=fitted)
        return found

    def __getstate__(self) -> Attributes:
        """The model is stored once: with the best estimator."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_fitted"}

    def __setstate__(self, state: State) -> None:
        attributes = of_format_1(state) if "normalize" in state else dict(state)
        if "best_estimator_" in attributes:
            attributes["_fitted"] = vars(attributes["best_estimator_"])["_fitted"]
        attributes.setdefault("class_weight", None)  # of earlier versions
        super().__setstate__(attributes)


def of_format_1(state: State) -> Attributes:
    """Attributes from files of format 1, less those that are read from the best estimator."""
    gone = (*EARLIER, "atoms_per_class_", "suppression_", "grouping_", "ridge_", "probability")
    kept = {name: value for name, value in state.items() if name not in gone}
    rule = kept.pop("rule", "auto")
    kept["rules"] = ("global", "local") if rule == "auto" else (rule,)
    kept["scale"] = "unit" if kept.pop("normalize") else "none"
    if kept.pop("solver", "exact") == "class":
        kept["suppressions"] = (math.inf,)
    defaults = CrossLabelClassifierCV().get_params()
    return {**defaults, **kept}
