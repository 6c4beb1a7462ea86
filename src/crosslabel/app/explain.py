"""Why a model labels a query as it does: numbers, a sentence and a picture."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from scipy.special import logsumexp

from crosslabel.app.explain_picture import FORMATS, Scene, draw
from crosslabel.app.occlusion import Pixels, handy, occlusion_map
from crosslabel.app.options import AS_JSON, MODEL, QUIET
from crosslabel.app.outputs import check_output
from crosslabel.app.printing import print_json, user_errors
from crosslabel.app.queries import Query, read_queries
from crosslabel.core.scaling import Array
from crosslabel.files import Model, load_model
from crosslabel.files.named import features_of
from crosslabel.flagship.explanation import Explanation
from crosslabel.media.clips import read_clip
from crosslabel.media.images import read_image
from crosslabel.media.unreadable import UnreadableFile

MOST = 4
"""Training pictures of a class that are shown."""


@dataclass(frozen=True)
class Explained:
    """A file, why it is labelled as it is, and the training pictures that speak for it.

    Attributes
    ----------
    file : str
    explanation : Explanation
    sources : list of list of Path
        Training pictures from which the atoms come that say most of the query: those of the label,
        and those of the runner-up. Empty for a model on features.
    warning : str or None
        Why the label means little.
    """

    file: str
    explanation: Explanation
    sources: list[list[Path]]
    warning: str | None = None

    @property
    def sentence(self) -> str:
        """The reason in words."""
        return self.explanation.sentence(self.file)

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "file": self.file,
            **self.explanation.as_dict(),
            "reason": self.sentence,
            "training_pictures": [[str(place) for place in places] for places in self.sources],
            "warning": self.warning,
        }


def explain(
    model: Model | str | os.PathLike[str],
    image: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    photos: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Explained:
    """Explain the label of one image, clip, or first row of a feature file.

    Parameters
    ----------
    model : Model or path
    image : path
    out : path, default=None
        Where a picture is written (needs the extra `plot`); its suffix is the format.
    photos : path, default=None
        Folder of the training pictures; None for where they lay in training.
    progress : bool, default=False
        Show a bar while parts of the picture are covered.

    Returns
    -------
    Explained
    """
    place = None if out is None else check_output(out, suffixes=FORMATS)
    trained = model if isinstance(model, Model) else load_model(model)
    query = next(read_queries(trained.kind, [Path(image)], strict=True))
    items = query.item[None] if trained.kind == "features" else [query.item]
    (explanation,) = trained.explain(items)
    sources = [_sources(trained, explanation, rank, photos) for rank in (0, 1)]
    explained = Explained(str(image), explanation, sources, query.warning)
    if place is not None:
        draw(_scene(trained, query, explained, progress), place)
    return explained


def _sources(
    model: Model, explanation: Explanation, rank: int, photos: str | os.PathLike[str] | None
) -> list[Path]:
    """Where the training pictures lie from which the heaviest atoms of a class come, each once."""
    files, folder = model.summary.get("atom_files"), photos or model.summary.get("folder")
    if not isinstance(files, list) or len(files) != len(explanation.atom_labels) or not folder:
        return []
    heaviest = explanation.heaviest(rank, len(files))
    # No name in a file leads out of the folder of the training pictures.
    root = Path(str(folder)).resolve()
    places = dict.fromkeys((root / str(files[atom])).resolve() for atom in heaviest)
    return [place for place in places if place.is_relative_to(root)][:MOST]


def _scene(model: Model, query: Query, explained: Explained, progress: bool) -> Scene:
    """All that is drawn."""
    explanation = explained.explanation
    rebuilt = [view.share.reconstruction for view in explanation.views[:2]]
    if model.kind == "features":
        return Scene(explained.file, explanation, curves=[explanation.query, *rebuilt])
    picture = _shown(model.kind, Path(query.item))
    heat = occlusion_map(_odds(model, explanation), handy(picture), progress=progress)
    return Scene(
        Path(explained.file).name,
        explanation,
        picture=picture,
        heat=heat,
        rebuilt=[_image(model, vector) for vector in rebuilt],
        sources=[[_read(model.kind, place) for place in own] for own in explained.sources],
        names=[[place.name for place in own] for own in explained.sources],
    )


def _shown(kind: str, place: Path) -> Pixels:
    return read_image(place, colour=True) if kind == "images" else read_clip(place)


def _read(kind: str, place: Path) -> Pixels | None:
    """A training picture; None where it is no longer there."""
    try:
        return _shown(kind, place)
    except UnreadableFile:
        return None


def _odds(model: Model, explanation: Explanation) -> Callable[[Sequence[Pixels]], Array]:
    """From pictures to log p/(1 − p) of the label."""
    classifier = model.pipeline[-1]
    first = explanation.views[0].number

    def score(pictures: Sequence[Pixels]) -> Array:
        rows = classifier.check_queries(features_of(model.pipeline, list(pictures)))
        found = classifier.fitted_.evidence(rows)
        return found[:, first] - logsumexp(np.delete(found, first, axis=1), axis=1)

    return score


def _image(model: Model, vector: Array) -> Array | None:
    """A vector of features as the image behind it; None where there is none."""
    rows = vector[None]
    if model.pipeline[-1].fitted_.view.dictionary.shape[1] != model.pipeline[-1].n_features_in_:
        return None
    for _, step in reversed(model.pipeline.steps[:-1]):
        if not hasattr(step, "inverse_transform"):
            return None
        rows = step.inverse_transform(rows)
    return rows[0] if rows.ndim == 3 and min(rows.shape[1:]) > 1 else None


def explain_command(
    model: MODEL,
    image: Annotated[Path, typer.Argument(help="The image or clip that is asked about.")],
    out: Annotated[Path, typer.Option(help="The picture that is written.")] = Path("explain.png"),
    photos: Annotated[
        Path | None, typer.Option(help="Folder of the training pictures, where it was moved.")
    ] = None,
    quiet: QUIET = False,
    as_json: AS_JSON = False,
) -> None:
    """Show why a model labels an image as it does.

    The picture holds the image, what of it matters, the probabilities, and the training pictures
    from which the atoms of the label and of the runner-up come. Without the extra `plot` the reason
    is told in words.

    For example:

      crosslabel explain pets.skops new.jpg --out why.png
    """
    with user_errors():
        check_output(out, suffixes=FORMATS)
        drawn, note = None, ""
        try:
            explained = explain(model, image, out=out, photos=photos, progress=not quiet)
            drawn = str(out)
        except ImportError as error:
            explained, note = explain(model, image, photos=photos), f"No picture: {error}"
        if as_json:
            print_json({**explained.as_dict(), "picture": drawn})
        else:
            typer.echo(explained.sentence)
        if not quiet:
            if explained.warning:
                typer.echo(f"{explained.file}: {explained.warning}", err=True)
            said = f"The picture is {out}." if drawn else note
            typer.echo(said, err=as_json or drawn is None)
