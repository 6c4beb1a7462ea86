"""An exported model must say what the model says, on every data set there is."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from crosslabel import CRC, CrossLabelClassifier, CrossLabelClassifierCV, to_onnx
from crosslabel.core.rules import RULES
from crosslabel.datasets import load_extended_yale_b, load_orl, load_yale
from crosslabel.features import Eigenfaces, Pixels, RandomFaces

onnx = pytest.importorskip("onnx", reason="needs the extra onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra onnx")
Fail = onnxruntime.capi.onnxruntime_pybind11_state.Fail

every_rule = pytest.mark.parametrize("rule", list(RULES))
both_types = pytest.mark.parametrize("dtype", ["float32", "float64"])


def run(content, X):
    """What onnxruntime makes of the rows."""
    onnx.checker.check_model(content, full_check=True)
    session = onnxruntime.InferenceSession(
        content.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    kind = {"tensor(float)": np.float32, "tensor(double)": np.float64}[session.get_inputs()[0].type]
    return session.run(["label", "scores"], {"X": np.asarray(X, kind)})


def scores_of(model, X):
    """Scores of all classes, for two classes too, in double precision from the queries on."""
    for _, step in getattr(model, "steps", [])[:-1]:
        X = step.transform(X)
    outer = model[-1] if hasattr(model, "steps") else model
    fitted = getattr(outer, "best_estimator_", outer)
    valid, value = fitted.check_queries(np.asarray(X, float)), fitted.fitted_
    if value.is_joint:
        return value.scores(valid)
    exact = replace(value.view, dictionary=value.view.dictionary.astype(float))
    return exact.prepared.scores(exact.lifted(valid))


def assert_agrees(model, X, dtype=None):
    """All scores to 1e-5, and all labels the same that scores so exact can decide."""
    label, scores = run(to_onnx(model, dtype=dtype), X)
    expected = scores_of(model, X)
    tolerance = 1e-9 if scores.dtype == np.float64 else 1e-5
    assert_allclose(scores, expected, rtol=tolerance, atol=tolerance)
    first, second = -np.sort(-expected, axis=1)[:, :2].T
    decided = first - second > 2 * tolerance * (1 + np.abs(first))
    assert decided.mean() > 0.95
    assert_array_equal(label[decided], model.predict(X)[decided])


@every_rule
@both_types
@pytest.mark.parametrize("shared", [0, 4])
@pytest.mark.parametrize("atoms", [7, (3, 5, 4, 6, 7, 3, 4, 5, 6, 7)])
def test_digits(rule, dtype, shared, atoms):
    X, y = load_digits(return_X_y=True)
    model = CrossLabelClassifier(
        rule=rule, shared_atoms=shared, atoms_per_class=atoms, max_iter=5, random_state=0
    )
    assert_agrees(model.fit(X[::2], y[::2]), X[1::2], dtype)


LINEAR = {
    "plain": [],
    "scaled": [StandardScaler()],
    "whitened": [StandardScaler(with_std=False), PCA(20, whiten=True), Normalizer()],
    "eigenfaces": [Normalizer(), Eigenfaces(30, center=True), StandardScaler(with_mean=False)],
}


@every_rule
@pytest.mark.parametrize("scale", ["unit", "none"])
@pytest.mark.parametrize("name", LINEAR)
def test_linear_steps_are_folded_in(name, rule, scale):
    X, y = load_digits(return_X_y=True)
    X = X / 16
    model = CrossLabelClassifier(
        rule=rule, scale=scale, atoms_per_class=5, max_iter=5, random_state=0
    )
    pipeline = make_pipeline(*LINEAR[name], model).fit(X[::2], y[::2])
    assert_agrees(pipeline, X[1::2])
    products = [node.op_type for node in to_onnx(pipeline).graph.node].count("MatMul")
    assert products <= (1 if name in {"plain", "scaled"} else 2)


FACES = {
    "pixels": [Pixels()],
    "random faces": [Pixels(), RandomFaces(200, random_state=0)],
    "log eigenfaces": [Pixels(log=True), Eigenfaces(100)],
}


@pytest.fixture(scope="module", params=[load_orl, load_yale, load_extended_yale_b])
def people(request):
    """Faces of one data set as rows of gray values in [0, 1], and the names of the people."""
    try:
        data = request.param()
    except (FileNotFoundError, ImportError, ValueError) as error:
        pytest.skip(str(error))
    rows = Pixels((24, 21), normalize=False).fit_transform(list(data.images))
    return rows.astype(float), np.array([f"person {label}" for label in data.target])


@every_rule
@pytest.mark.parametrize("features", FACES)
def test_faces(people, features, rule):
    X, y = people
    model = CrossLabelClassifier(rule=rule, atoms_per_class=5, max_iter=3, random_state=0)
    pipeline = make_pipeline(*FACES[features], model).fit(X[::2], y[::2])
    for dtype in ("float32", "float64"):
        assert_agrees(pipeline, X[1::2], dtype)


def test_images_go_in_as_rows_of_gray_values():
    pictures = load_digits().images.astype(np.float32) / 16
    model = CrossLabelClassifier(rule="local", atoms_per_class=3, max_iter=3, random_state=0)
    pipeline = make_pipeline(Pixels(), Eigenfaces(20), model).fit(pictures, load_digits().target)
    label, _ = run(to_onnx(pipeline), pictures.reshape(len(pictures), -1))
    assert_array_equal(label, pipeline.predict(pictures))


def test_two_classes_and_the_cross_validated_classifier():
    X, y = load_digits(n_class=2, return_X_y=True)
    model = CrossLabelClassifierCV(
        atoms_per_class=(3,), ridges=(8e-3,), suppressions=(2.0,), groupings=(2e-2,), random_state=0
    )
    assert_agrees(model.fit(X[::2], y[::2] == 1), X[1::2])


def test_batches_of_any_size_black_rows_and_extreme_scales():
    X, y = load_digits(return_X_y=True)
    model = CrossLabelClassifier(atoms_per_class=4, rule="global", random_state=0).fit(X, y)
    content = to_onnx(model)
    for rows in (X[:1], X[:7], np.zeros((2, 64)), 1e200 * X[:3], 1e-200 * X[:3]):
        label, scores = run(content, rows)
        assert scores.shape == (len(rows), 10)
        assert_array_equal(label, model.predict(rows))


@every_rule
def test_a_query_that_no_atom_touches(rule):
    X, y = load_digits(return_X_y=True)
    X = np.hstack([X, np.zeros((len(X), 1))])  # no atom reaches the last feature
    model = CrossLabelClassifier(atoms_per_class=4, shared_atoms=2, rule=rule, random_state=0)
    orthogonal = 3 * np.eye(65)[[64]]
    queries = np.vstack([orthogonal, orthogonal + 1e-20 * X[:1]])
    # All classes score nearly the same here, so that only the scores can be compared.
    _, scores = run(to_onnx(model.fit(X, y)), queries)
    assert_allclose(scores, scores_of(model, queries), rtol=1e-9, atol=1e-9)


def test_single_precision_models_give_single_precision_graphs():
    X, y = load_digits(return_X_y=True)
    model = CrossLabelClassifier(atoms_per_class=4, rule="local", random_state=0)
    model.fit(X.astype(np.float32), y)
    content = to_onnx(model)
    assert content.graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT
    assert_agrees(model, X.astype(np.float32))


def test_the_file_is_what_is_returned_and_says_who_made_it(tmp_path):
    X, y = load_digits(return_X_y=True)
    model = CrossLabelClassifier(atoms_per_class=2, rule="local", max_iter=2).fit(X, y)
    content = to_onnx(model, tmp_path / "m.onnx")
    assert onnx.load(tmp_path / "m.onnx") == content
    assert content.producer_name == "crosslabel"
    assert {entry.key: entry.value for entry in content.metadata_props}["rule"] == "local"


def test_what_cannot_be_exported_is_named():
    X, y = load_digits(return_X_y=True)
    X, y = X[:200], y[:200]
    model = CrossLabelClassifier(atoms_per_class=2, rule="global", max_iter=2)
    kernel = make_pipeline(Nystroem(n_components=20, random_state=0), model).fit(X, y)
    with pytest.raises(ValueError, match=r"'nystroem' \(Nystroem\) cannot be exported"):
        to_onnx(kernel)
    with pytest.raises(ValueError, match="CRC cannot be exported"):
        to_onnx(CRC().fit(X, y))
    with pytest.raises(ValueError, match="norm='l1'"):
        to_onnx(make_pipeline(Normalizer("l1"), model).fit(X, y))
    with pytest.raises(ValueError, match="not 'float16'"):
        to_onnx(model.fit(X, y), dtype="float16")
    with pytest.raises(ValueError, match="whole numbers or strings"):
        to_onnx(model.fit(X, y + 0.0))
    with pytest.raises(ValueError, match="not fitted"):
        to_onnx(CrossLabelClassifier())


@pytest.mark.parametrize("kernel", ["auto", "linear", "rbf"])
def test_every_view_of_a_joint_model_is_in_the_graph(kernel):
    """Offsets, standardised features, kernels and discriminants, as `Fitted.scores` adds them."""
    X, y = load_wine(return_X_y=True)
    model = CrossLabelClassifier(kernel=kernel, random_state=0).fit(X[::2], y[::2])
    assert model.rule_ == "joint"
    label, scores = run(to_onnx(model), X)
    assert_allclose(scores, model.decision_function(X), atol=1e-8)
    assert_array_equal(label, model.predict(X))


def test_a_kernel_without_a_formula_cannot_be_exported():
    X, y = load_wine(return_X_y=True)
    model = CrossLabelClassifier(kernel="poly", rule="local", ridge=0.1).fit(X, y)
    with pytest.raises(ValueError, match="The kernel 'poly' cannot be exported"):
        to_onnx(model)


def test_labels_beyond_the_numbers_of_onnx_are_refused():
    X, y = load_wine(return_X_y=True)
    model = CrossLabelClassifier(rule="local", random_state=0).fit(X, y.astype(np.uint64) + 2**63)
    with pytest.raises(ValueError, match=r"64-bit numbers with a sign.*9223372036854775810"):
        to_onnx(model)


def test_an_empty_batch_is_empty_or_an_error():
    X, y = load_wine(return_X_y=True)
    content = to_onnx(CrossLabelClassifier(rule="local", random_state=0).fit(X, y))
    session = onnxruntime.InferenceSession(
        content.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found = None
    with suppress(Fail):  # onnxruntime reduces no empty arrays: its own error, and no answer
        found = [len(output) for output in session.run(None, {"X": X[:0]})]
    assert found in (None, [0, 0])
