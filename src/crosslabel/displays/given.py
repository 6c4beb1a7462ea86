"""What a display is given, checked: a mistake is told in a sentence, not by what breaks on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from crosslabel.core.scaling import Array

Shape = tuple[int, int] | None
"""(height, width) of the images behind features, or none."""


def check_model(model: object, *names: str) -> None:
    """Refuse what is no fitted model that has all of these attributes.

    Parameters
    ----------
    model : object
    *names : str
        What a picture is drawn from.

    Raises
    ------
    NotFittedError, TypeError
    """
    if isinstance(model, type):
        raise TypeError(
            f"{model.__name__} is a class: give a fitted model, {model.__name__}().fit(X, y)."
        )
    missing = [name for name in names if not hasattr(model, name)]
    if not missing:
        return
    if hasattr(model, "fit"):
        check_is_fitted(model)
    raise TypeError(
        f"{type(model).__name__} has no `{missing[0]}` to draw. Give a CrossLabelClassifier or a "
        "CrossLabelClassifierCV; of a pipeline its last step, with samples as that step sees them; "
        "of a RejectingClassifier its `estimator_`; of other models arrays, to `from_predictions`."
    )


def check_most(name: str, most: int) -> None:
    """Refuse to draw less than one of something.

    Parameters
    ----------
    name : str
        Of the parameter.
    most : int
    """
    if not isinstance(most, int | np.integer) or most < 1:
        raise ValueError(f"{name} is how many are drawn: at least 1, but {most!r} was given.")


def labelled_atoms(atoms: ArrayLike, atom_labels: ArrayLike) -> tuple[Array, NDArray[np.intp]]:
    """Atoms as rows, or codes whose columns they are, and the class of each.

    Parameters
    ----------
    atoms : array-like of shape (n_atoms, n_features)
    atom_labels : array-like of int of shape (n_atoms,)
        −1 for a shared atom.

    Returns
    -------
    atoms : ndarray
    atom_labels : ndarray of int
    """
    rows, labels = np.asarray(atoms, dtype=float), np.asarray(atom_labels)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"Atoms are the rows of an array, but its shape is {rows.shape}.")
    if labels.shape != rows.shape[:1]:
        raise ValueError(
            f"There are {len(rows)} atoms, but atom_labels has the shape {labels.shape}. Give the "
            "class of each."
        )
    if not np.issubdtype(labels.dtype, np.integer) or labels.min() < -1:
        raise ValueError(
            "atom_labels are places among the classes, 0, 1, … (−1 for a shared atom), but the "
            f"first are {labels[:3].tolist()}."
        )
    return rows, labels


def pixels(vectors: Array, shape: Shape) -> Array:
    """Vectors that fill images of that shape; the constant coordinate of an offset is left out.

    Parameters
    ----------
    vectors : ndarray of shape (n, n_features)
    shape : (height, width) or None
        None takes the vectors as they are.
    """
    if shape is None:
        return vectors
    if not _is_shape(shape):
        raise ValueError(
            f"shape is the height and width of an image, as (8, 8), but {shape!r} was given."
        )
    if shape[0] * shape[1] == vectors.shape[1]:
        return vectors
    if shape[0] * shape[1] == vectors.shape[1] - 1:
        return vectors[:, :-1]
    raise ValueError(
        f"Vectors of {vectors.shape[1]} features do not fill images of shape {tuple(shape)}. "
        "Give the shape of the images, or none to see curves; features other than pixels, and "
        "atoms of a kernel, have no image."
    )


def _is_shape(shape: object) -> bool:
    return (
        isinstance(shape, Sequence)
        and len(shape) == 2
        and all(isinstance(side, int | np.integer) and side > 0 for side in shape)
    )
