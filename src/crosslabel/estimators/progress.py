"""What a fit tells while it runs: lines for the user, tasks for scikit-learn's callbacks."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

if importlib.util.find_spec("sklearn.callback"):  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin, with_callbacks
else:
    CallbackSupportMixin = type("CallbackSupportMixin", (), {})

    def with_callbacks(method: Any) -> Any:
        """Leave a method as it is: this scikit-learn has no callbacks."""
        return method


class Progress:
    """Tells the user and scikit-learn's callbacks about each iteration of a fit."""

    def __init__(self, estimator: Any, X: ArrayLike, y: ArrayLike) -> None:
        self.estimator, self.data = estimator, {"X": X, "y": y}
        self.context: Any = None

    def __enter__(self) -> Callable[[int, float], bool]:
        if hasattr(self.estimator, "_skl_callbacks"):
            self.context = self.estimator._init_callback_context(
                max_subtasks=self.estimator.max_iter
            )
            self.context.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return self.step

    def step(self, iteration: int, objective: float) -> bool:
        """Report an iteration; true asks the solver to stop."""
        if self.estimator.verbose:
            name = type(self.estimator).__name__
            print(f"[{name}] iteration {iteration + 1}, objective {objective:.6g}")
        if self.context is None:
            return False
        task = self.context.subcontext(task_name="iteration")
        task.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return bool(task.call_on_fit_task_end(estimator=self.estimator, **self.data))

    def __exit__(self, kind: type | None, *details: object) -> None:
        if self.context is not None and kind is None:
            self.context.call_on_fit_task_end(estimator=self.estimator, **self.data)
