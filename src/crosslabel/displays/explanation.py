"""Why a model labels one query as it does, in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosslabel.core.rules.explanation import Share
from crosslabel.core.scaling import Array
from crosslabel.displays.canvas import axes_or_new, names_of
from crosslabel.displays.given import Shape, check_model, check_most, pixels
from crosslabel.flagship.predictor import Predictor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 10
"""Classes whose cost is drawn."""


class ExplanationDisplay:
    """A query, its reconstruction by the best classes, its coefficients and what the rule compares.

    Make one with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    query : ndarray of shape (n_features,)
        As the dictionary sees it.
    shares : sequence of Share
        How each class accounts for it, in the order of the classes.
    atom_labels : ndarray of int of shape (n_atoms,)
        Class of each atom; −1 for a shared atom.
    names : sequence of str
        Name of each class.
    shape : (height, width), default=None
        Of the image behind the features; None draws curves.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
        Query and reconstructions, then the coefficients, then the costs.
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import CrossLabelClassifier
    >>> from crosslabel.displays import ExplanationDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CrossLabelClassifier(rule="local", ridge=0.1).fit(X[1:], y[1:])
    >>> display = ExplanationDisplay.from_estimator(model, X[0], shape=(8, 8))
    >>> display.ranking[0]
    0
    """

    def __init__(
        self,
        query: Array,
        shares: Sequence[Share],
        atom_labels: NDArray[np.intp],
        names: Sequence[str],
        shape: Shape = None,
    ) -> None:
        self.query = query
        self.shares = shares
        self.atom_labels = atom_labels
        self.names = names
        self.shape = shape

    @classmethod
    def from_estimator(
        cls,
        estimator: Predictor,
        query: ArrayLike,
        *,
        shape: Shape = None,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        most_classes: int = 3,
    ) -> Self:
        """Explain one query by a fitted model.

        Where several rules decide together, the picture shows the dictionary's rule.

        Parameters
        ----------
        estimator : CrossLabelClassifier or CrossLabelClassifierCV
        query : array-like of shape (n_features,)
            Or one row of a matrix.
        shape : (height, width), default=None
            Of the image behind the features; None draws curves.
        names : sequence of str, default=None
            In place of `classes_`.
        ax : matplotlib Axes, default=None
            Its place is divided between the parts of the picture.
        most_classes : int, default=3
            Whose reconstructions are drawn.

        Returns
        -------
        ExplanationDisplay
        """
        check_model(estimator, "fitted_", "check_queries")
        rows = np.atleast_2d(np.asarray(query))
        if len(rows) != 1:
            raise ValueError(f"One query is explained, but {len(rows)} were given: give X[0].")
        valid = estimator.check_queries(rows)
        view = estimator.fitted_.view
        lifted = view.lifted(valid)[0]
        shares = view.prepared.explanation(lifted)
        called = names_of(estimator.classes_, names)
        display = cls(lifted, shares, view.layout.labels, called, shape)
        return display.plot(ax, most_classes=most_classes)

    @classmethod
    def from_predictions(
        cls,
        query: Array,
        shares: Sequence[Share],
        atom_labels: NDArray[np.intp],
        *,
        shape: Shape = None,
        names: Sequence[str] | None = None,
        ax: Axes | None = None,
        most_classes: int = 3,
    ) -> Self:
        """Draw an explanation that a rule has given: ``rule.explanation(query)``.

        Parameters
        ----------
        query : ndarray of shape (n_features,)
        shares : sequence of Share
            One for each class.
        atom_labels : ndarray of int of shape (n_atoms,)
        shape, names, ax, most_classes
            As in `from_estimator`; the classes are called 0, 1, … without names.

        Returns
        -------
        ExplanationDisplay
        """
        if not shares:
            raise ValueError("There is no class to explain the query: shares is empty.")
        called = names_of(range(len(shares)), names)
        return cls(np.asarray(query), shares, np.asarray(atom_labels), called, shape).plot(
            ax, most_classes=most_classes
        )

    @property
    def ranking(self) -> list[int]:
        """The classes, best first."""
        return np.argsort([-share.score for share in self.shares], kind="stable").tolist()

    @property
    def code(self) -> Array:
        """The coefficients that decide: of each class's own atoms, and the winner's shared ones."""
        code = np.zeros(len(self.atom_labels))
        for c in reversed(self.ranking):
            code[self.shares[c].atoms] = self.shares[c].coefficients
        return code

    def plot(self, ax: Axes | None = None, *, most_classes: int = 3) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
        most_classes : int, default=3

        Returns
        -------
        self
        """
        check_most("most_classes", most_classes)
        best = self.ranking[:most_classes]
        vectors = [self.query, *(self.shares[c].reconstruction for c in best)]
        pictures = pixels(np.array(vectors), self.shape)
        place = axes_or_new(ax, (2.6 * (len(best) + 1), 6.5))
        place.set_axis_off()
        self.figure_ = place.figure
        spec = place.get_subplotspec()
        if spec is None:
            raise ValueError(
                "The axes that were given were placed by hand and cannot be divided. Give axes "
                "of `subplots`, or none."
            )
        grid = spec.subgridspec(3, len(best) + 1, height_ratios=[3, 2, 2])
        shown = [self.figure_.add_subplot(grid[0, column]) for column in range(len(best) + 1)]
        for axes, vector in zip(shown, pictures):
            self._draw_vector(axes, vector)
        shown[0].set_title("query")
        for axes, c in zip(shown[1:], best):
            axes.set_title(f"{self.names[c]}: residual {self.shares[c].residual:.2f}")
        below = [self.figure_.add_subplot(grid[row, :]) for row in (1, 2)]
        self._draw_code(below[0], best)
        self._draw_costs(below[1], len(best))
        self.axes_ = np.array([*shown, *below])
        return self

    def _draw_vector(self, ax: Axes, vector: Array) -> None:
        if self.shape is None:
            ax.plot(vector, linewidth=0.8)
            ax.set_yticks([])
            return
        ax.imshow(vector.reshape(self.shape), cmap="gray")
        ax.set_axis_off()

    def _draw_code(self, ax: Axes, best: Sequence[int]) -> None:
        code = self.code
        ax.bar(np.arange(len(code)), code, width=1.0, color="0.75")
        for rank, c in enumerate(best):
            own = np.flatnonzero(self.atom_labels == c)
            ax.bar(own, code[own], width=1.0, color=f"C{rank}", label=self.names[c])
        ax.set(xlabel="atom", ylabel="coefficient")
        ax.legend(fontsize="small", loc="upper right")

    def _draw_costs(self, ax: Axes, coloured: int) -> None:
        """Scores are negated costs; costs, the shortest of which wins, are easier to see."""
        shown = self.ranking[:MOST_BARS]
        colours = [f"C{rank}" if rank < coloured else "0.75" for rank in range(len(shown))]
        costs = [-self.shares[c].score for c in shown]
        ax.barh(np.arange(len(shown)), costs, color=colours)
        ax.set_yticks(np.arange(len(shown)), [self.names[c] for c in shown], fontsize="small")
        ax.invert_yaxis()
        ax.set(xlabel="what the rule compares: the shortest wins")
