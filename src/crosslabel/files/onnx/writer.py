"""ONNX export: the flagship and the linear feature steps before it, as one graph.

The rules have multiplied out what depends on the dictionary alone: a query costs one product, with
shared atoms in the local rule a second, small one, and sums over the atoms of each class.

All arithmetic is in double precision, whatever the input is: of a class that a query hardly touches
the global rule's score is a residual over a tiny mass, of which single precision keeps four digits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from crosslabel._version import __version__
from crosslabel.core.rules.rule import SMALLEST_SHARE
from crosslabel.files.onnx.steps import Affine, Log, Operation, UnitNorm, operations
from crosslabel.files.whole import write_whole
from crosslabel.flagship.fitted import Fitted, View
from crosslabel.flagship.predictor import Predictor
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.lift import KernelMap, Lift

if TYPE_CHECKING:
    from onnx import ModelProto

    from crosslabel.files.model import Model
    from crosslabel.files.onnx.graph import Graph

DTYPES = ("float32", "float64")


def to_onnx(
    model: BaseEstimator | Model,
    path: str | os.PathLike[str] | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> ModelProto:
    """A trained model as an ONNX graph: rows in, labels and scores out.

    Parameters
    ----------
    model : CrossLabelClassifier, CrossLabelClassifierCV, Pipeline or Model
        Fitted. The steps of a pipeline before the classifier must be linear, unit norm or
        logarithm: scalers, PCA, `Eigenfaces`, `RandomFaces`, `Pixels`. For `Pixels` the graph takes
        rows of gray values in [0, 1], resized as `Pixels` would.
    path : path, optional
        Where the file is written, whole or not at all.
    dtype : {"float32", "float64"}, optional
        Of the input and the scores; the arithmetic between is in double precision. Default: the
        dictionary's own.

    Returns
    -------
    onnx.ModelProto
        Input `X` (n, n_features); outputs `label` (n,), and `scores` (n, n_classes), of which the
        highest wins. n is free.

    Raises
    ------
    ValueError
        Naming a step that cannot be exported.

    Examples
    --------
    >>> import onnxruntime
    >>> from sklearn.datasets import load_digits
    >>> from crosslabel import CrossLabelClassifier, to_onnx
    >>> X, y = load_digits(return_X_y=True)
    >>> model = CrossLabelClassifier(rule="global", random_state=0).fit(X, y)
    >>> content = to_onnx(model).SerializeToString()
    >>> session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    >>> label, scores = session.run(None, {"X": X[:3]})
    >>> label.tolist()
    [0, 1, 2]
    """
    try:
        from crosslabel.files.onnx.graph import Graph
    except ImportError as error:
        raise ImportError(
            f"ONNX export needs the extra onnx ({error}): pip install 'crosslabel[onnx]'."
        ) from None
    steps, classifier, labels = _parts(model)
    chosen = np.dtype(classifier.dictionary_.dtype if dtype is None else dtype)
    if chosen.name not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {chosen.name!r}.")
    done = operations(steps)
    graph = Graph()
    rows = "X" if chosen == np.float64 else graph.cast("X", np.float64)
    for operation in done:
        rows = WRITERS[type(operation)](graph, rows, operation)
    scores = _scores(graph, rows, classifier.fitted_)
    content = _finished(graph, scores, labels, _width(done, classifier), chosen)
    _describe(content, classifier, labels)
    if path is not None:
        write_whole(Path(path), lambda file: file.write(content.SerializeToString()))
    return content


def _parts(
    model: BaseEstimator | Model,
) -> tuple[list[tuple[str, BaseEstimator]], Predictor, ClassLabels]:
    """Feature steps, the flagship itself, and the label of each of its classes."""
    names = getattr(model, "class_names", None)
    pipeline: BaseEstimator = getattr(model, "pipeline", model)
    steps = list(getattr(pipeline, "steps", []))
    classifier = steps.pop()[1] if steps else pipeline
    while hasattr(classifier, "steps"):  # a pipeline within a pipeline
        *inner, (_, classifier) = classifier.steps
        steps += inner
    fitted = getattr(classifier, "best_estimator_", classifier)
    if not isinstance(fitted, Predictor):
        raise ValueError(
            f"{type(classifier).__name__} cannot be exported to ONNX; CrossLabelClassifier and "
            "CrossLabelClassifierCV can."
        )
    check_is_fitted(fitted)
    classes = classifier.classes_
    return steps, fitted, classes if names is None else np.array(names, object)[classes]


def _scores(graph: Graph, rows: str, fitted: Fitted) -> str:
    """What `Fitted.scores` gives: a single rule's scores, or the evidence of all views."""
    if not fitted.is_joint:
        return _rule_scores(graph, _lifted(graph, rows, fitted.view.lift), fitted.view)
    return graph.added(_view_evidence(graph, rows, view) for view in fitted.views)


def _view_evidence(graph: Graph, rows: str, view: View) -> str:
    """a·e + b·g, as `View.evidence`."""
    lifted = _lifted(graph, rows, view.lift)
    residuals = graph.node("Neg", _rule_scores(graph, lifted, view))
    best = graph.node("ReduceMin", residuals, axes=[1], keepdims=1)
    worst = graph.node("ReduceMax", residuals, axes=[1], keepdims=1)
    least = graph.node("Mul", worst, graph.number(SMALLEST_SHARE))
    floor = graph.node("Max", least, graph.number(np.finfo(float).tiny))
    ratio = graph.node("Div", graph.node("Max", best, floor), graph.node("Max", residuals, floor))
    found = graph.node("Mul", graph.node("Log", ratio), graph.number(view.share))
    if view.discriminant is None:
        return found
    weights, offsets = view.discriminant.weights, view.discriminant.offsets
    g = graph.node("Add", graph.product(lifted, weights.T), graph.number(offsets))
    mean = graph.node("ReduceMean", g, axes=[1], keepdims=1)
    scale = graph.number(view.discriminant_share)
    return graph.node("Add", found, graph.node("Mul", graph.node("Sub", g, mean), scale))


def _rule_scores(graph: Graph, lifted: str, view: View) -> str:
    exact = replace(view, dictionary=view.dictionary.astype(np.float64), is_half=False)
    return exact.prepared.onnx_scores(graph, lifted)


def _lifted(graph: Graph, rows: str, lift: Lift) -> str:
    """What `Lift` does to rows."""
    if lift.center is not None and lift.spread is not None:
        rows = graph.node("Sub", rows, graph.number(lift.center))
        rows = graph.node("Div", rows, graph.number(lift.spread))
    if lift.offset:
        rows = graph.node("Pad", rows, graph.whole([0, 0, 0, 1]), graph.number(lift.offset))
    if lift.unit:
        rows = _unit_norm(graph, rows, UnitNorm())
    return rows if lift.kernel is None else _kernel(graph, rows, lift.kernel)


def _kernel(graph: Graph, rows: str, found: KernelMap) -> str:
    """exp(−γ‖x − z‖²) for every landmark z, in the coordinates of the kernel's basis."""
    if found.kernel != "rbf":
        raise ValueError(
            f"The kernel {found.kernel!r} cannot be exported to ONNX; kernel='rbf' can, and "
            "kernel='linear' needs no export of its own."
        )
    landmarks = found.landmarks.astype(np.float64)
    products = graph.node("Mul", graph.product(rows, landmarks.T), graph.number(-2.0))
    squares = graph.number(np.einsum("ij,ij->i", landmarks, landmarks))
    energy = graph.node("ReduceSum", graph.node("Mul", rows, rows), graph.whole([1]), keepdims=1)
    distances = graph.node("Add", graph.node("Add", products, squares), energy)
    distances = graph.node("Max", distances, graph.number(0.0))
    values = graph.node("Exp", graph.node("Mul", distances, graph.number(-found.gamma)))
    return graph.product(values, found.basis.astype(np.float64))


def _width(done: list[Operation], classifier: Predictor) -> int:
    """Features that the graph takes."""
    matrices = [operation.matrix for operation in done if isinstance(operation, Affine)]
    return len(matrices[0]) if matrices else int(classifier.n_features_in_)


def _affine(graph: Graph, rows: str, step: Affine) -> str:
    if step.matrix.ndim == 1:
        rows = graph.node("Mul", rows, graph.number(step.matrix))
    else:
        rows = graph.product(rows, step.matrix)
    return graph.node("Add", rows, graph.number(step.offset)) if step.offset.any() else rows


def _unit_norm(graph: Graph, rows: str, step: UnitNorm) -> str:
    """Divided by the largest value first, so that no square leaves the range of its type."""
    peak = graph.node("ReduceMax", graph.node("Abs", rows), axes=[1], keepdims=1)
    # A row of zeros stays zero.
    safe = graph.node("Max", peak, graph.number(np.finfo(float).tiny))
    rows = graph.node("Div", rows, safe)
    return graph.node("LpNormalization", rows, axis=1, p=2)


def _log(graph: Graph, rows: str, step: Log) -> str:
    scaled = graph.node("Mul", rows, graph.number(step.factor))
    return graph.node("Log", graph.node("Add", scaled, graph.number(1.0)))


WRITERS: dict[type, Callable[..., str]] = {Affine: _affine, UnitNorm: _unit_norm, Log: _log}


def _finished(
    graph: Graph, scores: str, labels: ClassLabels, width: int, dtype: np.dtype
) -> ModelProto:
    """The model from rows to `label` and `scores`."""
    from crosslabel.files.onnx.graph import INT64, STRING, onnx_type

    if labels.dtype.kind == "u" and labels.max() > np.iinfo(np.int64).max:
        raise ValueError(
            f"Labels of an ONNX model are 64-bit numbers with a sign, but classes_ holds "
            f"{labels.max()}. Rename the classes."
        )
    if labels.dtype.kind in "iub":
        kind, table = INT64, labels.astype(np.int64)
    elif all(isinstance(label, str) for label in labels.tolist()):
        kind, table = STRING, labels.astype(object)
    else:
        raise ValueError(
            f"Labels of an ONNX model are whole numbers or strings, but classes_ holds "
            f"{labels.dtype} values such as {labels.tolist()[0]!r}."
        )
    best = graph.node("ArgMax", scores, axis=1, keepdims=0)
    graph.node("Gather", graph.constant(table), best, output="label")
    graph.cast(scores, dtype, output="scores")
    floating = onnx_type(dtype)
    return graph.model(
        {"X": (floating, ["n", width])},
        {"label": (kind, ["n"]), "scores": (floating, ["n", len(labels)])},
    )


def _describe(content: ModelProto, classifier: Predictor, labels: ClassLabels) -> None:
    """Who made the file, and what its columns mean."""
    content.producer_name, content.producer_version = "crosslabel", __version__
    facts = {"rule": classifier.rule_, "classes": json.dumps(labels.tolist())}
    for key, value in facts.items():
        entry = content.metadata_props.add()
        entry.key, entry.value = key, value
