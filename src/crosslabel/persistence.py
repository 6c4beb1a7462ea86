"""Model files: written by skops, so that loading one never runs code that it carries.

A file holds a plain dictionary: the fitted pipeline, what it expects (images, clips or features),
the names of the classes and a summary of the training. Only types of this library and of
scikit-learn are loaded.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosslabel._version import __version__
from crosslabel.files import write_whole

FORMAT = "crosslabel model 1"
TRUSTED = ("crosslabel.", "sklearn.", "numpy.", "scipy.")


@dataclass
class Model:
    """A trained pipeline and what is needed to use it years later.

    Parameters
    ----------
    pipeline : Pipeline
        From what `kind` says to class numbers.
    class_names : list of str
        The name of each class number.
    kind : {"images", "clips", "features"}
        What the pipeline takes.
    features : str
        Name of the features, as given on the command line.
    summary : dict
        How it was trained and what was measured: numbers and strings.
    version : str
        Version of the library that wrote it.
    """

    pipeline: Any
    class_names: list[str]
    kind: str
    features: str
    summary: dict[str, Any] = field(default_factory=dict)
    version: str = __version__


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model file, whole or not at all.

    Parameters
    ----------
    model : Model
    path : path
        An older file there is replaced once the new one is complete.
    """
    import skops.io

    # Not asdict of the whole: it would copy the pipeline's arrays.
    fields = {name: getattr(model, name) for name in model.__dataclass_fields__}
    content = skops.io.dumps({"format": FORMAT, **fields})
    write_whole(Path(path), lambda file: file.write(content))


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model file.

    Parameters
    ----------
    path : path

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        If the file is no model, is damaged, or holds types that are neither ours nor
        scikit-learn's.
    """
    import skops.io

    place = Path(path)
    if not place.is_file():
        raise FileNotFoundError(f"There is no model file {place}.")
    try:
        unknown = skops.io.get_untrusted_types(file=place)
        foreign = [name for name in unknown if not name.startswith(TRUSTED)]
        if foreign:
            raise ValueError(f"it holds types that are not trusted: {', '.join(foreign)}")
        content = skops.io.load(place, trusted=unknown)
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"it is not marked as {FORMAT!r}")
        fields = {name: content[name] for name in Model.__dataclass_fields__}
    # A damaged archive fails anywhere inside the reader, with whatever error is at hand.
    except Exception as error:
        raise ValueError(f"{place} cannot be loaded as a model: {error}.") from None
    return Model(**fields)
