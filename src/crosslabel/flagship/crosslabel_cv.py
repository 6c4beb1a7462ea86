"""The flagship with its parameters chosen by cross-validation, in the manner of `RidgeCV`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from numbers import Integral
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.initialise import INITIALISERS
from crosslabel.core.objective import Penalties
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.core.solver import SWEEPS, learn
from crosslabel.flagship.crosslabel import CrossLabelClassifier
from crosslabel.flagship.probability import ProbabilityMixin
from crosslabel.flagship.rejection import NoveltyMixin
from crosslabel.flagship.rule_choice import accuracy
from crosslabel.flagship.training import Fold, TrainingSet, fold_numbers, folds
from crosslabel.methods.base import Labels

WARM_ITERATIONS = 4
"""Iterations from a neighbouring grid point's dictionary: enough to rank settings roughly."""

FINALISTS = 3
"""Dictionaries that are learnt anew for the final ranking, at least; a tenth of a large grid."""


Split = tuple[NDArray[np.intp], NDArray[np.intp]]


class Setting(NamedTuple):
    """One point of the grid."""

    atoms_per_class: Any
    suppression: float
    grouping: float
    ridge: float
    rule: str


Scores = dict[Setting, float]


class CrossLabelClassifierCV(
    NoveltyMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ProbabilityMixin
):
    """`CrossLabelClassifier` with β, λ, γ, atom counts and rule chosen by cross-validation.

    Faster than `GridSearchCV` over the same grid: the statistics of each fold are computed once and
    merged, neighbouring grid points start from each other's dictionaries, and both rules are scored
    with one dictionary. The few best settings are then learnt from a fresh start, exactly as
    `CrossLabelClassifier` learns them, and the best of these is chosen.

    Parameters
    ----------
    atoms_per_class : sequence of int, default=(8, 15, 30)
        Numbers of atoms to try. An entry may itself be a sequence, one number per class.
    shared_atoms : int, default=0
        Atoms that all classes use freely.
    ridges : sequence of float, default=(8e-4, 8e-3, 8e-2)
        Values of β to try.
    suppressions : sequence of float, default=(2.0, 2e3)
        Values of λ to try.
    groupings : sequence of float, default=(2e-2, 5e-1)
        Values of γ to try.
    rule : {"auto", "global", "local"}, default="auto"
        "auto" tries both rules.
    cv : int, cross-validation generator or iterable, default=5
        Number of stratified folds, or the splits themselves as in scikit-learn. An integer gives
        folds that do not depend on the order of the samples.
    normalize : bool, default=True
        Scale each sample to unit norm.
    init : {"kmeans", "random"}, default="kmeans"
        The starting dictionary.
    max_iter : int, default=20
        Most iterations of the first grid point of each path and of the final fit.
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this part of it.
    solver : {"exact", "class"}, default="exact"
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
        Print the score of each setting.
    probability : bool, default=False
        Enable `predict_proba`.

    Attributes
    ----------
    best_estimator_ : CrossLabelClassifier
        Fitted on all samples with the best setting.
    best_score_ : float
        Its mean cross-validated accuracy.
    best_params_ : dict
    atoms_per_class_, suppression_, grouping_, ridge_, rule_
        The best setting, one by one.
    cv_results_ : dict
        `params`, `mean_test_score`, `std_test_score`, `split_test_score` and `finalist` (learnt
        from a fresh start), one entry per setting.
    classes_, dictionary_, atom_labels_, n_iter_, n_features_in_, feature_names_in_
        As in `CrossLabelClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import CrossLabelClassifierCV
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CrossLabelClassifierCV(atoms_per_class=(8, 15), random_state=0)
    >>> model.fit(X[:500], y[:500]).rule_
    'local'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "atoms_per_class": ["array-like"],
        "shared_atoms": [Interval(Integral, 0, None, closed="left")],
        "ridges": ["array-like"],
        "suppressions": ["array-like"],
        "groupings": ["array-like"],
        "rule": [StrOptions({"auto", *RULES})],
        "cv": ["cv_object"],
        "init": [StrOptions(set(INITIALISERS))],
        "solver": [StrOptions(set(SWEEPS))],
        **{
            name: CrossLabelClassifier._parameter_constraints[name]
            for name in ("normalize", "max_iter", "tol", "random_state", "verbose", "probability")
        },
    }

    def __init__(
        self,
        *,
        atoms_per_class: Sequence[Any] = (8, 15, 30),
        shared_atoms: int = 0,
        ridges: Sequence[float] = (8e-4, 8e-3, 8e-2),
        suppressions: Sequence[float] = (2.0, 2e3),
        groupings: Sequence[float] = (2e-2, 5e-1),
        rule: Literal["auto", "global", "local"] = "auto",
        cv: Any = 5,
        normalize: bool = True,
        init: Literal["kmeans", "random"] = "kmeans",
        max_iter: int = 20,
        tol: float = 1e-4,
        solver: Literal["exact", "class"] = "exact",
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        probability: bool = False,
    ) -> None:
        self.atoms_per_class = atoms_per_class
        self.shared_atoms = shared_atoms
        self.ridges = ridges
        self.suppressions = suppressions
        self.groupings = groupings
        self.rule = rule
        self.cv = cv
        self.normalize = normalize
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.random_state = random_state
        self.verbose = verbose
        self.probability = probability

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose a setting by cross-validation, then learn from all samples with it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._validate_params()
        samples, labels, weights = self._check_weighted_training(X, y, sample_weight)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        settings = self._settings(len(self.classes_))
        splits = None if isinstance(self.cv, Integral) else self._splits(X, y, sample_weight)

        def each_fold() -> Iterator[Fold]:
            return self._folds(samples, labels, weights, splits, np.random.default_rng(seed))

        warm, masses = [], []
        for fold in each_fold():
            warm.append(self._path_scores(fold, settings, seed))
            masses.append(fold.test.weights.sum())
        means = [np.average([scores[x] for scores in warm], weights=masses) for x in settings]
        finalists = _finalists(settings, means)
        fresh = [self._fresh_scores(fold, finalists, seed) for fold in each_fold()]
        scores = np.array([[{**a, **b}[x] for a, b in zip(warm, fresh)] for x in settings])
        self._keep_results(settings, scores, np.array(masses), finalists)
        self.best_estimator_ = self._estimator(settings[self.best_index_], seed)
        self.best_estimator_.fit(samples, self.classes_[labels], weights)
        self.dictionary_ = self.best_estimator_.dictionary_
        self.atom_labels_ = self.best_estimator_.atom_labels_
        self.n_iter_ = self.best_estimator_.n_iter_
        if self.probability:
            self.temperature_ = self.best_estimator_.temperature_
        return self

    def _settings(self, n_classes: int) -> list[Setting]:
        """The grid, in the order in which ties are broken: the first of equals wins."""
        grids = {
            name: np.asarray(getattr(self, name), dtype=float)
            for name in ("suppressions", "groupings", "ridges")
        }
        for name, grid in grids.items():
            if grid.ndim != 1 or grid.size == 0 or not np.isfinite(grid).all() or grid.min() < 0:
                raise ValueError(
                    f"{name} must be a sequence of numbers of zero or more; "
                    f"got {getattr(self, name)!r}."
                )
        atoms = [_atom_counts(entry, n_classes) for entry in self.atoms_per_class]
        if not atoms:
            raise ValueError("atoms_per_class is empty; give at least one number of atoms.")
        rules = list(RULES) if self.rule == "auto" else [self.rule]
        values = (grid.tolist() for grid in grids.values())
        return [Setting(*point) for point in product(atoms, *values, rules)]

    def _splits(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> list[Split]:
        """The splits that `cv` gives, as indices into the samples that have weight."""
        weights = np.ones(len(np.asarray(y))) if sample_weight is None else sample_weight
        kept = np.asarray(weights) > 0
        place = np.cumsum(kept) - 1
        splits = check_cv(self.cv, y, classifier=True).split(X, y)
        return [(place[a[kept[a]]], place[b[kept[b]]]) for a, b in splits]

    def _folds(
        self,
        X: Array,
        labels: Labels,
        weights: Array | None,
        splits: list[Split] | None,
        rng: np.random.Generator,
    ) -> Iterator[Fold]:
        if splits is not None:
            return self._given_folds(X, labels, weights, splits)
        training = TrainingSet.collect(X, labels, len(self.classes_), weights, self._scaled)
        number = fold_numbers(training, int(self.cv), rng)
        if (number < 0).all():
            raise ValueError(
                "Cross-validation needs a class with at least two distinct samples. Use "
                "CrossLabelClassifier, whose parameters are given."
            )
        return folds(training, number)

    def _given_folds(
        self, X: Array, labels: Labels, weights: Array | None, splits: list[Split]
    ) -> Iterator[Fold]:
        """Folds from a splitter's indices; where they tile the samples, statistics are merged."""

        def collect(rows: NDArray[np.intp]) -> TrainingSet:
            chosen = None if weights is None else weights[rows]
            n_classes = len(self.classes_)
            return TrainingSet.collect(X[rows], labels[rows], n_classes, chosen, self._scaled)

        tests = [collect(test) for _, test in splits]
        statistics = [test.named_statistics for test in tests] if _tile(splits, len(X)) else []
        for k, (train_rows, test_rows) in enumerate(splits):
            train = collect(train_rows)
            if train.distinct.min() == 0:
                missing = self.classes_.tolist()[train.classes[train.distinct.argmin()]]
                raise ValueError(f"Fold {k} of cv has no training sample of class {missing!r}.")
            others = statistics[:k] + statistics[k + 1 :]
            fold = Fold(train, tests[k], test_rows)
            yield Fold.merged(train, tests[k], test_rows, others) if others else fold

    def _path_scores(self, fold: Fold, settings: list[Setting], seed: int) -> Scores:
        """Accuracy of each setting on one fold, along paths on which neighbours start warm."""
        found: Scores = {}
        values = [list(dict.fromkeys(column)) for column in zip(*settings)]
        atom_counts, suppressions, groupings, ridges, rules = values
        for atoms in atom_counts:
            layout, D = self._start(fold.train, atoms, ridges[len(ridges) // 2], seed)
            n_iter = self.max_iter
            for suppression, grouping, ridge in _snake(suppressions, groupings, ridges):
                penalties = Penalties(ridge, suppression, grouping)
                D = self._learn(fold, D, layout, penalties, n_iter)
                n_iter = min(WARM_ITERATIONS, self.max_iter)
                found |= _rule_scores(fold, D, layout, penalties, atoms, rules)
        return found

    def _fresh_scores(self, fold: Fold, finalists: list[Setting], seed: int) -> Scores:
        """Accuracy of the finalists on one fold, each learnt as the final fit will learn it."""
        found: Scores = {}
        for atoms, suppression, grouping, ridge in dict.fromkeys(s[:-1] for s in finalists):
            layout, D = self._start(fold.train, atoms, ridge, seed)
            penalties = Penalties(ridge, suppression, grouping)
            D = self._learn(fold, D, layout, penalties, self.max_iter)
            rules = list(dict.fromkeys(s.rule for s in finalists))
            found |= _rule_scores(fold, D, layout, penalties, atoms, rules)
        return found

    def _start(
        self, train: TrainingSet, atoms: Any, ridge: float, seed: int
    ) -> tuple[AtomLayout, Array]:
        """The start that `CrossLabelClassifier` with this seed would take."""
        layout = train.layout(np.asarray(atoms), self.shared_atoms)
        rng, _ = np.random.default_rng(seed).spawn(2)
        make = INITIALISERS[self.init]
        return layout, make(train.X, train.labels, layout, ridge, rng, train.weights)

    def _learn(
        self, fold: Fold, D: Array, layout: AtomLayout, penalties: Penalties, n_iter: int
    ) -> Array:
        with fold.train.naming(self.classes_):
            solution = learn(
                fold.train.statistics,
                D,
                layout,
                penalties,
                method=self.solver,
                max_iter=n_iter,
                tol=self.tol,
            )
        return solution.dictionary

    def _keep_results(
        self, settings: list[Setting], scores: Array, masses: Array, finalists: list[Setting]
    ) -> None:
        """Scores of shape (n_settings, n_folds); folds count by the samples they test."""
        means = scores @ (masses / masses.sum())
        last = np.array([setting in finalists for setting in settings])
        # Equal up to rounding is equal: the first setting wins.
        best = means >= means[last].max() - 1e-12
        self.best_index_ = int(np.flatnonzero(last & best)[0])
        self.cv_results_ = {
            "params": [setting._asdict() for setting in settings],
            "mean_test_score": means,
            "std_test_score": scores.std(axis=1),
            "split_test_score": scores,
            "finalist": last,
        }
        self.best_score_ = float(means[self.best_index_])
        self.best_params_ = settings[self.best_index_]._asdict()
        for name, value in self.best_params_.items():
            setattr(self, f"{name}_", value)
        if self.verbose:
            for setting, mean in zip(settings, means):
                print(f"[CrossLabelClassifierCV] {mean:.4f} {setting}")

    def _estimator(self, setting: Setting, seed: int) -> CrossLabelClassifier:
        common = ("shared_atoms", "normalize", "init", "max_iter", "tol", "solver", "probability")
        return CrossLabelClassifier(
            **setting._asdict(),
            **{name: getattr(self, name) for name in common},
            # The same integer starts the final fit where it started those of the finalists.
            random_state=self.random_state if isinstance(self.random_state, Integral) else seed,
        )

    def _class_scores(self, X: Array) -> Array:
        return self.best_estimator_._class_scores(X)

    def transform(self, X: ArrayLike) -> Array:
        """Ridge codes over all atoms, as in `CrossLabelClassifier.transform`."""
        return self.best_estimator_._codes(self._check_queries(X))

    def inverse_transform(self, X: ArrayLike) -> Array:
        """Samples that codes stand for, as in `CrossLabelClassifier.inverse_transform`."""
        check_is_fitted(self)
        return self.best_estimator_.inverse_transform(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.dictionary_)


def _atom_counts(entry: Any, n_classes: int) -> Any:
    """A number of atoms, or a tuple of one number per class."""
    counts = np.asarray(entry)
    whole = counts.dtype.kind in "iu" and counts.shape in {(), (n_classes,)}
    if not whole or counts.min() < 1:
        raise ValueError(
            "Each entry of atoms_per_class must be an integer of one or more, or one such integer "
            f"for each of the {n_classes} classes; got {entry!r}."
        )
    return tuple(counts.tolist()) if counts.ndim else int(counts)


def _rule_scores(
    fold: Fold,
    D: Array,
    layout: AtomLayout,
    penalties: Penalties,
    atoms: Any,
    rules: Sequence[str],
) -> Scores:
    """Accuracy of each rule with one dictionary on the samples held out."""
    ridge, suppression, grouping = penalties
    labels, weights = fold.test.labels_in(fold.train), fold.test.weights
    found = {}
    for rule in rules:
        scores = RULES[rule](D, layout, ridge).scores(fold.test.X)
        setting = Setting(atoms, suppression, grouping, ridge, rule)
        found[setting] = accuracy(scores, labels, weights)
    return found


def _finalists(settings: list[Setting], means: list[float]) -> list[Setting]:
    """The settings that share a dictionary with one of the best on the warm paths."""
    ranked = [settings[k] for k in np.argsort(-np.array(means), kind="stable")]
    dictionaries = list(dict.fromkeys(setting[:-1] for setting in ranked))
    best = set(dictionaries[: max(FINALISTS, len(dictionaries) // 10)])
    return [setting for setting in settings if setting[:-1] in best]


def _snake(first: Sequence[Any], *rest: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The grid in an order in which neighbours differ in one parameter by one step."""
    inner = list(_snake(*rest)) if rest else [()]
    for value in first:
        yield from ((value, *point) for point in inner)
        inner.reverse()


def _tile(splits: list[Split], n_samples: int) -> bool:
    """Whether each sample is tested once and trains in all other folds."""
    tests = np.sort(np.concatenate([test for _, test in splits]))
    whole = np.array_equal(tests, np.arange(n_samples))
    return whole and all(len(train) + len(test) == n_samples for train, test in splits)
