"""Why a model labels a query as it does: numbers, a sentence and a picture."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import ArrayLike, NDArray

from crosslabel.app.options import AS_JSON, MODEL, QUIET
from crosslabel.app.printing import print_json, user_errors
from crosslabel.app.queries import read_queries
from crosslabel.core.rules import RULES
from crosslabel.core.rules.explanation import Share
from crosslabel.core.scaling import Array
from crosslabel.files import Model, load_model
from crosslabel.files.whole import write_whole
from crosslabel.lab.report.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 3  # classes whose reconstructions are drawn


class ClassView(NamedTuple):
    """How one class accounts for the query.

    Parameters
    ----------
    name : str
    number : int
        Of the class among the classifier's.
    share : Share
        What the rule says of it.
    """

    name: str
    number: int
    share: Share

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        fields = ("score", "residual", "mass", "reason")
        return {"name": self.name, **{field: getattr(self.share, field) for field in fields}}


@dataclass(frozen=True)
class Explanation:
    """All that decides a label.

    Parameters
    ----------
    file : str
    rule : str
        Its name in `RULES`.
    query : ndarray of shape (n_features,)
        The features, of unit norm where the classifier scales them.
    atom_labels : ndarray of int of shape (n_atoms,)
        Class number of each atom; −1 for shared ones.
    views : list of ClassView
        Every class, best first.
    """

    file: str
    rule: str
    query: Array
    atom_labels: NDArray[np.intp]
    views: list[ClassView]

    @property
    def sentence(self) -> str:
        """The reason in words."""
        first, second = self.views[:2]
        return (
            f"{self.file} is labelled {first.name} by the {self.rule} rule: its atoms "
            f"{first.share.reason}; those of the runner-up, {second.name}, {second.share.reason}."
        )

    @property
    def code(self) -> Array:
        """The coefficients that decide: of each class's own atoms, and the winner's shared ones."""
        code = np.zeros(len(self.atom_labels))
        for view in reversed(self.views):
            code[view.share.atoms] = view.share.coefficients
        return code

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "file": self.file,
            "label": self.views[0].name,
            "rule": self.rule,
            "reason": self.sentence,
            "classes": [view.as_dict() for view in self.views],
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


def _explanation(model: Model, file: str, items: ArrayLike) -> Explanation:
    features, classifier = model.pipeline[:-1], model.pipeline[-1]
    X = features.transform(items) if len(features) else np.asarray(items)
    valid, fitted = classifier.check_queries(X)[:1], classifier.fitted_
    shown = fitted.view
    query, scores = shown.lifted(valid)[0], fitted.scores(valid)[0]
    names = [model.class_names[number] for number in classifier.classes_]
    shares = shown.prepared.explanation(query)
    views = [ClassView(names[c], c, shares[c]) for c in np.argsort(-scores, kind="stable").tolist()]
    return Explanation(file, shown.rule, query, classifier.atom_labels_, views)


def _draw(model: Model, explanation: Explanation, out: Path) -> None:
    """The picture, written whole or not at all."""
    views = explanation.views[:SHOWN]
    figure = new_figure(figsize=(3 * (len(views) + 1), 7.5))
    parts: Any = figure.subfigures(3, 1, height_ratios=[3, 2, 2])
    top, middle, bottom = parts
    axes = top.subplots(1, len(views) + 1, squeeze=False)[0]
    shown = [explanation.query, *(view.share.reconstruction for view in views)]
    titles = ["query", *(f"{view.name}\nresidual {view.share.residual:.3f}" for view in views)]
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


def _show(ax: Axes, model: Model, vector: Array) -> None:
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


def _draw_code(ax: Axes, explanation: Explanation) -> None:
    """Coefficients in the order of the atoms; the best classes in colour."""
    code = explanation.code
    ax.bar(np.arange(len(code)), code, width=1.0, color="0.7")
    for rank, view in enumerate(explanation.views[:SHOWN]):
        own = np.flatnonzero(explanation.atom_labels == view.number)
        ax.bar(own, code[own], width=1.0, color=f"C{rank}", label=view.name)
    ax.set(xlabel="atom", ylabel="coefficient")
    ax.legend(fontsize=8, loc="upper right")


def _draw_scores(ax: Axes, explanation: Explanation) -> None:
    best = explanation.views[:10][::-1]
    colours = [f"C{rank}" if rank < SHOWN else "0.7" for rank in range(len(best))][::-1]
    # Scores are negated costs; costs, the shortest of which wins, are easier to see.
    ax.barh([view.name for view in best], [-view.share.score for view in best], color=colours)
    cost = RULES[explanation.rule].cost
    ax.set(xlabel=f"{cost}, which the {explanation.rule} rule compares: the shortest wins")
    ax.tick_params(axis="y", labelsize=8)


def explain_command(
    model: MODEL,
    image: Annotated[Path, typer.Argument(help="The image or clip that is asked about.")],
    out: Annotated[Path, typer.Option(help="The picture that is written.")] = Path("explain.png"),
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Show why a model labels an image as it does.

    The picture holds the query, its reconstruction by the atoms of the best classes, the
    coefficients by class, and the scores that decide. Needs the extra `plot`.

    Example:

      crosslabel explain pets.skops new.jpg --out why.png
    """
    with user_errors():
        explanation = explain(model, image, out=out)
        if as_json:
            print_json({**explanation.as_dict(), "picture": str(out)})
            return
        typer.echo(explanation.sentence)
        if not quiet:
            typer.echo(f"The picture is {out}.")
