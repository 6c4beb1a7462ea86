"""What a record keeps beside its numbers, for figures: each by name, from a trained cell.

Names end up in `Record.extra`; learnt atoms are too large for it and lie in a file of their own.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import confusion_matrix

from crosslabel.core.scaling import Array
from crosslabel.files.whole import write_whole

DIGITS = 6  # significant digits of codes and objectives that a figure can show


class Reversible(Protocol):
    """A fitted step from the raw data to features that can be gone back."""

    def inverse_transform(self, X: Array) -> Array:
        """Samples of these features, as far as the step has kept them."""


@dataclass(frozen=True)
class Trained:
    """A cell after its fit, which figures are drawn from.

    Attributes
    ----------
    model : classifier
        Fitted to class numbers.
    X, y : ndarray
        Features and class numbers of the test samples.
    predicted : ndarray of int
    names : list of str
        Of the classes, by number.
    pipeline : list of transformers
        Fitted, from the raw data to the features.
    codes_of : tuple of int
        The classes whose codes are kept, counted from one.
    """

    model: BaseEstimator
    X: Array
    y: NDArray[np.intp]
    predicted: NDArray[np.intp]
    names: list[str]
    pipeline: list[Reversible]
    codes_of: tuple[int, ...] = (1, 2, 3)


def _confusion(trained: Trained) -> dict[str, object]:
    labels = np.arange(len(trained.names))
    counts = confusion_matrix(trained.y, trained.predicted, labels=labels)
    return {"confusion": counts.tolist(), "classes": trained.names}


def _trace(trained: Trained) -> dict[str, object]:
    """The objective after each iteration, for methods that have one."""
    model = getattr(trained.model, "best_estimator_", trained.model)
    trace = getattr(model, "objective_trace_", None)
    return {} if trace is None else {"trace": _rounded(trace)}


def _codes(trained: Trained) -> dict[str, object]:
    """Mean absolute code of some classes' test samples, and whose atoms they fall on."""
    if not hasattr(trained.model, "atom_labels_") or not hasattr(trained.model, "transform"):
        return {}
    codes = np.abs(trained.model.transform(trained.X))
    chosen = [number for number in trained.codes_of if (trained.y == number - 1).any()]
    means = {
        trained.names[number - 1]: _rounded(codes[trained.y == number - 1].mean(axis=0))
        for number in chosen
    }
    atoms = trained.model.atom_labels_.tolist()
    return {"codes": means, "atom_labels": atoms, "classes": trained.names}


def _choice(trained: Trained) -> dict[str, object]:
    """What cross-validation on the training samples has chosen, where it has."""
    chosen: Mapping[str, object] | None = getattr(trained.model, "best_params_", None)
    if chosen is None:
        return {}
    return {"chosen": {k: v.item() if hasattr(v, "item") else v for k, v in chosen.items()}}


def _size(trained: Trained) -> dict[str, object]:
    """Bytes of the fitted model when it is pickled."""
    return {"model_bytes": len(pickle.dumps(trained.model))}


EXTRAS: dict[str, Callable[[Trained], dict[str, object]]] = {
    "confusion": _confusion,
    "trace": _trace,
    "codes": _codes,
    "choice": _choice,
    "size": _size,
}


def extras(names: tuple[str, ...], trained: Trained) -> dict[str, object]:
    """All that the named extras give; what cross-validation has chosen always.

    Parameters
    ----------
    names : tuple of str
        Keys of `EXTRAS`, or "dictionary", which `write_dictionary` is for.
    trained : Trained

    Returns
    -------
    dict
        Ready for JSON.
    """
    kept: dict[str, object] = {}
    for name in dict.fromkeys((*names, "choice")):
        if name in EXTRAS:
            kept.update(EXTRAS[name](trained))
    return kept


def write_dictionary(place: Path, trained: Trained) -> bool:
    """Write learnt atoms as pictures, if the way from pixels to features can be gone back.

    The file holds `atoms` (n_atoms, n_pixels), `atom_labels`, `image_shape` and `classes`.

    Parameters
    ----------
    place : Path
    trained : Trained

    Returns
    -------
    bool
        Whether there was something to write.
    """
    atoms = getattr(trained.model, "dictionary_", None)
    labels = getattr(trained.model, "atom_labels_", None)
    shape = next((getattr(s, "image_shape_", None) for s in trained.pipeline), None)
    if atoms is None or labels is None or shape is None:
        return False
    for step in reversed(trained.pipeline):
        atoms = step.inverse_transform(atoms)
    content = {
        "atoms": np.asarray(atoms, dtype=np.float32).reshape(len(labels), -1),
        "atom_labels": np.asarray(labels),
        "image_shape": np.asarray(shape),
        "classes": np.asarray(trained.names),
    }
    write_whole(place, lambda file: np.savez_compressed(file, **content))  # type: ignore[arg-type]
    return True


def _rounded(values: Array | Iterable[float]) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in np.asarray(values).ravel()]
