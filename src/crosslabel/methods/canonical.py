"""What the comparison methods share: samples in canonical order, and a start for their atoms.

A method derives from `CanonicalClassifier` and writes `_learn(X, labels)` and `_scores(X)`.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from crosslabel.core.atoms import SHARED, AtomLayout
from crosslabel.core.backend import is_tensor
from crosslabel.core.initialise import kmeans_start
from crosslabel.core.ordering import canonical
from crosslabel.core.scaling import Array
from crosslabel.methods.base import Labels, RepresentationClassifier


class CanonicalClassifier(RepresentationClassifier):
    """A classifier whose result depends neither on the order of samples nor on names of classes.

    Samples are sorted by class and by content before they are learnt from, so that the samples of
    a class are a slice. All arithmetic is in float64.
    """

    atom_labels_: NDArray[np.intp]

    @abstractmethod
    def _learn(self, X: Array, labels: Labels) -> None:
        """Learn from float64 samples sorted by canonical class 0 … C−1."""

    @abstractmethod
    def _scores(self, X: Array) -> Array:
        """Score of each canonical class for each float64 query; the highest wins."""

    def _fit(self, X: Array, labels: Labels) -> None:
        order = canonical(X, labels, len(self.classes_))
        rows = np.repeat(order.rows, order.weights.astype(int))  # equal samples stay as many
        classes = np.repeat(order.labels, order.weights.astype(int))
        self._class_order = order.classes
        self._learn(np.asarray(X[rows], np.float64), classes)

    def _class_scores(self, X: Array) -> Array:
        return self._canonical_scores(X)[:, np.argsort(self._class_order)]

    def _canonical_scores(self, X: Any) -> Array:
        if not is_tensor(X):
            return self._scores(np.asarray(X, np.float64))
        from crosslabel.core.gpu.moving import moved

        # Every fit makes a new `classes_`: a copy on the device is as old as that.
        return moved(self, X.device, self.classes_)._scores(X.double())

    def _name_atoms(self, layout: AtomLayout) -> None:
        """Set `atom_labels_`: the class of each atom as an index in `classes_`, −1 if shared."""
        own = layout.labels != SHARED
        self.atom_labels_ = np.where(own, self._class_order[layout.labels], SHARED)


def class_parts(labels: Labels) -> list[slice]:
    """Slice of each class's samples, for labels in ascending order."""
    edges = np.searchsorted(labels, np.arange(labels[-1] + 2))
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def class_layout(labels: Labels, atoms_per_class: int, shared_atoms: int = 0) -> AtomLayout:
    """`atoms_per_class` atoms for each class, but no more than it has samples."""
    counts = np.minimum(np.bincount(labels), atoms_per_class)
    return AtomLayout(shared_atoms, tuple(int(count) for count in counts))


def start_atoms(X: Array, labels: Labels, layout: AtomLayout, random_state: Any) -> Array:
    """Centroids of each class, and of what they leave unexplained for the shared atoms."""
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    return kmeans_start(X, labels, layout, 1e-2, np.random.default_rng(seed))


def one_hot(labels: Labels) -> Array:
    """Indicator of each sample's class, (n_samples, n_classes)."""
    return np.eye(labels[-1] + 1)[labels]
