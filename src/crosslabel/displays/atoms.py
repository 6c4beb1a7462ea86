"""The atoms of a dictionary as pictures, a row for each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.scaling import Array
from crosslabel.displays.canvas import SHARED_NAME, DictionaryModel, axes_or_new, names_of, seen
from crosslabel.displays.given import Shape, check_model, check_most, labelled_atoms, pixels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FRAME = 0.08
"""Empty border of a cell, as a part of its width."""


class AtomsDisplay:
    """What a dictionary has learnt: its atoms as images, or as curves, a row for each class.

    An atom and its negative serve a code alike; each is turned the way that has more light than
    shade. Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    atoms : ndarray of shape (n_atoms, n_features)
    atom_labels : ndarray of int of shape (n_atoms,)
        Class of each atom as an index in `names`; −1 for a shared atom.
    names : sequence of str
        Name of each class.
    shape : (height, width), default=None
        Of the images behind the features; None draws curves.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import CrossLabelClassifier
    >>> from crosslabel.displays import AtomsDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CrossLabelClassifier(atoms_per_class=8, rule="local", ridge=0.1).fit(X, y)
    >>> display = AtomsDisplay.from_estimator(model, shape=(8, 8))
    >>> [label.get_text() for label in display.ax_.get_yticklabels()][:3]
    ['0', '1', '2']
    """

    def __init__(
        self,
        atoms: Array,
        atom_labels: NDArray[np.intp],
        names: Sequence[str],
        shape: Shape = None,
    ) -> None:
        self.atoms = atoms
        self.atom_labels = atom_labels
        self.names = names
        self.shape = shape

    @classmethod
    def from_estimator(
        cls,
        estimator: DictionaryModel,
        *,
        shape: Shape = None,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        most_classes: int = 10,
        most_atoms: int = 10,
        cmap: str = "gray",
    ) -> Self:
        """Draw the atoms of a fitted model.

        Parameters
        ----------
        estimator : CrossLabelClassifier or like it
            Has `dictionary_`, `atom_labels_` and `classes_`, as `CrossLabelClassifierCV`, `DPL`,
            `DLSI` and the K-SVD family do.
        shape : (height, width), default=None
            Of the images behind the features; None draws curves.
        names : sequence of str, default=None
            In place of `classes_`.
        ax : matplotlib Axes, default=None
            None makes a new figure.
        most_classes, most_atoms : int, default=10
            The first so many are drawn.
        cmap : str, default="gray"
            Colours of images.

        Returns
        -------
        AtomsDisplay
        """
        check_model(estimator, "dictionary_", "atom_labels_", "classes_")
        called = names_of(estimator.classes_, names)
        display = cls(pixels(estimator.dictionary_, shape), estimator.atom_labels_, called, shape)
        return display.plot(ax, most_classes=most_classes, most_atoms=most_atoms, cmap=cmap)

    @classmethod
    def from_predictions(
        cls,
        atoms: Array,
        atom_labels: NDArray[np.intp],
        *,
        shape: Shape = None,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        most_classes: int = 10,
        most_atoms: int = 10,
        cmap: str = "gray",
    ) -> Self:
        """Draw atoms that are at hand as an array: of another method, or turned back to pixels.

        Parameters
        ----------
        atoms : array-like of shape (n_atoms, n_features)
        atom_labels : array-like of int of shape (n_atoms,)
            Class of each atom; −1 for a shared atom.
        shape, names, ax, most_classes, most_atoms, cmap
            As in `from_estimator`; the classes are called 0, 1, … without names.

        Returns
        -------
        AtomsDisplay
        """
        rows, labels = labelled_atoms(atoms, atom_labels)
        called = names_of(range(int(labels.max()) + 1), names)
        display = cls(pixels(rows, shape), labels, called, shape)
        return display.plot(ax, most_classes=most_classes, most_atoms=most_atoms, cmap=cmap)

    def figure_size(self, most_classes: int = 10, most_atoms: int = 10) -> tuple[float, float]:
        """Width and height in inches of a figure that so many rows and columns fill."""
        height, width = self.shape or (1, 1)
        sizes = np.bincount(self.atom_labels - self.atom_labels.min())
        n_columns = min(most_atoms, int(sizes[:most_classes].max()))
        n_rows = min(most_classes, int((sizes > 0).sum()))
        return 1.2 + 0.8 * n_columns, 0.4 + 0.8 * height / width * n_rows

    def plot(
        self,
        ax: Axes | None = None,
        *,
        most_classes: int = 10,
        most_atoms: int = 10,
        cmap: str = "gray",
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
        most_classes, most_atoms : int, default=10
        cmap : str, default="gray"

        Returns
        -------
        self
        """
        check_most("most_classes", most_classes)
        check_most("most_atoms", most_atoms)
        labels = np.unique(self.atom_labels)[:most_classes]
        rows = [seen(self.atoms[self.atom_labels == label][:most_atoms]) for label in labels]
        height, width = self.shape or (1, 1)
        n_columns = max(map(len, rows))
        self.ax_ = axes_or_new(ax, self.figure_size(most_classes, most_atoms))
        self.figure_ = self.ax_.figure
        for row, atoms in enumerate(rows):
            for column, atom in enumerate(atoms):
                self._draw_cell(atom, row, column, cmap)
        called = [SHARED_NAME if label < 0 else self.names[label] for label in labels]
        self.ax_.set(xlim=(0, n_columns), ylim=(len(rows), 0), xticks=[])
        self.ax_.set_yticks(np.arange(len(rows)) + 0.5, called)
        self.ax_.set_aspect(height / width)
        self.ax_.tick_params(length=0)
        self.ax_.spines[:].set_visible(False)
        return self

    def _draw_cell(self, atom: Array, row: int, column: int, cmap: str) -> None:
        """One atom in a unit square."""
        left, right = column + FRAME, column + 1 - FRAME
        top, bottom = row + FRAME, row + 1 - FRAME
        if self.shape is not None:
            self.ax_.imshow(
                atom.reshape(self.shape),
                extent=(left, right, bottom, top),
                cmap=cmap,
                interpolation="nearest",
            )
            return
        low, high = atom.min(), atom.max()
        heights = bottom - (bottom - top) * (atom - low) / ((high - low) or 1.0)
        self.ax_.plot(np.linspace(left, right, len(atom)), heights, color="C0", linewidth=0.8)
