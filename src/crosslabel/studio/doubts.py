"""Pictures whose class is in doubt, and pictures whose class would teach most."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array
from crosslabel.studio.study import Study

MOST = 60
"""Doubts that are shown."""


class Doubt(NamedTuple):
    """A picture that another class suits better than its own."""

    key: str
    own: str
    other: str
    own_probability: float
    other_probability: float


def doubts(study: Study, confirmed: Collection[str]) -> list[Doubt]:
    """The suspects of the audit, the most doubtful first.

    Parameters
    ----------
    study : Study
    confirmed : collection of str
        Keys of pictures of which people have said that they are right.
    """
    pictures, found = study.pictures, study.audit
    suspects = [i for i in found.suspects.tolist() if pictures.keys[i] not in confirmed]
    return [
        Doubt(
            pictures.keys[i],
            pictures.names[pictures.labels[i]],
            pictures.names[found.looks_like[i]],
            float(found.probability[i]),
            float(found.looks_probability[i]),
        )
        for i in suspects[:MOST]
    ]


def teaching_order(probabilities: Array) -> NDArray[np.intp]:
    """Pictures without a class, those first whose label would teach most.

    That is the entropy of what the model believes now: what it would learn on average, in nats.

    Parameters
    ----------
    probabilities : ndarray of shape (n, n_classes)

    Returns
    -------
    ndarray of int of shape (n,)
    """
    return np.argsort(-entropy(probabilities), kind="stable")


def entropy(probabilities: Array) -> Array:
    """−Σ p log p of each row."""
    p = np.clip(probabilities, 1e-300, 1)
    return -(p * np.log(p)).sum(axis=1)
