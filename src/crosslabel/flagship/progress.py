"""What a fit tells while it runs: lines for the user, tasks for scikit-learn's callbacks."""

from __future__ import annotations

import importlib.util
from typing import Any, TypeVar

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

Fit = TypeVar("Fit", bound=BaseEstimator)
Method = TypeVar("Method")

if importlib.util.find_spec("sklearn.callback"):  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin, with_callbacks
else:
    CallbackSupportMixin = type("CallbackSupportMixin", (), {})

    def with_callbacks(method: Method) -> Method:
        """Leave a method as it is: this scikit-learn has no callbacks."""
        return method


class Progress:
    """Tells the user and scikit-learn's callbacks about each iteration and trial of a fit.

    Parameters
    ----------
    estimator : estimator
        With `max_iter`, `verbose` and, where scikit-learn has them, callbacks.
    X, y : array-like
        What `fit` was given.
    n_trials : int, default=0
        Of a lift on a fold, at most.
    n_iter : int, default=None
        Iterations, at most; None for the estimator's `max_iter`.
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        X: ArrayLike,
        y: ArrayLike,
        n_trials: int = 0,
        n_iter: int | None = None,
    ) -> None:
        self.estimator, self.data, self.n_trials = estimator, {"X": X, "y": y}, n_trials
        self.n_iter = estimator.max_iter if n_iter is None else n_iter
        self.trials_done = 0
        self.learnt: dict[str, dict[str, object]] = {}
        self.context: Any = None

    def __enter__(self) -> Progress:
        if hasattr(self.estimator, "_skl_callbacks"):
            self.context = self.estimator._init_callback_context(
                max_subtasks=self.n_iter + self.n_trials
            )
            self.context.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return self

    def iteration(self, number: int, objective: float) -> bool:
        """Report an iteration; true asks the solver to stop."""
        if self.estimator.verbose:
            name = type(self.estimator).__name__
            print(f"[{name}] iteration {number + 1}, objective {objective:.6g}")
        return self._task("iteration")

    def trial(self) -> None:
        """Report that one lift was judged on one fold."""
        # scikit-learn refuses more tasks than were announced.
        self.trials_done += 1
        if self.trials_done <= self.n_trials:
            self._task("choosing by held-out samples")

    def done(self, estimator: Fit) -> Fit:
        """The estimator, which is complete: callbacks may score it at the end of the fit."""
        parameters = estimator.get_params(deep=False)
        learnt = {name: value for name, value in vars(estimator).items() if name not in parameters}
        # Callbacks belong to the estimator that is watched, not to the copy that is scored.
        learnt = {name: value for name, value in learnt.items() if "callback" not in name}
        self.learnt = {"reconstruction_attributes": learnt}
        return estimator

    def _task(self, name: str) -> bool:
        if self.context is None:
            return False
        task = self.context.subcontext(task_name=name)
        task.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return bool(task.call_on_fit_task_end(estimator=self.estimator, **self.data))

    def __exit__(self, kind: type | None, *details: object) -> None:
        if self.context is not None and kind is None:
            told = {**self.data, **self.learnt}
            self.context.call_on_fit_task_end(estimator=self.estimator, **told)
