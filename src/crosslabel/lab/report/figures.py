"""Pictures of a dictionary: its atoms, and which atoms the samples of each class use.

Draws on figures of its own, never on the user's current one, and works without a screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array
from crosslabel.displays.atoms import AtomsDisplay
from crosslabel.displays.codes import CodesDisplay

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(figsize: tuple[float, float] | None = None) -> Figure:
    """An empty figure.

    Parameters
    ----------
    figsize : (width, height), default=None
        In inches.

    Raises
    ------
    ImportError
        Where matplotlib is not installed; the message names the extra that brings it.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ImportError(
            "Drawing needs the package matplotlib. Install it: pip install 'crosslabel[plot]'."
        ) from error
    return Figure(layout="constrained", figsize=figsize)


def draw_atoms(
    dictionary: Array,
    atom_labels: NDArray[np.intp],
    names: Sequence[str],
    shape: tuple[int, int],
    *,
    most_classes: int = 10,
    most_atoms: int = 10,
) -> Figure:
    """Show the atoms of the first classes as images, a row for each class.

    Parameters
    ----------
    dictionary : ndarray of shape (n_atoms, n_features)
    atom_labels : ndarray of int of shape (n_atoms,)
        Class of each atom; −1 for shared atoms, which get a row of their own.
    names : sequence of str
        Name of each class.
    shape : (height, width)
        Of the images behind the features.
    most_classes, most_atoms : int, default=10

    Returns
    -------
    matplotlib.figure.Figure
    """
    display = AtomsDisplay(dictionary, atom_labels, names, shape)
    figure = new_figure(figsize=display.figure_size(most_classes, most_atoms))
    display.plot(figure.subplots(), most_classes=most_classes, most_atoms=most_atoms)
    return figure


def draw_codes(means: Array, atom_labels: NDArray[np.intp], names: Sequence[str]) -> Figure:
    """Show the block structure: samples of a class (rows) use the atoms of that class (columns).

    Parameters
    ----------
    means : ndarray of shape (n_classes, n_atoms)
        From `mean_absolute_codes`.
    atom_labels : ndarray of int of shape (n_atoms,)
    names : sequence of str

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = new_figure(figsize=(8, 6.5))
    display = CodesDisplay(means, atom_labels, names).plot(figure.subplots())
    display.ax_.set_title("Mean absolute code of the test samples of each class")
    return figure
