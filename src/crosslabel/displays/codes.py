"""Which atoms the samples of each class use: the picture of cross-label suppression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from crosslabel.core.scaling import Array
from crosslabel.displays.canvas import DictionaryModel, axes_or_new, names_of
from crosslabel.displays.given import check_model, labelled_atoms

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Coder(DictionaryModel, Protocol):
    """A model that codes samples over its atoms."""

    def transform(self, X: ArrayLike) -> Array:
        """Codes of samples, (n_samples, n_atoms)."""


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
        NaN for a class without samples.
    """
    means = np.full((n_classes, codes.shape[1]), np.nan)
    for c in np.unique(labels):
        means[c] = np.abs(codes[labels == c]).mean(axis=0)
    return means


class CodesDisplay:
    """Mean absolute coefficients: samples of a class (rows) use the atoms of that class (columns).

    Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    means : ndarray of shape (n_classes, n_atoms)
    atom_labels : ndarray of int of shape (n_atoms,)
        Class of each atom as an index in `names`; −1 for a shared atom.
    names : sequence of str

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    image_ : matplotlib AxesImage

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import CrossLabelClassifier
    >>> from crosslabel.displays import CodesDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CrossLabelClassifier(atoms_per_class=8, rule="local", ridge=0.1).fit(X[::2], y[::2])
    >>> display = CodesDisplay.from_estimator(model, X[1::2], y[1::2])
    >>> display.means.shape
    (10, 80)
    """

    def __init__(self, means: Array, atom_labels: NDArray[np.intp], names: Sequence[str]) -> None:
        self.means = means
        self.atom_labels = atom_labels
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: Coder,
        X: ArrayLike,
        y: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        cmap: str = "viridis",
    ) -> Self:
        """Code samples with a fitted model and draw which atoms each class uses.

        Parameters
        ----------
        estimator : CrossLabelClassifier or CrossLabelClassifierCV
        X : array-like of shape (n_samples, n_features)
            Best samples that the model has not seen.
        y : array-like of shape (n_samples,)
            Their labels.
        names : sequence of str, default=None
            In place of `classes_`.
        ax : matplotlib Axes, default=None
        cmap : str, default="viridis"

        Returns
        -------
        CodesDisplay
        """
        check_model(estimator, "transform", "atom_labels_", "classes_")
        codes, called = estimator.transform(X), names_of(estimator.classes_, names)
        return cls._of(y, codes, estimator.atom_labels_, estimator.classes_, called).plot(
            ax, cmap=cmap
        )

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        codes: Array,
        atom_labels: NDArray[np.intp],
        *,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        cmap: str = "viridis",
    ) -> Self:
        """Draw codes that are at hand as an array.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels of the samples; sorted, they are the classes that `atom_labels` counts, so that
            there are samples of every class.
        codes : array-like of shape (n_samples, n_atoms)
        atom_labels : array-like of int of shape (n_atoms,)
            Class of each atom; −1 for a shared atom.
        names, ax, cmap
            As in `from_estimator`.

        Returns
        -------
        CodesDisplay
        """
        columns, labels = labelled_atoms(np.asarray(codes).T, atom_labels)
        classes = np.unique(np.asarray(y))
        if labels.max() >= len(classes):
            raise ValueError(
                f"y has {len(classes)} classes, but the atoms belong to {labels.max() + 1}. Give "
                "samples of each class, or let `from_estimator` say which classes there are."
            )
        called = names_of(classes, names)
        return cls._of(y, columns.T, labels, classes, called).plot(ax, cmap=cmap)

    @classmethod
    def _of(
        cls,
        y: ArrayLike,
        codes: Array,
        atom_labels: NDArray[np.intp],
        classes: NDArray[np.generic],
        names: Sequence[str],
    ) -> Self:
        targets = np.asarray(y)
        check_consistent_length(codes, targets)
        strange = np.setdiff1d(targets, classes).tolist()
        if strange:
            raise ValueError(f"The model knows no class {strange[0]!r}, which y holds.")
        means = mean_absolute_codes(codes, np.searchsorted(classes, targets), len(classes))
        return cls(means, atom_labels, names)

    def plot(self, ax: Axes | None = None, *, cmap: str = "viridis", colorbar: bool = True) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
        cmap : str, default="viridis"
        colorbar : bool, default=True

        Returns
        -------
        self
        """
        self.ax_ = axes_or_new(ax, (8, 5))
        self.figure_ = self.ax_.figure
        # A few large coefficients would leave the rest in the dark.
        brightest = float(np.nanquantile(self.means, 0.995))
        self.image_ = self.ax_.imshow(
            self.means, aspect="auto", cmap=cmap, interpolation="nearest", vmax=brightest
        )
        bounds = np.flatnonzero(np.diff(self.atom_labels)) + 0.5
        for bound in bounds if len(bounds) <= 20 else []:
            self.ax_.axvline(bound, color="white", linewidth=0.4)
        step = max(1, len(self.names) // 20)
        self.ax_.set_yticks(range(0, len(self.names), step), list(self.names)[::step])
        self.ax_.set(xlabel="atom, by class", ylabel="class of the samples")
        if colorbar:
            self.figure_.colorbar(self.image_, ax=self.ax_, label="mean |coefficient|")
        return self
