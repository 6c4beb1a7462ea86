"""Why a model labels an image as it does, as the rule of its dictionary tells it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from crosslabel.flagship.predictor import Predictor
from crosslabel.serve.answering import Answerer

SHOWN = 5
"""Classes that are told of."""


def reasons(answerer: Answerer, place: Path) -> list[dict[str, object]]:
    """The best classes with their scores and the reason for each.

    Parameters
    ----------
    answerer : Answerer
        Of images.
    place : Path
        The image.

    Returns
    -------
    list of dict
        `name`, `score`, `residual`, `mass` and `reason`, the best class first; empty where the
        model has no dictionary to explain by.
    """
    rows, last = answerer.features([place])
    classifier = last.estimator
    if not isinstance(classifier, Predictor):
        return []
    fitted = classifier.fitted_
    valid = classifier.check_queries(rows)
    shares = fitted.view.prepared.explanation(fitted.view.lifted(valid)[0])
    order = np.argsort(-fitted.scores(valid)[0], kind="stable")[:SHOWN].tolist()
    fields = ("score", "residual", "mass", "reason")
    return [
        {"name": answerer.names[c], **{field: getattr(shares[c], field) for field in fields}}
        for c in order
    ]
