"""Learn from a stream, batch by batch, and unlearn samples or a class.

The flagship's training sees a `Stream`: statistics of all samples and a bounded sample for the
start. Whatever made the stream, `refit` gives the model that one `fit` on the same samples gives
from the same start.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.initialise import INITIALISERS
from crosslabel.core.moments import ImpossibleRemovalError
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Solution, total_trace
from crosslabel.flagship.progress import Progress, with_callbacks
from crosslabel.flagship.stream_training import stream_of, training_set
from crosslabel.flagship.training import TrainingSet
from crosslabel.intake import labels, sources
from crosslabel.intake.devices import device_for, from_device
from crosslabel.intake.statistics import ClassStatistics, checked_weights
from crosslabel.intake.summary import Stream
from crosslabel.methods.base import RepresentationClassifier

STREAM_CONSTRAINTS: dict[str, list[Any]] = {
    "warm_iter": [Interval(Integral, 0, None, closed="left")],
    "kept_samples": [Interval(Integral, 1, None, closed="left")],
    "memory_limit": [Interval(Integral, 1, None, closed="left")],
    "checkpoint": [str, Path, None],
}


class IncrementalMixin(RepresentationClassifier):
    """`partial_fit`, `refit`, `forget` and `forget_class`.

    The classifier brings `_layout`, `_start`, `_learn`, `_store`, `_choose_rule`, `_n_folds`,
    `_prepare` and `_solve`; this keeps its stream and says what it learns from.
    """

    # What the classifier brings.
    warm_iter: int
    kept_samples: int
    memory_limit: int
    checkpoint: Any
    verbose: int
    init: Any
    rule: str
    probability: bool
    random_state: Any
    atoms_per_class: Any
    shared_atoms: int
    ridge: float
    dictionary_: Array
    atom_labels_: NDArray[np.intp]
    unused_atoms_: NDArray[np.intp]
    _atom_layout: AtomLayout
    _traces: list[list[float]]
    _n_folds: Any
    _layout: Any
    _start: Any
    _learn: Any
    _store: Any
    _choose_rule: Any
    _prepare: Any
    _solve: Any

    _LEARNT: ClassVar[tuple[str, ...]] = (
        *("_rule", "dictionary_", "atom_labels_", "objective_trace_", "n_iter_", "unused_atoms_"),
        *("rule_", "rule_scores_", "temperature_", "_atom_layout", "_solved_classes"),
        *("_traces", "_settled"),
    )

    @property
    def statistics_(self) -> ClassStatistics:
        """Count, mean and scatter of each class, of all samples that the model has learnt from."""
        return self._kept_stream().statistics

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from one more batch, exactly; then a few iterations from the present dictionary.

        The statistics are those of all samples so far, for any order and batching. The dictionary
        after some iterations is near that of `fit`; `refit` makes it the same. A batch that is not
        valid is rejected whole and changes nothing.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            May be empty.
        y : array-like of shape (n_samples,)
            Labels; new ones may appear in any batch.
        classes : array-like of shape (n_classes,), optional
            Classes that are going to appear: they have a place in `classes_` and in scores before
            they have samples. Others may appear all the same.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        self._validate_params()
        first = not self._has_stream()
        samples, targets, weights = self._check_batch(X, y, sample_weight, first)
        declared = self.classes_[:0] if hasattr(self, "classes_") else np.zeros(0)
        declared = self.__dict__.get("_declared", declared)
        if classes is not None:
            declared = labels.union(declared, np.unique(np.asarray(classes)))
        if first:
            self._draw_seed()
        stream = self._empty_stream(samples) if first else self._stream
        stream = stream.absorb(samples, targets, weights, self._scaled_in_place)
        self._adopt(stream, labels.union(declared, stream.classes))
        self._declared, self._grown, self._settled = declared, True, False
        if self.warm_iter and len(stream.classes):
            self._improve()
        return self

    @with_callbacks
    def refit(self) -> Self:
        """Learn the dictionary anew from all samples of the stream, as `fit` would.

        Returns
        -------
        self
        """
        self._validate_params()
        stream = self._kept_stream()
        if len(stream.classes) == 0:
            raise ValueError("There is nothing to learn from: the stream holds no samples.")
        return self._solve_stream(None)

    def forget(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        refit: bool = True,
    ) -> Self:
        """Unlearn samples: afterwards the model equals one that never saw them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples as they were given to `fit` or `partial_fit`.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        refit : bool, default=True
            Learn the dictionary anew at once. With False there is none until `refit`, for the old
            one has seen the samples.

        Returns
        -------
        self

        Raises
        ------
        ImpossibleRemovalError
            If the samples cannot all have been added; nothing is removed then.
        """
        stream = self._kept_stream()
        samples, targets, weights = self._check_batch(X, y, sample_weight, first=False)
        unknown = np.setdiff1d(targets, stream.classes)
        if unknown.size:
            raise ImpossibleRemovalError(
                f"No sample of class {unknown.tolist()[0]!r} was ever added."
            )
        return self._after_loss(
            stream.remove(samples, targets, weights, self._scaled_in_place), refit
        )

    def forget_class(self, label: Any, *, refit: bool = True) -> Self:
        """Unlearn a class: afterwards the model equals one that never saw it, from the same start.

        With ``solver="class"`` and no shared atoms, no class has seen another: the atoms of the
        others stay as they are, and nothing is learnt anew but the rule, where it is "auto".

        Parameters
        ----------
        label : object
            As in `classes_`.
        refit : bool, default=True
            As of `forget`.

        Returns
        -------
        self
        """
        stream = self._kept_stream().without(label)
        self._declared = self._declared[self._declared != label]
        if refit and len(stream.classes) and self.__dict__.get("_settled"):
            return self._keep_others(stream)
        return self._after_loss(stream, refit)

    def _check_batch(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, first: bool
    ) -> tuple[Array, NDArray[Any], Array]:
        """Valid samples as they are, their labels and weights."""
        X, y, sample_weight = (from_device(part) for part in (X, y, sample_weight))
        dtype = [np.float64, np.float32] if first else self._stream.dtype
        samples = validate_data(
            self,
            X,
            reset=first,
            dtype=dtype,
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=0,
        )
        sources.check_finite(samples, lambda row: f"row {row} of the batch")
        targets = column_or_1d(np.asarray(y))
        check_consistent_length(samples, targets)
        if len(targets):
            check_classification_targets(targets)
        return samples, targets, checked_weights(sample_weight, len(samples))

    def _draw_seed(self) -> None:
        self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))

    def _empty_stream(self, samples: Array) -> Stream:
        most = int(np.max(np.asarray(self.atoms_per_class)))
        return Stream.empty(
            samples.shape[1],
            samples.dtype,
            normalize=bool(self.normalize),
            size=max(int(self.kept_samples), most),
            seed=self._seed,
        )

    def _remember(self, training: TrainingSet) -> None:
        """Keep what `partial_fit` and `forget` go on from after a `fit` in memory."""
        self._draw_seed()
        self._declared, self._grown = self.classes_[:0], False
        self._chosen_at = training.weights.sum()
        self._adopt(
            stream_of(training, self.classes_, self._empty_stream(training.X)), self.classes_
        )

    def _adopt(self, stream: Stream, classes: NDArray[Any]) -> None:
        self._stream, self.classes_ = stream, classes
        self._seen = labels.places(stream.classes, classes)

    def _has_stream(self) -> bool:
        return hasattr(self, "_stream") or (hasattr(self, "_rule") and bool(self._kept_stream()))

    def _kept_stream(self) -> Stream:
        stream = self.__dict__.get("_stream")
        if stream is None:
            raise AttributeError(
                "This model does not have the statistics of its samples: it has not been fitted, "
                "or was saved after fit, which leaves them out. Train it by partial_fit and refit "
                "to have them in saved models."
            )
        return stream

    def _after_loss(self, stream: Stream, refit: bool) -> Self:
        """The model without what left the stream; the old dictionary has seen it and goes too."""
        self._adopt(stream, labels.union(self._declared, stream.classes))
        for name in self._LEARNT:
            self.__dict__.pop(name, None)
        return self.refit() if refit and len(stream.classes) else self

    def _keep_others(self, stream: Stream) -> Self:
        """The model of the classes left in the stream, which a class that is gone never touched."""
        idle = np.isin(np.arange(len(self.dictionary_)), self.unused_atoms_)
        old = {}
        names = self.classes_[self._seen].tolist()
        for name, own, trace in zip(names, map(self._atom_layout.own, self._seen), self._traces):
            old[name] = self.dictionary_[own], idle[own], trace
        self._after_loss(stream, refit=False)
        training, layout = self._stream_problem()
        left = self.classes_[self._seen][training.classes]  # in canonical order
        atoms, unused, apart = zip(*(old[name] for name in left.tolist()))
        solution = Solution(
            np.concatenate(atoms), total_trace(apart), np.concatenate(unused), apart
        )
        self._store(training, layout, solution)
        self._settled = True
        self._choose_again(training)
        self._prepare()
        return self

    def _choose_again(self, training: TrainingSet) -> None:
        """The rule, chosen as `refit` would."""
        rng = np.random.default_rng(self._seed).spawn(2)[1]
        progress = Progress(self, training.X, training.labels, self._n_folds)
        self._choose_rule(training, rng, progress)
        self._chosen_at = self._stream.statistics.counts.sum()

    def _stream_problem(self) -> tuple[TrainingSet, AtomLayout]:
        most = int(np.max(np.asarray(self.atoms_per_class)))
        training = training_set(self._stream, most + self.shared_atoms)
        training = replace(training, device=device_for(training.X, self.device))
        return training, self._layout(training)

    def _solve_stream(self, start: Array | None) -> Self:
        training, layout = self._stream_problem()
        targets = self.classes_[self._seen][training.classes[training.labels]]
        self._chosen_at = self._stream.statistics.counts.sum()
        return self._solve(training, layout, start, training.X, targets)

    def _improve(self) -> None:
        """A few iterations from the present dictionary, with atoms for what is new."""
        training, layout = self._stream_problem()
        start = self._continued(training, layout)
        if start is None:
            return
        solution = self._learn(training, layout, start, max_iter=self.warm_iter)
        same = np.array_equal(self.__dict__.get("_solved_classes", ()), self.classes_)
        self._store(training, layout, solution)
        # The rule is chosen anew when there are new classes or twice the samples.
        if not same or self._stream.statistics.counts.sum() >= 2 * self._chosen_at:
            self._choose_again(training)
        self._prepare()

    def _continued(self, training: TrainingSet, layout: AtomLayout) -> Array | None:
        """The present dictionary in canonical order, with a start for classes that are new or grow.

        None where a dictionary is given as `init` and classes that it has atoms for are missing.
        """
        rng = np.random.default_rng(self._seed).spawn(2)[0]
        named, _ = layout.reordered(training.by_name)
        old = self._present_atoms()
        shared = old.get("shared", np.zeros((0, 0)))
        fits = old and len(shared) == layout.shared
        names = self.classes_[self._seen].tolist()
        sizes = [len(old.get(("class", name), ())) for name in names]
        changed = np.array(sizes) != np.array(named.per_class)
        if not isinstance(self.init, str) and changed.any():
            given: Any = self.init
            if not callable(given) and len(self._rows_of_seen(given)) != named.n_atoms:
                return None
            fits = False
        if not fits or changed.all():
            return self._start(training, layout, rng)
        fresh = self._fresh_atoms(training, layout, changed[training.classes], rng)
        parts = [shared.astype(training.X.dtype, copy=False)]
        for c in training.classes.tolist():  # canonical order
            parts.append(fresh[c] if changed[c] else old["class", names[c]])
        return np.concatenate(parts).astype(training.X.dtype, copy=False)

    def _present_atoms(self) -> dict[Any, Array]:
        """Atoms of the present dictionary by the name of their class."""
        if "dictionary_" not in self.__dict__:
            return {}
        layout, D = self._atom_layout, self.dictionary_
        names = enumerate(self._solved_classes.tolist())
        return {"shared": D[: layout.shared]} | {("class", n): D[layout.own(c)] for c, n in names}

    def _fresh_atoms(
        self,
        training: TrainingSet,
        layout: AtomLayout,
        changed: NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> dict[int, Array]:
        """Starting atoms of the changed canonical classes alone, by their place in `classes_`."""
        which = np.flatnonzero(changed)
        if which.size == 0:
            return {}
        rows = changed[training.labels]
        numbers = (np.cumsum(changed) - 1)[training.labels[rows]]
        part = AtomLayout(0, tuple(layout.per_class[c] for c in which))
        make, weights = INITIALISERS[self.init], training.weights[rows]
        atoms = make(training.X[rows], numbers, part, self.ridge, rng, weights)
        return {int(training.classes[c]): atoms[part.own(k)] for k, c in enumerate(which)}

    def _rows_of_seen(self, given: Any) -> Any:
        """Of a dictionary for all declared classes, the atoms of those that have samples."""
        if len(self._seen) == len(self.classes_) or callable(given):
            return given
        sizes = np.broadcast_to(np.asarray(self.atoms_per_class), len(self.classes_))
        if np.shape(given)[0] != self.shared_atoms + sizes.sum():
            return given
        whole = AtomLayout(int(self.shared_atoms), tuple(int(size) for size in sizes))
        atoms = np.concatenate([whole.free(c) for c in self._seen])
        return np.asarray(given)[np.unique(atoms)]

    def _keep_places(self) -> None:
        """Give classes that have no samples yet a place without atoms."""
        sizes = np.zeros(len(self.classes_), np.intp)
        sizes[self._seen] = self._atom_layout.per_class
        self._atom_layout = AtomLayout(self._atom_layout.shared, tuple(sizes.tolist()))
        self.atom_labels_ = self._atom_layout.labels
        self._solved_classes = self.classes_

    def __getstate__(self) -> dict[str, Any]:
        """A saved model has its stream if `partial_fit` grew it: it is there to be continued.

        After `fit` it would hold the training samples, for which nobody asked.
        """
        state = dict(super().__getstate__())
        stream = state.pop("_stream", None)
        for name in ("_traces", "_settled"):  # only spare a refit
            state.pop(name, None)
        if stream is not None and state.get("_grown"):
            state["_stream"] = stream.to_arrays()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_stream" in self.__dict__:
            self._stream = Stream.from_arrays(self.__dict__["_stream"])

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy in memory, unlike a saved model, has all."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin
