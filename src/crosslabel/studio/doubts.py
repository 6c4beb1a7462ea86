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
    """A picture that a model without it takes for another class."""

    key: str
    own: str
    other: str
    own_probability: float
    other_probability: float


def doubts(study: Study, confirmed: Collection[str]) -> list[Doubt]:
    """Pictures that are taken for another class when held out, the surest mistakes first.

    Parameters
    ----------
    study : Study
    confirmed : collection of str
        Keys of pictures of which people have said that they are right.
    """
    pictures, found = study.pictures, list[Doubt]()
    for place, row in zip(study.tested.tolist(), study.probabilities):
        own, other = int(pictures.labels[place]), int(row.argmax())
        if own != other and pictures.keys[place] not in confirmed:
            names = pictures.names[own], pictures.names[other]
            found.append(Doubt(pictures.keys[place], *names, float(row[own]), float(row[other])))
    found.sort(key=lambda doubt: doubt.own_probability - doubt.other_probability)
    return found[:MOST]


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
