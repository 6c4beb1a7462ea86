"""What of a fitted flagship goes into files and pickles: what was learnt, not what follows.

The rule that predicts is several times as large as the dictionary, may lie on a GPU, and is an
implementation's own affair. So it is left out and prepared again where the model is loaded: files
stay small, and open in versions that prepare it in another way.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.atoms import SHARED, AtomLayout
from crosslabel.core.rules import RULES

FOLLOWS = ("_rule", "_atom_layout")
# A rule costs about C·(k + s)³ operations. A dictionary that asks for far more than its own size
# explains was not learnt: it would stop whoever loads it.
WORK, WORK_PER_VALUE = 1e10, 1e5


class StoredWithoutRule:
    """Mixin: leaves the rule out of the state, and prepares it when the state is set."""

    dictionary_: NDArray[Any]
    atom_labels_: NDArray[np.intp]
    classes_: NDArray[Any]
    rule_: str

    @abstractmethod
    def _prepare(self) -> None:
        """Compute once what every prediction needs."""

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name not in FOLLOWS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        if "dictionary_" in state:
            self._atom_layout = _layout(self.atom_labels_, len(self.classes_))
            _check(self.dictionary_, self._atom_layout, self.rule_)
            self._prepare()


def _layout(labels: NDArray[np.intp], n_classes: int) -> AtomLayout:
    """The layout whose labels these are."""
    # Before they are counted: a count takes as much memory as the largest label says.
    if labels.ndim != 1 or labels.dtype.kind != "i" or not len(labels) or max(labels) >= n_classes:
        raise ValueError(f"atom_labels_ does not list atoms of {n_classes} classes")
    shared = int(np.count_nonzero(labels == SHARED))
    sizes = np.bincount(labels[shared:], minlength=n_classes)
    layout = AtomLayout(shared, tuple(sizes.tolist()))
    if not np.array_equal(layout.labels, labels):
        raise ValueError("atom_labels_ does not list the shared atoms and then those of each class")
    return layout


def _check(dictionary: NDArray[Any], layout: AtomLayout, rule: str) -> None:
    if dictionary.ndim != 2 or len(dictionary) != layout.n_atoms or dictionary.dtype.kind != "f":
        raise ValueError(
            f"dictionary_ is {dictionary.dtype} of shape {dictionary.shape}, but atom_labels_ has "
            f"{layout.n_atoms} atoms"
        )
    if rule not in RULES:
        raise ValueError(f"there is no rule {rule!r}")
    work = layout.n_classes * (layout.shared + max(layout.per_class)) ** 3.0
    if work > WORK + WORK_PER_VALUE * dictionary.size:
        raise ValueError(
            f"dictionary_ of shape {dictionary.shape} is too small for the {layout.shared} shared "
            f"atoms and up to {max(layout.per_class)} of each class that it says it has"
        )
