"""Why a query gets its label: how probable each class is, and what its atoms make of the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslabel.core.backend import ArrayOrTensor
from crosslabel.core.rules.explanation import Share
from crosslabel.core.scaling import Array
from crosslabel.flagship.fitted import Fitted


@dataclass(frozen=True)
class ClassView:
    """How one class accounts for a query.

    Attributes
    ----------
    name : str
    number : int
        Of the class among the classifier's.
    probability : float
    share : Share
        What the rule says of it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from crosslabel import CrossLabelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CrossLabelClassifier(atoms_per_class=2, rule="local", ridge=0.1).fit(X, y)
    >>> reason = model.explain(X[:1], names=["setosa", "versicolor", "virginica"])[0]
    >>> first, second, third = reason.views
    >>> first.name, first.number, bool(first.probability > second.probability)
    ('setosa', 0, True)
    >>> sorted(first.as_dict())
    ['mass', 'name', 'probability', 'reason', 'residual', 'score']
    """

    name: str
    number: int
    probability: float
    share: Share

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        fields = ("score", "residual", "mass", "reason")
        shown = {field: getattr(self.share, field) for field in fields}
        return {"name": self.name, "probability": self.probability, **shown}


@dataclass(frozen=True)
class Explanation:
    """All that decides a label.

    Attributes
    ----------
    rule : str
        What decides: a name of `crosslabel.core.rules.RULES`, or "joint" where the discriminant has
        a say too.
    shown : str
        The rule of the dictionary, whose shares are told.
    query : ndarray of shape (n_features,)
        The features as the dictionary sees them.
    atom_labels : ndarray of int of shape (n_atoms,)
        Class number of each atom; −1 for shared ones.
    views : tuple of ClassView
        Every class, the one that is predicted first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from crosslabel import CrossLabelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CrossLabelClassifier(atoms_per_class=2, rule="local", ridge=0.1).fit(X, y)
    >>> reason = model.explain(X[:1], names=["setosa", "versicolor", "virginica"])[0]
    >>> reason.label, reason.rule, reason.code.shape
    ('setosa', 'local', (6,))
    >>> reason.sentence("The first flower").startswith("The first flower is labelled setosa")
    True
    >>> model.atom_labels_[reason.heaviest(0, most=1)].tolist()  # an own atom of the best class
    [0]
    >>> sorted(reason.as_dict())
    ['classes', 'label', 'reason', 'rule']
    """

    rule: str
    shown: str
    query: Array
    atom_labels: NDArray[np.intp]
    views: tuple[ClassView, ...]

    @property
    def label(self) -> str:
        """The name of the class that is predicted."""
        return self.views[0].name

    @property
    def code(self) -> Array:
        """The coefficients that decide: of each class's own atoms, and the winner's shared ones."""
        code = np.zeros(len(self.atom_labels))
        for view in reversed(self.views):
            code[view.share.atoms] = view.share.coefficients
        return code

    def sentence(self, subject: str = "The query") -> str:
        """The reason in words.

        Parameters
        ----------
        subject : str, default="The query"
            What is labelled, as the name of a file.
        """
        first, second = self.views[:2]
        said = (
            f"{subject} is labelled {first.name} by the {self.rule} rule "
            f"({first.probability:.0%}): its atoms {first.share.reason}; those of the runner-up, "
            f"{second.name} "
            f"({second.probability:.0%}), {second.share.reason}"
        )
        if self.rule != self.shown and second.share.score > first.share.score:
            said += f"; the discriminant speaks for {first.name}"
        return f"{said}."

    def heaviest(self, rank: int, most: int) -> list[int]:
        """Own atoms of the class at this rank that say most of the query, the heaviest first.

        Parameters
        ----------
        rank : int
            0 for the class that is predicted, 1 for the runner-up, and so on.
        most : int
            As many atoms at most.
        """
        view = self.views[rank]
        own = self.atom_labels[view.share.atoms] == view.number
        order = np.argsort(-np.abs(view.share.coefficients[own]), kind="stable")
        return view.share.atoms[own][order[:most]].tolist()

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "label": self.label,
            "rule": self.rule,
            "reason": self.sentence(),
            "classes": [view.as_dict() for view in self.views],
        }


def explained(
    fitted: Fitted, rule: str, queries: ArrayOrTensor, names: Sequence[str]
) -> list[Explanation]:
    """The explanation of each query.

    Parameters
    ----------
    fitted : Fitted
    rule : str
        What decides.
    queries : ndarray of shape (n_queries, n_features)
        Valid ones.
    names : sequence of str
        Of the classes.

    Returns
    -------
    list of Explanation
    """
    shown, labels = fitted.view, fitted.view.layout.labels
    found = []
    for query, scores, chances in zip(
        shown.lifted(queries), fitted.scores(queries), fitted.probabilities(queries)
    ):
        shares = shown.prepared.explanation(query)
        views = tuple(
            ClassView(names[c], c, float(chances[c]), shares[c])
            for c in np.argsort(-np.asarray(scores), kind="stable").tolist()
        )
        found.append(Explanation(rule, shown.rule, query, labels, views))
    return found
