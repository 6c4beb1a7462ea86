"""Which atoms are shared by all classes and which belong to one: the index sets I⁰ and Iᶜ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

SHARED = -1
"""Label of a shared atom; the atoms of class c carry the label c = 0 … C−1."""


@dataclass(frozen=True)
class AtomLayout:
    """Order of the atoms in a dictionary: the K₀ shared ones first, then those of each class.

    Parameters
    ----------
    shared : int
        Number of shared atoms K₀.
    per_class : tuple of int
        Number of atoms of each class.
    """

    shared: int
    per_class: tuple[int, ...]

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """First atom of each class, and one past the last atom at the end."""
        return np.cumsum([self.shared, *self.per_class])

    @property
    def n_classes(self) -> int:
        """Number of classes C."""
        return len(self.per_class)

    @property
    def n_atoms(self) -> int:
        """Number of atoms K."""
        return int(self.starts[-1])

    def own(self, label: int) -> slice:
        """Iᶜ: the atoms of one class."""
        return slice(int(self.starts[label]), int(self.starts[label + 1]))

    def free(self, label: int) -> NDArray[np.intp]:
        """S = I⁰ ∪ Iᶜ: the atoms that samples of one class use without suppression."""
        own = self.own(label)
        return np.concatenate([np.arange(self.shared), np.arange(own.start, own.stop)])

    def parts(self) -> Iterator[slice]:
        """Yield the parts that are updated in turn: shared atoms, then class by class."""
        sizes = [slice(0, self.shared), *(self.own(c) for c in range(self.n_classes))]
        return (part for part in sizes if part.stop > part.start)

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """Label of each atom: its class 0 … C−1, or `SHARED`."""
        return np.repeat(np.arange(-1, self.n_classes), [self.shared, *self.per_class])

    def __getstate__(self) -> dict[str, object]:
        """What is stored; all else follows from it."""
        return {"shared": self.shared, "per_class": self.per_class}

    def reordered(self, order: NDArray[np.intp]) -> tuple[AtomLayout, NDArray[np.intp]]:
        """Layout with the classes in another order, and the atoms that go there."""
        layout = AtomLayout(self.shared, tuple(self.per_class[c] for c in order))
        bounds = ((self.starts[c], self.starts[c + 1]) for c in order)
        parts = [np.arange(self.shared), *(np.arange(a, b) for a, b in bounds)]
        return layout, np.concatenate(parts)
