"""Save and load models: the estimator in skops' form, and beside it what a reader wants to know.

A model file is an archive (`archive.py`) of `manifest.json`, which tells what the file is, whom it
labels and how it was trained; `schema.json` and the arrays, which are the estimator as skops writes
it. `docs/guide/models.md` describes the format.
"""

from __future__ import annotations

import json
import os
import warnings
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

from crosslabel._version import __version__
from crosslabel.files.container import Archive, JsonObject, ModelFileError, opened, pack
from crosslabel.files.decode import decode
from crosslabel.files.manifest import (
    FORMAT,
    VERSION,
    check_model,
    plain,
    read_manifest,
    settings_of,
)
from crosslabel.files.named import Model
from crosslabel.files.schema import audit, canonical
from crosslabel.files.whole import write_whole

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def save(model: BaseEstimator | Model, path: str | os.PathLike[str]) -> None:
    """Write a model file, whole or not at all.

    Parameters
    ----------
    model : Model, or estimator or pipeline
        Of types of this library and of scikit-learn.
    path : path
        An older file there is replaced once the new one is complete.

    Raises
    ------
    ModelFileError
        If the model holds what could not be loaded again; nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import crosslabel
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = crosslabel.CrossLabelClassifier(rule="local", ridge=0.1).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     crosslabel.save(model, Path(folder) / "iris.skops")
    ...     again = crosslabel.load(Path(folder) / "iris.skops")
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    content = encoded(model)
    _check_loads(model, content)
    write_whole(Path(path), lambda file: file.write(content))


def _check_loads(model: BaseEstimator | Model, content: bytes) -> None:
    """Refuse a file that `load` would refuse."""
    try:
        archive = Archive(BytesIO(content))
        manifest = read_manifest(archive)
        check_model(decode(archive.json("schema.json"), archive), manifest)
    except (ModelFileError, ValueError) as error:
        name, reason = type(model).__name__, str(error).strip(" .")
        raise ModelFileError(f"{name} cannot be saved as a model: {reason}.") from None


def encoded(model: BaseEstimator | Model) -> bytes:
    """The bytes of a model file; the same for the same model.

    Parameters
    ----------
    model : Model, or estimator or pipeline

    Returns
    -------
    bytes
    """
    import skops.io
    from skops.io.exceptions import UnsupportedTypeException

    estimator = model.pipeline if isinstance(model, Model) else model
    if not hasattr(estimator, "get_params"):
        raise ModelFileError(f"{type(model).__name__} is neither a Model nor an estimator.")
    try:
        written = ZipFile(BytesIO(skops.io.dumps(estimator)))
        schema = json.loads(written.read("schema.json"))
        audit(schema)
    except (ModelFileError, UnsupportedTypeException, TypeError) as error:
        name, reason = type(estimator).__name__, str(error).strip(" .")
        raise ModelFileError(f"{name} cannot be saved as a model: {reason}.") from None
    files = canonical(schema)
    manifest = json.dumps(_manifest(model, estimator), ensure_ascii=False, indent=1)
    return pack(
        [
            ("manifest.json", manifest.encode()),
            ("schema.json", json.dumps(schema, separators=(",", ":")).encode()),
            *((new, written.read(old)) for old, new in files.items()),
        ]
    )


def _manifest(model: BaseEstimator | Model, estimator: BaseEstimator) -> JsonObject:
    import numpy
    import scipy
    import sklearn

    labels = getattr(estimator, "classes_", [])
    own = model if isinstance(model, Model) else Model(estimator, [str(c) for c in labels], "", "")
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "holds": "model" if isinstance(model, Model) else "estimator",
        "crosslabel": __version__,
        "libraries": {
            "scikit-learn": sklearn.__version__,
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
        },
        "kind": own.kind,
        "features": own.features,
        "class_names": [str(name) for name in own.class_names],
        "steps": settings_of(estimator),
        "summary": plain(own.summary),
    }


def load(path: str | os.PathLike[str]) -> BaseEstimator | Model:
    """Read a model file; nothing that it carries is run.

    Parameters
    ----------
    path : path

    Returns
    -------
    Model, or estimator or pipeline
        What `save` was given. Parameters that concern one machine alone (`n_jobs`, `cache`,
        `memory`) are None.

    Raises
    ------
    ModelFileError
        If the file is no model, is damaged, or holds what it may not hold.

    Examples
    --------
    >>> import crosslabel
    >>> model = crosslabel.load("pets.skops")  # doctest: +SKIP
    """
    with opened(path) as archive:
        manifest = read_manifest(archive)
        schema = archive.json("schema.json")
        estimator = decode(schema, archive)
        check_model(estimator, manifest)
    _compare_libraries(path, manifest)
    if manifest["holds"] == "estimator":
        return estimator
    return Model(
        estimator,
        manifest["class_names"],
        manifest["kind"],
        manifest["features"],
        manifest["summary"],
        manifest["crosslabel"],
    )


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model file for the command line, which needs class names and the kind of input.

    Parameters
    ----------
    path : path

    Returns
    -------
    Model
    """
    found = load(path)
    if not isinstance(found, Model):
        raise ModelFileError(
            f"{Path(path)} holds an estimator alone, without the names of classes and the kind of "
            "input that commands need. Save a crosslabel.Model instead."
        )
    return found


def _compare_libraries(path: str | os.PathLike[str], manifest: JsonObject) -> None:
    """Warn where fitted parts of scikit-learn come from another version of it."""
    import sklearn

    written = manifest["libraries"].get("scikit-learn", "?")
    # Our own estimators open in later versions; a pipeline holds nothing but its steps.
    foreign = [
        step["type"].rpartition(".")[2]
        for step in manifest["steps"]
        if step["type"].startswith("sklearn.") and step["type"] != "sklearn.pipeline.Pipeline"
    ]
    if foreign and _minor(written) != _minor(sklearn.__version__):
        warnings.warn(
            f"{Path(path)} was written with scikit-learn {written} and holds its {foreign[0]}; "
            f"this is {sklearn.__version__}. Compare its predictions, or train it anew.",
            UserWarning,
            stacklevel=3,
        )


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]
