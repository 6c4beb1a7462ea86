"""Where a display draws: on the axes it is given, else on a new figure of pyplot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARED_NAME = "shared"
"""What atoms are called that belong to no class."""


class DictionaryModel(Protocol):
    """An estimator that has learnt a dictionary whose atoms belong to classes."""

    classes_: NDArray[np.generic]
    dictionary_: Array
    atom_labels_: NDArray[np.intp]


def axes_or_new(ax: Axes | None, figsize: tuple[float, float] | None = None) -> Axes:
    """The axes that were given, or those of a new figure.

    Parameters
    ----------
    ax : matplotlib Axes or None
    figsize : (width, height), default=None
        Of a new figure, in inches.

    Raises
    ------
    ImportError
        Where matplotlib is not installed; the message names the extra that brings it.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise ImportError(
            "Drawing needs the package matplotlib. Install it: pip install 'crosslabel[plot]'."
        ) from error
    return pyplot.subplots(figsize=figsize, layout="constrained")[1]


def names_of(classes: Sequence[object] | NDArray[np.generic], names: Sequence[str] | None) -> list:
    """What classes are called in a picture: by names that are given, else by their labels.

    Parameters
    ----------
    classes : sequence
        As in `classes_`.
    names : sequence of str or None
        One for each class.

    Returns
    -------
    list of str
    """
    if names is None:
        return [str(label) for label in classes]
    if len(names) != len(classes):
        raise ValueError(
            f"There are {len(classes)} classes, but {len(names)} names of them. Give one for each."
        )
    return [str(name) for name in names]


def seen(atoms: Array) -> Array:
    """Each atom or its negative, which serves a code as well: the one with more light than shade.

    Parameters
    ----------
    atoms : ndarray of shape (n_atoms, n_features)
    """
    return np.where(atoms.sum(axis=1, keepdims=True) >= 0, atoms, -atoms)
