"""How good predictions are, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosslabel.core.wilson import wilson_interval


@dataclass(frozen=True)
class Accuracy:
    """Correct predictions among all, with Wilson's 95 % interval, and per class.

    Parameters
    ----------
    correct, total : int
    per_class : dict of str to float
        Accuracy of each class.
    confusions : list of (str, str, int)
        True class, predicted class and count, most frequent first.
    per_class_total : dict of str to int
        Samples of each class.
    """

    correct: int
    total: int
    per_class: dict[str, float]
    confusions: list[tuple[str, str, int]]
    per_class_total: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, truth: ArrayLike, predicted: ArrayLike, names: list[str]) -> Accuracy:
        """Compare class numbers."""
        y, z = np.asarray(truth), np.asarray(predicted)
        wrong = np.flatnonzero(y != z)
        pairs, counts = np.unique(np.stack([y[wrong], z[wrong]]), axis=1, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return cls(
            int((y == z).sum()),
            len(y),
            {names[c]: float((z[y == c] == c).mean()) for c in np.unique(y)},
            [(names[pairs[0, i]], names[pairs[1, i]], int(counts[i])) for i in order],
            {names[c]: int((y == c).sum()) for c in np.unique(y)},
        )

    @property
    def overall(self) -> float:
        """Share of all predictions that are correct."""
        return self.correct / self.total

    @property
    def mean_per_class(self) -> float:
        """Mean of the classes' accuracies."""
        return float(np.mean(list(self.per_class.values())))

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's score interval: sensible for few samples and near 100 %."""
        return wilson_interval(self.correct, self.total)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.overall:.2%} ({self.correct} of {self.total}; 95 % interval {low:.2%} to "
            f"{high:.2%}), mean per class {self.mean_per_class:.2%}"
        )

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "accuracy": self.overall,
            "correct": self.correct,
            "total": self.total,
            "interval": list(self.interval),
            "mean_per_class": self.mean_per_class,
            "per_class": self.per_class,
            "per_class_total": self.per_class_total,
        }


def taken(items: Any, indices: NDArray[np.intp]) -> Any:
    """Rows of an array, or a list of the items with these indices."""
    return items[indices] if isinstance(items, np.ndarray) else [items[i] for i in indices]
