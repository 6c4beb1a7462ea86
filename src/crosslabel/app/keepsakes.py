"""What a model file keeps of its training samples beside the model, for later commands.

`predict --reject` asks what strangers look like, `explain` from which training pictures atoms come,
and a warning how small training pictures were.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.utils import Bunch

from crosslabel.core.moments import Labels
from crosslabel.core.scaling import Array
from crosslabel.flagship import CrossLabelClassifier, RejectingClassifier
from crosslabel.flagship.fitted import View

MOST = 1000
"""Scores of strangers that are kept: they set a rate to a tenth of a per cent."""


def keepsakes(
    data: Bunch,
    path: str | os.PathLike[str],
    rows: Labels,
    X: Array,
    classifier: CrossLabelClassifier,
) -> dict[str, object]:
    """Entries of a model's summary.

    Parameters
    ----------
    data : Bunch
        As of `load_source`.
    path : path
        Where the data lie.
    rows : ndarray of int of shape (n_samples,)
        The samples that the classifier was trained on.
    X : ndarray of shape (n_samples, n_features)
        Their features.
    classifier : CrossLabelClassifier

    Returns
    -------
    dict
        `strangers`, sorted novelty of classes that were left out; and for images and clips
        `folder`, `atom_files` and, for images, `shortest_side`.
    """
    kept: dict[str, object] = {"strangers": strangers(classifier, X, data.target[rows])}
    if data.kind == "features":
        return kept
    files = [data.samples[row] for row in rows]
    folder = Path(path).resolve()
    sources = atom_sources(classifier.fitted_.view, X, data.target[rows])
    kept["folder"] = str(folder)
    kept["atom_files"] = [os.path.relpath(files[n], path).replace(os.sep, "/") for n in sources]
    if data.kind == "images":
        kept["shortest_side"] = min(_shorter_side(file) for file in files)
    return kept


def strangers(classifier: CrossLabelClassifier, X: Array, y: Labels) -> list[float]:
    """Novelty of samples of classes that a model like this one does not know, in order.

    The lift and the rule that were chosen are kept, so that nothing is chosen again.

    Parameters
    ----------
    classifier : CrossLabelClassifier
        Trained.
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int of shape (n_samples,)

    Returns
    -------
    list of float
        Empty for fewer than three classes, of which none can be left out.
    """
    if len(np.unique(y)) < 3:
        return []
    view = classifier.fitted_.view
    like_it = CrossLabelClassifier(**{**classifier.get_params(), **_named(view)})
    judged = RejectingClassifier(like_it, random_state=0).fit(X, y)
    scores = np.sort(np.asarray(judged.unknown_scores_, np.float64))
    if len(scores) > MOST:
        scores = scores[np.linspace(0, len(scores) - 1, MOST).round().astype(int)]
    return [round(float(score), 6) for score in scores]


def _named(view: View) -> dict[str, object]:
    """Parameters of a classifier that chooses nothing, and sees samples as a view does."""
    lift = view.lift
    scale = "standard" if lift.center is not None else "unit" if lift.unit else "none"
    return {"scale": scale, "offset": float(lift.offset), "rule": view.rule, "ridge": view.ridge}


def atom_sources(view: View, X: Array, y: Labels) -> Labels:
    """For each atom the training sample, of the atom's own class, that is most like it.

    argmax over samples i of the class of |d_k·y_i|/‖y_i‖; of all classes for a shared atom.

    Parameters
    ----------
    view : View
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int of shape (n_samples,)
        Places of the samples' classes in the model.

    Returns
    -------
    ndarray of int of shape (n_atoms,)
    """
    lifted = np.asarray(view.lifted(X))
    norms = np.linalg.norm(lifted, axis=1, keepdims=True)
    directions = lifted / np.where(norms > 0, norms, 1)
    labels = view.layout.labels
    found = np.zeros(len(labels), np.intp)
    for label in np.unique(labels):
        own = np.flatnonzero(y == label) if label >= 0 else np.arange(len(y))
        atoms = labels == label
        found[atoms] = own[np.abs(view.dictionary[atoms] @ directions[own].T).argmax(axis=1)]
    return found


def _shorter_side(file: str) -> int:
    with Image.open(file) as image:
        return min(image.size)
