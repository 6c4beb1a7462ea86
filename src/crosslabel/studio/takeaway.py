"""Take it away: the model that answers on the page, as a file, as ONNX, with its card."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.pipeline import Pipeline

from crosslabel.core.wilson import wilson_interval
from crosslabel.files import Model, save
from crosslabel.files.description import describe
from crosslabel.files.onnx.writer import to_onnx
from crosslabel.flagship.crosslabel import CrossLabelClassifier
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.predictor import JOINT
from crosslabel.lab.report.card import page as card_page
from crosslabel.studio.lesson import ATOMS
from crosslabel.studio.studio import Studio
from crosslabel.studio.study import Study


def model_of(studio: Studio) -> Model:
    """The model of now, with the names that people gave.

    Parameters
    ----------
    studio : Studio
        A `ValueError` says so where there is nothing to take away yet.
    """
    lesson = studio.teacher.lesson
    if lesson is None or lesson.fitted is None:
        raise ValueError("There is no model yet: teach two classes first.")
    names = studio.stock.names
    called = [names[label] for label in lesson.fitted.classes.tolist()]
    sight = studio.teacher.sight
    classifier = classifier_of(lesson.fitted, lesson.summary.statistics.n_features)
    pipeline = Pipeline([(sight.name, sight.features), ("classifier", classifier)])
    summary = {
        "data": f"Pictures of {len(called)} classes, taught in the studio.",
        "protocol": "Every picture was judged by a model of the other folds, which never saw it.",
        "training_samples": int(lesson.summary.statistics.counts.sum()),
        "rule": JOINT if lesson.fitted.is_joint else lesson.fitted.view.rule,
        **({} if studio.study is None else {"held_out": measured(studio.study, names)}),
    }
    return Model(pipeline, called, "images", sight.name, summary)


def classifier_of(fitted: Fitted, width: int) -> CrossLabelClassifier:
    """A classifier that answers as a model does, with numbers for its classes.

    Parameters
    ----------
    fitted : Fitted
    width : int
        Features of a row.
    """
    numbered = replace(fitted, classes=np.arange(len(fitted.classes)))
    made = CrossLabelClassifier(atoms_per_class=ATOMS, scale="unit", kernel="linear", offset=0)
    state = {**made.__getstate__(), "_fitted": numbered.to_state(), "n_features_in_": width}
    made.__setstate__(state)
    return made


def measured(study: Study, names: dict[str, str]) -> dict[str, object]:
    """The study as a card states it.

    Parameters
    ----------
    study : Study
    names : dict
    """
    confusion = study.confusion
    counts, right = confusion.sum(axis=1), confusion.diagonal()
    tested = [
        (names.get(label, label), int(n), float(r / n))
        for label, n, r in zip(study.pictures.names, counts, right)
        if n
    ]
    return {
        "accuracy": float(right.sum() / counts.sum()),
        "correct": int(right.sum()),
        "total": int(counts.sum()),
        "interval": list(wilson_interval(int(right.sum()), int(counts.sum()))),
        "mean_per_class": float(np.mean([share for _, _, share in tested])),
        "per_class": {name: share for name, _, share in tested},
        "per_class_total": {name: n for name, n, _ in tested},
    }


def _stored(studio: Studio) -> bytes:
    return _written(studio, lambda model, place: save(model, place))


def _onnx(studio: Studio) -> bytes:
    """With the features where these are linear, else from rows of features on."""

    def write(model: Model, place: Path) -> None:
        try:
            to_onnx(model, place)
        except (ValueError, TypeError):
            to_onnx(model.pipeline[-1], place)

    return _written(studio, write)


def _card(studio: Studio) -> bytes:
    with tempfile.TemporaryDirectory(prefix="crosslabel-") as folder:
        place = Path(folder, "model.skops")
        save(model_of(studio), place)
        return card_page(describe(place)).encode()


def _written(studio: Studio, write: Callable[[Model, Path], object]) -> bytes:
    model = model_of(studio)
    with tempfile.TemporaryDirectory(prefix="crosslabel-") as folder:
        place = Path(folder, "model")
        write(model, place)
        return place.read_bytes()


TAKEN: dict[str, Callable[[Studio], bytes]] = {
    "model.skops": _stored,
    "model.onnx": _onnx,
    "card.html": _card,
}
"""What can be taken away, by file name."""
