"""The picture of an explanation: the query, what mattered, and the training pictures behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crosslabel.app.occlusion import Pixels
from crosslabel.core.scaling import Array
from crosslabel.files.whole import write_whole
from crosslabel.flagship.explanation import Explanation
from crosslabel.lab.report.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".pdf", ".jpg", "")
"""Suffixes of pictures; none means PNG."""
LONGEST = 26
"""Letters of a name that are written out."""
BARS = 5
"""Classes whose probabilities are shown."""
COLUMNS = 4
COLOURS = ("tab:blue", "tab:orange")
"""Of the label and of the runner-up."""


@dataclass(frozen=True)
class Scene:
    """What is drawn.

    Attributes
    ----------
    title : str
    explanation : Explanation
    picture : ndarray or None
        The query, where it is an image or a clip.
    heat : ndarray of shape (n_rows, n_columns) or None
        What of it matters.
    rebuilt : list of (ndarray or None)
        What the atoms of the label and of the runner-up make of it, where that is an image.
    sources : list of list of (ndarray or None)
        Training pictures of the label and of the runner-up; None where one is lost.
    names : list of list of str
        Of these.
    curves : list of ndarray
        The query and its reconstructions, where it is a row of features.
    """

    title: str
    explanation: Explanation
    picture: Pixels | None = None
    heat: Array | None = None
    rebuilt: Sequence[Array | None] = (None, None)
    sources: Sequence[Sequence[Pixels | None]] = ((), ())
    names: Sequence[Sequence[str]] = ((), ())
    curves: Sequence[Array] = field(default_factory=list)


def draw(scene: Scene, out: Path) -> None:
    """Write the picture, whole or not at all.

    Parameters
    ----------
    scene : Scene
    out : Path
        With one of the suffixes in `FORMATS`.
    """
    figure = new_figure(figsize=(9, 7.5))
    parts: Any = figure.subfigures(3, 1, height_ratios=[1.35, 1, 1])
    top, middle, bottom = parts
    first = scene.explanation.views[0]
    figure.suptitle(f"{short(scene.title)}: {short(first.name)}, {first.probability:.0%}")
    _draw_query(top, scene)
    for rank, part in enumerate((middle, bottom)):
        _draw_class(part, scene, rank)
    kind = out.suffix.lstrip(".").lower() or "png"
    write_whole(out, lambda file: figure.savefig(file, format=kind, dpi=130))


def short(name: str) -> str:
    """A name that fits beside others.

    Parameters
    ----------
    name : str
    """
    plain = "".join(letter if letter.isprintable() else "�" for letter in name)
    # A dollar sign would start a formula.
    cut = plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 1]}…"
    return cut.replace("$", r"\$")


def _draw_query(part: Any, scene: Scene) -> None:
    """The query, the query under its heat map, and the probabilities."""
    if scene.picture is None:
        curve, bars = part.subplots(1, 2)
        curve.plot(scene.curves[0], linewidth=0.8, color="0.3")
        curve.set(title="query", yticks=[])
    else:
        photo, map_, bars = part.subplots(1, 3, width_ratios=[1, 1, 0.9])
        _show(photo, scene.picture, "query")
        _show(map_, scene.picture, "red speaks for the label, blue against")
        if scene.heat is not None:
            _lay_over(map_, scene.heat)
    _draw_bars(bars, scene.explanation)


def _lay_over(ax: Axes, heat: Array) -> None:
    """Colour over the gray of what matters nothing: red speaks for the label, blue against it."""
    (image,) = ax.get_images()
    strongest = float(np.abs(heat).max()) or 1.0
    gray = np.asarray(image.get_array(), np.float64)
    if gray.ndim == 3:
        image.set_data(np.repeat((gray[..., :3].mean(axis=2) / 255)[..., None], 3, axis=2))
    ax.imshow(
        heat, cmap="RdBu_r", vmin=-strongest, vmax=strongest, interpolation="bicubic",
        extent=image.get_extent(), alpha=0.15 + 0.55 * np.abs(heat) / strongest,
    )  # fmt: skip


def _draw_bars(ax: Axes, explanation: Explanation) -> None:
    best = explanation.views[:BARS][::-1]
    colours = [*COLOURS, *["0.7"] * BARS][: len(best)][::-1]
    ax.barh([short(view.name) for view in best], [view.probability for view in best], color=colours)
    ax.set(xlim=(0, 1), title="probability", xticks=[0, 0.5, 1])
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def _draw_class(part: Any, scene: Scene, rank: int) -> None:
    """One row: what a class's atoms make of the query, and the training pictures behind them."""
    view = scene.explanation.views[rank]
    role = "label" if rank == 0 else "runner-up"
    part.suptitle(f"{role}: {short(view.name)}", color=COLOURS[rank], x=0.02, ha="left")
    if scene.picture is None:
        ax = part.subplots()
        ax.plot(scene.curves[0], linewidth=0.8, color="0.8")
        ax.plot(scene.curves[rank + 1], linewidth=0.8, color=COLOURS[rank])
        ax.set(yticks=[])
        return
    shown: list[tuple[Pixels | None, str]] = list(
        zip(scene.sources[rank], map(short, scene.names[rank]))
    )
    if scene.rebuilt[rank] is not None:
        shown = [(scene.rebuilt[rank], "made of its atoms"), *shown]
    axes = part.subplots(1, COLUMNS)
    for ax in axes:
        ax.axis("off")
    for ax, (picture, name) in zip(axes, shown):
        _show(ax, picture, name)
    if not shown:
        axes[0].text(0, 0.5, "The model file names no training pictures.", fontsize=9)


def _show(ax: Axes, picture: Pixels | None, title: str) -> None:
    ax.axis("off")
    ax.set_title(title, fontsize=8)
    if picture is None:
        ax.text(0.5, 0.5, "not there\nany more", ha="center", va="center", fontsize=9)
        return
    is_clip = picture.ndim == 3 and picture.shape[2] not in (1, 3, 4)
    ax.imshow(picture[len(picture) // 2] if is_clip else picture, cmap="gray")
