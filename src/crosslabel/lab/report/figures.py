"""Pictures of a dictionary: its atoms, and which atoms the samples of each class use.

Draws on figures of its own, never on the user's current one, and works without a screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array

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
    labels = [*np.unique(atom_labels)][:most_classes]
    n_columns = min(most_atoms, int(np.bincount(atom_labels + 1).max()))
    height, width = shape
    size = (1.2 + 0.9 * n_columns, 0.9 * height / width * len(labels))
    figure = new_figure(figsize=size)
    grid = figure.subplots(len(labels), n_columns, squeeze=False)
    for row, label in zip(grid, labels):
        atoms = dictionary[atom_labels == label]
        for axes in row:
            axes.axis("off")
        for axes, atom in zip(row, atoms):
            axes.imshow(_seen(atom).reshape(shape), cmap="gray", interpolation="nearest")
        name = "shared" if label < 0 else names[label]
        row[0].text(-0.15, 0.5, name, transform=row[0].transAxes, ha="right", va="center")
    return figure


def _seen(atom: Array) -> Array:
    """The atom or its negative, which serves a code as well: the one with more light than shade."""
    return atom if atom.sum() >= 0 else -atom


def mean_absolute_codes(codes: Array, labels: NDArray[np.intp], n_classes: int) -> Array:
    """Mean absolute coefficient of the samples of each class on each atom.

    Parameters
    ----------
    codes : ndarray of shape (n_samples, n_atoms)
    labels : ndarray of int of shape (n_samples,)
    n_classes : int

    Returns
    -------
    ndarray of shape (n_classes, n_atoms)
    """
    return np.array([np.abs(codes[labels == c]).mean(axis=0) for c in range(n_classes)])


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
    axes = figure.subplots()
    # A few large coefficients would leave the rest in the dark.
    image = axes.imshow(
        means, aspect="auto", cmap="viridis", interpolation="nearest",
        vmax=float(np.quantile(means, 0.995)),
    )  # fmt: skip
    bounds = np.flatnonzero(np.diff(atom_labels)) + 0.5
    for bound in bounds if len(bounds) <= 20 else []:
        axes.axvline(bound, color="white", linewidth=0.4)
    step = max(1, len(names) // 20)
    axes.set_yticks(range(0, len(names), step), list(names)[::step])
    axes.set(xlabel="atom, by class", ylabel="class of the test samples")
    axes.set_title("Mean absolute code of the test samples of each class")
    figure.colorbar(image, ax=axes, label="mean |coefficient|")
    return figure
