"""What a record keeps beside its numbers, for figures: each by name, one function of a fitted cell.

Names end up in `Record.extra`; learnt atoms are too large for it and lie in a file of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from crosslabel.files.whole import write_whole

PEOPLE = 3  # classes whose codes are kept: the paper's figure shows three
DIGITS = 6  # significant digits of codes and objectives that a figure can show


@dataclass(frozen=True)
class Fitted:
    """A cell after its fit.

    Attributes
    ----------
    model : classifier
        Fitted on class numbers.
    X, y : ndarray
        Features and class numbers of the test samples.
    predicted : ndarray of int
    names : list of str
        Of the classes, by number.
    pipeline : list of transformers
        Fitted, from the raw data to the features.
    """

    model: Any
    X: NDArray[Any]
    y: NDArray[np.intp]
    predicted: NDArray[np.intp]
    names: list[str]
    pipeline: list[Any]


def _confusion(fitted: Fitted) -> dict[str, Any]:
    labels = np.arange(len(fitted.names))
    counts = confusion_matrix(fitted.y, fitted.predicted, labels=labels)
    return {"confusion": counts.tolist(), "classes": fitted.names}


def _trace(fitted: Fitted) -> dict[str, Any]:
    """The objective after each iteration, for methods that have one."""
    model = getattr(fitted.model, "best_estimator_", fitted.model)
    trace = getattr(model, "objective_trace_", None)
    return {} if trace is None else {"trace": _rounded(trace)}


def _codes(fitted: Fitted) -> dict[str, Any]:
    """Mean absolute code of the first classes' test samples, and whose atoms they fall on."""
    if not hasattr(fitted.model, "atom_labels_") or not hasattr(fitted.model, "transform"):
        return {}
    codes = np.abs(fitted.model.transform(fitted.X))
    means = {
        name: _rounded(codes[fitted.y == number].mean(axis=0))
        for number, name in enumerate(fitted.names[:PEOPLE])
        if (fitted.y == number).any()
    }
    atoms = fitted.model.atom_labels_.tolist()
    return {"codes": means, "atom_labels": atoms, "classes": fitted.names}


def _choice(fitted: Fitted) -> dict[str, Any]:
    """What cross-validation on the training samples has chosen, where it has."""
    chosen: Mapping[str, Any] | None = getattr(fitted.model, "best_params_", None)
    if chosen is None:
        return {}
    return {"chosen": {k: v.item() if hasattr(v, "item") else v for k, v in chosen.items()}}


EXTRAS: dict[str, Callable[[Fitted], dict[str, Any]]] = {
    "confusion": _confusion,
    "trace": _trace,
    "codes": _codes,
    "choice": _choice,
}


def extras(names: tuple[str, ...], fitted: Fitted) -> dict[str, Any]:
    """All that the named extras give; what cross-validation has chosen always.

    Parameters
    ----------
    names : tuple of str
        Keys of `EXTRAS`, or "dictionary", which `write_dictionary` is for.
    fitted : Fitted

    Returns
    -------
    dict
        Ready for JSON.
    """
    kept: dict[str, Any] = {}
    for name in dict.fromkeys((*names, "choice")):
        if name in EXTRAS:
            kept.update(EXTRAS[name](fitted))
    return kept


def write_dictionary(place: Path, fitted: Fitted) -> bool:
    """Write learnt atoms as pictures, if the way from pixels to features can be gone back.

    The file holds `atoms` (n_atoms, n_pixels), `atom_labels`, `image_shape` and `classes`.

    Parameters
    ----------
    place : Path
    fitted : Fitted

    Returns
    -------
    bool
        Whether there was something to write.
    """
    atoms = getattr(fitted.model, "dictionary_", None)
    labels = getattr(fitted.model, "atom_labels_", None)
    shape = next((getattr(s, "image_shape_", None) for s in fitted.pipeline), None)
    if atoms is None or labels is None or shape is None:
        return False
    for step in reversed(fitted.pipeline):
        atoms = step.inverse_transform(atoms)
    content = {
        "atoms": np.asarray(atoms, dtype=np.float32).reshape(len(labels), -1),
        "atom_labels": np.asarray(labels),
        "image_shape": np.asarray(shape),
        "classes": np.asarray(fitted.names),
    }
    write_whole(place, lambda file: np.savez_compressed(file, **content))  # type: ignore[arg-type]
    return True


def _rounded(values: Any) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in np.asarray(values).ravel()]
