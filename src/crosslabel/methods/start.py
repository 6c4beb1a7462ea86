"""What the methods begin with: the samples of each class, its atoms, and where these start.

Labels are those that a method learns from: 0 … C−1, in ascending order.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from sklearn.utils import check_random_state

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.initialise import kmeans_start
from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.methods.parameters import RandomState

START_RIDGE = 1e-2
"""β of the ridge codes whose residuals start the shared atoms."""


def class_parts(labels: Labels) -> list[slice]:
    """Slice of each class's samples."""
    edges = np.searchsorted(labels, np.arange(labels[-1] + 2))
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def class_layout(
    labels: Labels, atoms_per_class: int | Labels, shared_atoms: int = 0
) -> AtomLayout:
    """`atoms_per_class` atoms for each class, but no more than it has samples."""
    counts = np.minimum(np.bincount(labels), atoms_per_class)
    return AtomLayout(shared_atoms, tuple(int(count) for count in counts))


def start_atoms(X: Array, labels: Labels, layout: AtomLayout, random_state: RandomState) -> Array:
    """Centroids of each class, and of what they leave unexplained for the shared atoms."""
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    return kmeans_start(X, labels, layout, START_RIDGE, np.random.default_rng(seed))


def one_hot(labels: Labels) -> Array:
    """Indicator of each sample's class, (n_samples, n_classes)."""
    return np.eye(labels[-1] + 1)[labels]
