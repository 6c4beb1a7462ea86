"""What a model file tells of itself in `manifest.json`: plain values for people and programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from crosslabel._version import __version__
from crosslabel.files.container import Archive, JsonObject, ModelFileError
from crosslabel.files.visible import visible, visible_values

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

FORMAT = "crosslabel model"
VERSION = 1
"""Of the format. A change that older readers would misread raises it; `load` opens all before."""

SHOWN = 64  # values of an array that are written out


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_steps(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(step, dict)
        and _is_text(step.get("name"))
        and _is_text(step.get("type"))
        and isinstance(step.get("parameters"), dict)
        for step in value
    )


CHECKS: dict[str, Callable[[object], bool]] = {
    "holds": lambda value: value in ("model", "estimator"),
    "crosslabel": _is_text,
    "libraries": lambda value: isinstance(value, dict) and _is_texts(list(value.values())),
    "kind": lambda value: value in ("", "images", "clips", "features"),
    "features": _is_text,
    "class_names": _is_texts,
    "steps": _is_steps,
    "summary": lambda value: isinstance(value, dict),
}
"""Of every entry that readers use, whether it is of the expected form."""


def settings_of(estimator: BaseEstimator) -> list[dict[str, object]]:
    """Name, type and parameters of each step of a pipeline, or of the one estimator.

    Parameters
    ----------
    estimator : estimator or Pipeline

    Returns
    -------
    list of dict
    """
    steps = getattr(estimator, "steps", None) or [("estimator", estimator)]
    return [
        {
            "name": name,
            "type": f"{type(step).__module__}.{type(step).__qualname__}",
            "parameters": plain(step.get_params(deep=False) if hasattr(step, "get_params") else {}),
        }
        for name, step in steps
    ]


def plain(value: object) -> object:
    """A value as JSON knows it: what JSON has no form for becomes text.

    Parameters
    ----------
    value : object

    Returns
    -------
    None, bool, int, float, str, list or dict
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        whole = value.size <= SHOWN
        return plain(value.tolist()) if whole else f"array of {value.dtype} {value.shape}"
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    return type(value).__name__


def read_manifest(archive: Archive) -> JsonObject:
    """What a file says of itself, fit to be shown, if this version knows its format."""
    manifest = {visible(k): visible_values(v) for k, v in archive.json("manifest.json").items()}
    if manifest.get("format") != FORMAT:
        raise ModelFileError(f"it is not marked as a {FORMAT!r}")
    written = manifest.get("format_version")
    if not isinstance(written, int) or written < 1:
        raise ModelFileError(f"its format has no version: {str(written)[:40]!r}")
    if written > VERSION:
        raise ModelFileError(
            f"it was written by crosslabel {str(manifest.get('crosslabel'))[:40]} in version "
            f"{written} of the format, and this one ({__version__}) knows versions up to "
            f"{VERSION}. Update crosslabel"
        )
    for name, check in CHECKS.items():
        if not check(manifest.get(name)):
            raise ModelFileError(f"its manifest has no usable {name!r}")
    return manifest


def check_model(estimator: object, manifest: JsonObject) -> None:
    """Refuse an object that is no estimator, or whose classes the manifest does not name.

    Parameters
    ----------
    estimator : object
        As it was made from the file.
    manifest : dict
    """
    if not hasattr(estimator, "get_params"):
        raise ModelFileError("it holds no estimator")
    if manifest["holds"] == "model":
        classes = np.asarray(getattr(estimator, "classes_", ()))
        n_names = len(manifest["class_names"])
        if classes.size and (
            classes.dtype.kind not in "iu" or classes.min() < 0 or classes.max() >= n_names
        ):
            raise ModelFileError(f"its classes are not the numbers of {n_names} names")
