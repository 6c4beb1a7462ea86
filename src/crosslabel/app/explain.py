"""Why a model labels a query as it does: numbers, a sentence and a picture."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crosslabel.app.predict import class_scores
from crosslabel.app.queries import read_queries
from crosslabel.core.coding import ridge_codes
from crosslabel.core.scaling import Array
from crosslabel.files import Model, load_model
from crosslabel.files.whole import write_whole
from crosslabel.lab.report.figures import new_figure

SHOWN = 3  # classes whose reconstructions are drawn


@dataclass(frozen=True)
class ClassView:
    """How one class accounts for the query.

    Parameters
    ----------
    name : str
    number : int
        Of the class among the classifier's.
    score : float
        What the rule compares; the highest wins.
    residual : float
        Norm of what the class's atoms (with the shared ones) leave of the unit-norm query.
    mass : float
        Sum of absolute coefficients on the class's own atoms.
    reconstruction : ndarray of shape (n_features,)
    """

    name: str
    number: int
    score: float
    residual: float
    mass: float
    reconstruction: Array


@dataclass(frozen=True)
class Explanation:
    """All that decides a label.

    Parameters
    ----------
    file : str
    rule : {"global", "local"}
    query : ndarray of shape (n_features,)
        The features, of unit norm where the classifier scales them.
    code : ndarray of shape (n_atoms,)
        Ridge code over all atoms.
    atom_labels : ndarray of int of shape (n_atoms,)
        Class number of each atom; −1 for shared ones.
    views : list of ClassView
        Every class, best first.
    """

    file: str
    rule: str
    query: Array
    code: Array
    atom_labels: Any
    views: list[ClassView]

    @property
    def sentence(self) -> str:
        """The reason in words."""
        first, second = self.views[:2]
        own = first.mass / max(sum(view.mass for view in self.views), np.finfo(float).tiny)
        reason = (
            f"its atoms leave a residual of {first.residual:.3f} (runner-up {second.name}: "
            f"{second.residual:.3f})"
        )
        if self.rule == "global":
            reason += f" and carry {own:.0%} of the coefficients"
        return f"{self.file} is labelled {first.name} by the {self.rule} rule: {reason}."

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        fields = ("name", "score", "residual", "mass")
        classes = [{name: getattr(view, name) for name in fields} for view in self.views]
        return {
            "file": self.file,
            "label": self.views[0].name,
            "rule": self.rule,
            "reason": self.sentence,
            "classes": classes,
        }


def explain(
    model: Model | str | os.PathLike[str],
    image: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
) -> Explanation:
    """Explain the label of one image, clip, or first row of a feature file.

    Parameters
    ----------
    model : Model or path
    image : path
    out : path, default=None
        Where a picture is written (needs the extra `plot`); its suffix is the format.

    Returns
    -------
    Explanation
    """
    trained = model if isinstance(model, Model) else load_model(model)
    query = next(iter(read_queries(trained.kind, [Path(image)], strict=True)))
    items = query.item[None] if trained.kind == "features" else [query.item]
    explanation = _explanation(trained, str(image), items)
    if out is not None:
        _draw(trained, explanation, Path(out))
    return explanation


def _explanation(model: Model, file: str, items: Any) -> Explanation:
    features, classifier = model.pipeline[:-1], model.pipeline[-1]
    X = features.transform(items) if len(features) else np.asarray(items)
    scores = class_scores(classifier, X)[0]
    code = classifier.transform(X)[0]
    query = classifier._check_queries(X)[0]
    shared = classifier.atom_labels_ == -1
    views = []
    for number in np.argsort(-scores, kind="stable"):
        own = classifier.atom_labels_ == number
        used = own | shared
        part = _class_code(classifier, query, code, used)
        reconstruction = part @ classifier.dictionary_[used]
        views.append(
            ClassView(
                model.class_names[classifier.classes_[number]],
                int(number),
                float(scores[number]),
                float(np.linalg.norm(query - reconstruction)),
                float(np.abs(part[own[used]]).sum()),
                reconstruction,
            )
        )
    return Explanation(file, classifier.rule_, query, code, classifier.atom_labels_, views)


def _class_code(classifier: Any, query: Array, code: Array, used: Any) -> Array:
    """The coefficients that the rule looks at: of the whole code, or of the class alone."""
    if classifier.rule_ == "global":
        return code[used]
    return ridge_codes(query[None], classifier.dictionary_[used], classifier.ridge)[0]


def _draw(model: Model, explanation: Explanation, out: Path) -> None:
    """The picture, written whole or not at all."""
    views = explanation.views[:SHOWN]
    figure = new_figure(figsize=(3 * (len(views) + 1), 7.5))
    parts: Any = figure.subfigures(3, 1, height_ratios=[3, 2, 2])
    top, middle, bottom = parts
    axes = top.subplots(1, len(views) + 1, squeeze=False)[0]
    shown = [explanation.query, *(view.reconstruction for view in views)]
    titles = ["query", *(f"{view.name}\nresidual {view.residual:.3f}" for view in views)]
    for ax, vector, title in zip(axes, shown, titles):
        _show(ax, model, vector)
        ax.set_title(title, fontsize=9)
    _draw_code(middle.subplots(), explanation)
    _draw_scores(bottom.subplots(), explanation)
    figure.suptitle(explanation.sentence, fontsize=9, wrap=True)
    kind = out.suffix.lstrip(".").lower() or "png"
    if kind not in figure.canvas.get_supported_filetypes():
        raise ValueError(f"A picture cannot be written as .{kind}; take .png, .svg or .pdf.")
    write_whole(out, lambda file: figure.savefig(file, format=kind, dpi=150))


def _show(ax: Any, model: Model, vector: Array) -> None:
    """A vector of features as the image behind it, or as a curve where there is none."""
    image = _image(model, vector)
    if image is None:
        ax.plot(vector, linewidth=0.6)
        ax.set_yticks([])
    else:
        ax.imshow(image, cmap="gray")
        ax.axis("off")


def _image(model: Model, vector: Array) -> Array | None:
    rows = vector[None]
    for _, step in reversed(model.pipeline.steps[:-1]):
        if not hasattr(step, "inverse_transform"):
            return None
        rows = step.inverse_transform(rows)
    return rows[0] if rows.ndim == 3 and min(rows.shape[1:]) > 1 else None


def _draw_code(ax: Any, explanation: Explanation) -> None:
    """Coefficients in the order of the atoms; the best classes in colour."""
    ax.bar(np.arange(len(explanation.code)), explanation.code, width=1.0, color="0.7")
    for rank, view in enumerate(explanation.views[:SHOWN]):
        own = np.flatnonzero(explanation.atom_labels == view.number)
        ax.bar(own, explanation.code[own], width=1.0, color=f"C{rank}", label=view.name)
    ax.set(xlabel="atom", ylabel="coefficient")
    ax.legend(fontsize=8, loc="upper right")


def _draw_scores(ax: Any, explanation: Explanation) -> None:
    best = explanation.views[:10][::-1]
    colours = [f"C{rank}" if rank < SHOWN else "0.7" for rank in range(len(best))][::-1]
    # Scores are negated costs; costs, the shortest of which wins, are easier to see.
    ax.barh([view.name for view in best], [-view.score for view in best], color=colours)
    cost = {"global": "residual² / Σ|coefficients|", "local": "residual²"}[explanation.rule]
    ax.set(xlabel=f"{cost}, which the {explanation.rule} rule compares: the shortest wins")
    ax.tick_params(axis="y", labelsize=8)
