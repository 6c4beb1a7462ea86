"""A whole named fit with torch; on the CPU here, and the same code on a GPU."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import CrossLabelClassifier
from crosslabel.core.rules import LocalRule
from tests.core.problems import samples

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")


@pytest.fixture
def data():
    X, y = samples(np.random.default_rng(0), (3, 12, 7, 30, 80, 9, 16), 11)
    X[4] = X[3]  # a class with fewer distinct samples than atoms
    shuffle = np.random.default_rng(1).permutation(len(X))
    return 5 * X[shuffle], 10 * y[shuffle]


def model(**settings):
    named = {"atoms_per_class": 4, "ridge": 0.05, "rule": "local", "random_state": 0}
    return CrossLabelClassifier(**{**named, **settings})


def spans(model):
    """DᵀD of each class."""
    D, labels = model.dictionary_, model.atom_labels_
    return np.array([D[labels == c].T @ D[labels == c] for c in range(len(model.classes_))])


def assert_same(there, here, X):
    assert_array_equal(there.classes_, here.classes_)
    assert_array_equal(there.atom_labels_, here.atom_labels_)
    if here.kernel in ("auto", "linear"):  # a kernel's coordinates have no sign of their own
        assert_allclose(spans(there), spans(here), atol=1e-10)
    if here.kernel in ("auto", "linear") and len(here.dictionary_) < 40:
        # With more atoms than samples are different, equal ones may turn in either order.
        assert_allclose(there.dictionary_, here.dictionary_, atol=1e-10)
        assert_allclose(there.novelty_score(X), here.novelty_score(X), atol=1e-10)
    assert_allclose(there.objective_trace_, here.objective_trace_, rtol=1e-10)
    assert_array_equal(there.unused_atoms_, here.unused_atoms_)
    assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-10)
    assert_allclose(there.temperature_, here.temperature_, rtol=1e-7)
    assert_allclose(there.predict_proba(X), here.predict_proba(X), atol=1e-7)


SETTINGS = [
    {},
    {"rule": "global"},
    {"rule": "global-length", "ridge": 1.0},
    {"rule": "global-residual", "offset": 2.0},
    {"atoms_per_class": "auto"},
    {"atoms_per_class": [1, 2, 3, 4, 5, 6, 7]},
    {"scale": "unit", "kernel": "linear", "random_state": 3},
    {"scale": "standard"},
    {"kernel": "rbf"},
    {"kernel": "poly", "n_landmarks": 20},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_device_and_host_learn_the_same(data, settings, monkeypatch):
    X, y = data
    here = model(**settings).fit(X, y)
    monkeypatch.setattr(CrossLabelClassifier, "_train", None)  # no way by the host
    assert_same(model(device="cpu", **settings).fit(X, y), here, X)
    tensors = model(**settings).fit(torch.as_tensor(X), torch.as_tensor(y))
    assert_same(tensors, here, X)
    assert isinstance(tensors.predict(torch.as_tensor(X)), torch.Tensor)


def test_float32_stays_float32(data):
    X, y = data
    X = X.astype(np.float32)
    there, here = model(device="cpu").fit(X, y), model().fit(X, y)
    assert there.dictionary_.dtype == np.float32
    assert_allclose(there.dictionary_, here.dictionary_, atol=1e-4)
    assert_array_equal(there.predict(X), here.predict(X))


def test_samples_never_visit_the_host(data, monkeypatch):
    """What comes home is the dictionary, once."""
    X, y = (torch.as_tensor(part) for part in data)
    moved = []
    cpu, numpy = torch.Tensor.cpu, torch.Tensor.numpy
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: moved.append(self.shape) or cpu(self))
    monkeypatch.setattr(torch.Tensor, "numpy", lambda self: moved.append(self.shape) or numpy(self))
    monkeypatch.setattr(torch.Tensor, "__array__", None)
    found = model().fit(X, y)
    assert moved == [found.dictionary_.shape] * 2
    moved.clear()
    for method in ("predict", "predict_proba", "decision_function", "novelty_score"):
        assert isinstance(getattr(found, method)(X), torch.Tensor)
    found.predict_topk(X)
    assert not moved


def test_names_and_weights(data):
    X, y = data
    names = np.array(["c", "a", "g", "b", "f", "e", "d"])[y // 10]
    weights = np.random.default_rng(2).integers(0, 3, len(X)).astype(float)
    weights[names == "g"] = 0
    there = model(device="cpu").fit(X, names, weights)
    assert "g" not in there.classes_
    assert_same(there, model().fit(X, names, weights), X)
    assert there.fitted_.choice.n_samples == pytest.approx(weights.sum())


def test_the_one_iteration_and_its_objective_are_told(data, capsys):
    found = model(device="cpu", verbose=1).fit(*data)
    objective = f"{found.objective_trace_[0]:.6g}"
    said = f"[CrossLabelClassifier] iteration 1, objective {objective}\n"
    assert capsys.readouterr().out == said


def test_nothing_to_spare_leaves_probabilities_as_they_are():
    X, y = samples(np.random.default_rng(0), (3, 3, 2), 9)
    assert model(device="cpu").fit(X, y).temperature_ == 1


CHOSEN = [
    {},
    {"kernel": "linear"},
    {"kernel": "rbf"},
    {"rule": "joint", "ridge": 0.1},
    {"rule": "local", "scale": "standard"},
    {"rule": "global", "atoms_per_class": 3},
    {"shrinkage": 0.5, "scale": "standard", "offset": 1.0},
]


@pytest.mark.parametrize("settings", CHOSEN, ids=str)
@pytest.mark.parametrize("shape", [(60, (12, 9, 14, 40)), (8, (70, 62, 90))], ids=str)
def test_device_and_host_choose_the_same(shape, settings, monkeypatch):
    n_features, counts = shape
    X, y = samples(np.random.default_rng(5), counts, n_features)
    X = 5 * X + np.random.default_rng(6).normal(size=n_features)
    here = CrossLabelClassifier(random_state=0, **settings).fit(X, y)
    monkeypatch.setattr(CrossLabelClassifier, "_train", None)  # no way by the host
    there = CrossLabelClassifier(random_state=0, **settings)
    there.fit(torch.as_tensor(X), torch.as_tensor(y))
    assert there.rule_ == here.rule_
    assert there.rule_scores_ == here.rule_scores_
    chosen = [[(v.rule, v.ridge, v.layout) for v in m.fitted_.views] for m in (there, here)]
    assert chosen[0] == chosen[1]
    close = 1e-3 if settings.get("rule") == "global" else 1e-10  # see assert_same
    assert_allclose(there.predict_proba(X), here.predict_proba(X), atol=close)
    scale = np.abs(here.decision_function(X)).max()
    assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-10 * scale)


def test_what_chooses_comes_home_as_single_numbers(monkeypatch):
    """Of samples and scores no row comes home, but hashes, weights and losses do."""
    X, y = samples(np.random.default_rng(5), (12, 30, 14), 60)
    X, y = torch.as_tensor(X), torch.as_tensor(y)
    moved = []
    cpu = torch.Tensor.cpu
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: moved.append(self.shape) or cpu(self))
    monkeypatch.setattr(torch.Tensor, "__array__", None)
    found = CrossLabelClassifier(kernel="linear", random_state=0).fit(X, y).fitted_
    home = {tuple(view.dictionary.shape) for view in found.views}
    home |= {tuple(view.discriminant.weights.shape) for view in found.views if view.discriminant}
    wide = {tuple(shape) for shape in moved if len(shape) > 1}
    # Of each score a spread, a value with slope and curvature, and a loss for each sample.
    assert {shape[-1] for shape in wide - home} <= {2, 7, len(X)}


@pytest.mark.parametrize(
    "settings",
    [
        {"keep_summary": True},
        {"shared_atoms": 2},
        {"grouping": 0.1},
        {"scale": "none"},
        {"kernel": lambda A, B: A @ B.T},
        {"class_weight": {10: 2.0}},
        {"suppression": 20.0},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_what_is_not_done_there_is_done_as_before(data, settings, monkeypatch):
    X, y = data
    monkeypatch.setattr("crosslabel.flagship.crosslabel.fit_there", None)
    there, here = model(device="cpu", **settings).fit(X, y), model(**settings).fit(X, y)
    assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-6)


@pytest.mark.parametrize(
    ("X", "y", "match"),
    [
        (np.full((4, 2), np.nan), [0, 0, 1, 1], "NaN"),
        (np.ones((4, 2)), [0, 0, 0, 0], "one class only"),
        (np.ones((4, 2)), [0.5, 0.25, 0.1, 1.5], "Unknown label type"),
        (np.ones((4, 2)), [0, 1, 1], "inconsistent numbers of samples"),
    ],
)
def test_bad_samples_get_a_sentence(X, y, match):
    with pytest.raises(ValueError, match=match):
        model(device="cpu").fit(X, y)
    with pytest.raises(ValueError, match=match):
        model().fit(torch.as_tensor(X), torch.as_tensor(y))
    with pytest.raises(ValueError, match="All sample weights are zero"):
        model(device="cpu").fit(np.ones((4, 2)), [0, 0, 1, 1], np.zeros(4))


def test_a_rule_that_knows_arrays_alone_is_prepared_on_the_host(data, monkeypatch):
    X, y = data
    here = model().fit(X, y)
    monkeypatch.setattr(LocalRule, "takes_tensors", False)
    monkeypatch.setattr("crosslabel.flagship.crosslabel.fit_there", None)
    there = model(device="cpu").fit(X, y)
    scores = there.decision_function(torch.as_tensor(X))
    assert_allclose(scores.numpy(), here.decision_function(X), atol=1e-10)
