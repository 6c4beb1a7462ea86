"""Learn from batches, from disks, from statistics; unlearn samples or a class.

Whatever makes the summary, the model is that of one `fit` on the same samples. A model keeps its
summary once it is asked to stream: by `partial_fit`, by a pass over a disk, or `keep_summary`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gap import optimality_gap
from crosslabel.core.moments import ImpossibleRemovalError
from crosslabel.core.scaling import Array
from crosslabel.flagship.choice import Choice
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.from_disk import from_disk
from crosslabel.flagship.predictor import Predictor
from crosslabel.flagship.problem import Problem, Settings, Wish
from crosslabel.flagship.progress import Progress, with_callbacks
from crosslabel.flagship.train import Before, continued
from crosslabel.intake.checking import check_batch, check_several
from crosslabel.intake.class_weights import ClassWeight, weighed_batch, weighed_pass
from crosslabel.intake.lift import Lift
from crosslabel.intake.partitions import DaskCollection
from crosslabel.intake.sources import OnDisk
from crosslabel.intake.statistics import ClassStatistics
from crosslabel.intake.summary import Summary


def _goes_on(model: StreamLearner) -> Literal[True]:
    """Whether a model can take more samples: it has none yet, or keeps a summary of them."""
    if "_fitted" in model.__dict__:
        model.kept_summary()
    return True


class StreamLearner(Predictor):
    """`partial_fit`, `refit`, `forget`, `forget_class` and `fit_statistics`.

    The classifier brings its parameters, and `_chosen`: a choice for a summary.
    """

    _summary: Summary
    scale: str
    class_weight: ClassWeight
    warm_iter: int
    kept_samples: int
    memory_limit: int
    checkpoint: str | os.PathLike[str] | None
    verbose: int
    max_iter: int
    atoms_per_class: Literal["auto"] | int | Sequence[int]
    random_state: int | np.random.RandomState | None

    @property
    def statistics_(self) -> ClassStatistics:
        """Count, mean and scatter of each class, of all samples that the model has learnt from."""
        return self.kept_summary().statistics

    @property
    def optimality_gap_(self) -> float:
        """What the objective could still fall by, at most, with any number of atoms."""
        view, moments = self.fitted_.view, self.kept_summary().statistics.moments
        sizes = tuple(size for size in view.layout.per_class if size)
        layout = AtomLayout(view.layout.shared, sizes)
        penalties = replace(Settings.of(self, 0), ridge=view.ridge).penalties
        return optimality_gap(moments, view.dictionary.astype(float), layout, penalties)

    @available_if(_goes_on)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from one more batch, exactly.

        The statistics are those of all samples so far, for any order and batching. With infinite
        suppression only the classes of the batch are learnt anew, and the model is that of one
        `fit`; with a finite one a few iterations go on from the present dictionary, and `refit`
        gives the model of `fit`. A batch that is not valid is rejected whole and changes nothing.

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
        old = self.__dict__.get("_summary")
        bare = self._bare()
        dtype = None if old is None else old.dtype
        samples, targets, weights = check_batch(bare, X, y, sample_weight, dtype)
        weights = weighed_batch(self.class_weight, targets, weights)
        summary = self._empty_summary(samples) if old is None else old
        summary = summary.absorb(samples, targets, weights)
        if classes is not None:
            summary = summary.declaring(np.unique(np.asarray(classes)))
        if not len(summary.classes) or not self._learns_at_once(summary):
            return self._adopt(bare, summary, self.__dict__.get("_fitted"))
        return self._adopt(bare, summary, self._improved(summary))

    @with_callbacks
    def refit(self) -> Self:
        """Learn the dictionary anew from all samples of the stream, as `fit` would.

        Returns
        -------
        self
        """
        self._validate_params()
        return self._learn_summary(self.kept_summary())

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
            Learn what the samples touched anew at once. With False there is no dictionary until
            `refit`, for the old one has seen the samples.

        Returns
        -------
        self

        Raises
        ------
        ImpossibleRemovalError
            If the samples cannot all have been added; nothing is removed then.
        """
        summary = self.kept_summary()
        samples, targets, weights = check_batch(self, X, y, sample_weight, summary.dtype)
        weights = weighed_batch(self.class_weight, targets, weights)
        unknown = np.setdiff1d(targets, summary.classes)
        if unknown.size:
            raise ImpossibleRemovalError(
                f"No sample of class {unknown.tolist()[0]!r} was ever added."
            )
        return self._after_loss(summary.remove(samples, targets, weights), refit)

    def forget_class(self, label: object, *, refit: bool = True) -> Self:
        """Unlearn a class: afterwards the model equals one that never saw it, from the same start.

        With infinite suppression and no shared atoms no class has seen another: the atoms of the
        others stay as they are.

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
        return self._after_loss(self.kept_summary().without(label), refit)

    def fit_statistics(self, statistics: ClassStatistics) -> Self:
        """Learn from statistics alone, for example of several sites: no sample is needed.

        Parameters
        ----------
        statistics : ClassStatistics

        Returns
        -------
        self
        """
        self._validate_params()
        check_several(self, statistics.classes, "there is")
        if self.class_weight is not None:
            raise ValueError(
                f"class_weight is {self.class_weight!r}, but statistics hold the weights of their "
                "samples already. Weigh the samples, and leave class_weight=None."
            )
        bare = self._bare()
        bare.n_features_in_ = statistics.n_features
        bare.__dict__.pop("feature_names_in_", None)
        unit = self.scale != "none"
        if statistics.normalized != unit or self.scale == "standard":
            raise ValueError(
                f"The statistics are of samples with normalize={statistics.normalized}, but the "
                f"classifier has scale={self.scale!r}. Use scale='unit' for samples of unit norm, "
                "scale='none' for samples as they are."
            )
        empty = self._empty(statistics.means[:0], Lift(unit=unit), self._kept(), self._seed())
        return self._adopt(bare, *self._learnt_on(bare, empty.of_statistics(statistics)))

    def _fit_pass(self, X: OnDisk | DaskCollection, y: object, sample_weight: object) -> Self:
        """Learn from samples that are not in memory."""
        bare = self._bare()
        weights = weighed_pass(self.class_weight, X, y, sample_weight)
        found = from_disk(bare, X, y, weights, self._empty_summary, self._kept())
        if found.fitted is not None:
            return self._adopt(bare, found.summary, self._raised(found.fitted))
        assert found.summary is not None
        check_several(self, found.summary.classes, "there is")
        self._adopt(bare, *self._learnt_on(bare, found.summary))
        if found.checkpoint:
            found.checkpoint.remove()
        return self

    def _learn_summary(self, summary: Summary) -> Self:
        """Learn from a summary as `fit` would."""
        if len(summary.classes) == 0:
            raise ValueError("There is nothing to learn from: the stream holds no samples.")
        return self._adopt(self, *self._learnt_on(self, summary))

    def _learnt_on(self, estimator: BaseEstimator, summary: Summary) -> tuple[Summary, Fitted]:
        choice = self._chosen(summary)
        sample = summary.sample
        targets = summary.classes[sample.labels]
        with Progress(estimator, sample.X, targets) as progress:
            return summary, self._train([summary], choice, summary.all_classes, progress.iteration)

    def _improved(self, summary: Summary) -> Fitted | None:
        """The model after a batch: exact in the closed form, else a few iterations further on."""
        fitted, old = self.__dict__.get("_fitted"), self.__dict__.get("_summary")
        choice = self._choice_after(summary)
        member, classes = choice.members[0], summary.all_classes
        if member.settings.is_closed_form:
            before = None if fitted is None or old is None else Before(old, fitted)
            return self._train([summary], choice, classes, before=before)
        member = replace(member, settings=replace(member.settings, max_iter=self.warm_iter))
        few = replace(choice, members=(member,))
        first = continued(Problem(summary, member.settings, classes), fitted)
        return None if first is None else self._train([summary], few, classes, first=first)

    def _choice_after(self, summary: Summary) -> Choice:
        """The present choice; made anew when there are twice the samples, or new classes to tell.

        What was named is not chosen: of it only the temperature is found anew, now and then.
        """
        fitted = self.__dict__.get("_fitted")
        choice = None if fitted is None else fitted.choice
        grown = choice is not None and summary.statistics.counts.sum() >= 2 * choice.n_samples
        named = not Wish.of(self, summary.sample.seed).is_open
        same = fitted is not None and np.array_equal(fitted.classes, summary.all_classes)
        keep = choice is not None and (same or named) and not grown
        return choice if choice is not None and keep else self._chosen(summary)

    def _after_loss(self, summary: Summary, refit: bool) -> Self:
        """The model without what left the summary; what has seen it is learnt anew."""
        fitted = None
        if refit and len(summary.classes):
            choice, old = self._chosen(summary), self.__dict__.get("_fitted")
            before = None if old is None else Before(self._summary, old)
            fitted = self._train([summary], choice, summary.all_classes, before=before)
        return self._adopt(self, summary, fitted)

    def _learns_at_once(self, summary: Summary) -> bool:
        return Settings.of(self, summary.sample.seed).is_closed_form or self.warm_iter > 0

    def _kept(self) -> int:
        """Samples of a class that are kept: never fewer than its atoms."""
        return max(int(self.kept_samples), int(np.max(Settings.of(self, 0).atoms_per_class)))

    def kept_summary(self) -> Summary:
        """The summary that the model goes on from, or an error that says why there is none."""
        summary = self.__dict__.get("_summary")
        if summary is None:
            raise AttributeError(
                "This model does not have the statistics of its samples: it has not been fitted, "
                "or was trained by fit, which keeps none, or none beyond memory_limit for samples "
                "on disk. Set keep_summary=True before fit, or "
                "train it by partial_fit."
            )
        return summary

    # What the classifier brings.
    _train: Callable[..., Fitted]
    _chosen: Callable[[Summary], Choice]
    _empty: Callable[[Array, Lift, int, int], Summary]
    _empty_summary: Callable[[Array], Summary]
