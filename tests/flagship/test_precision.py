import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

import crosslabel
from crosslabel import CrossLabelClassifier
from crosslabel.core.half import HalfMatrix
from crosslabel.core.rules import RULES, LocalRule
from crosslabel.flagship.fitted import Fitted

X, Y = load_digits(return_X_y=True)
TRAIN, TEST = X[:600], X[600:900]


def model(rule, **settings):
    named = {} if rule == "auto" else {"rule": rule, "ridge": 0.1, "atoms_per_class": 10}
    return CrossLabelClassifier(random_state=0, **{**named, **settings}).fit(TRAIN, Y[:600])


@pytest.mark.parametrize("rule", [*RULES, "joint"])
def test_scores_lose_as_many_digits_as_the_type(rule):
    exact = model(rule)
    least = np.abs(exact.decision_function(TEST)).max()
    single, half = exact.astype("float32"), exact.astype("bfloat16")
    for one, off in ((single, 1e-5), (half, 2e-2)):
        apart = np.abs(one.decision_function(TEST) - exact.decision_function(TEST)).max()
        assert 0 < apart < off * least
        assert one.dictionary_.dtype == np.float32
    assert_array_equal(single.predict(TEST), exact.predict(TEST))
    assert np.mean(half.predict(TEST) == exact.predict(TEST)) > 0.98
    assert np.abs(half.predict_proba(TEST) - exact.predict_proba(TEST)).max() < 0.2


@pytest.mark.parametrize("rule", list(RULES))
def test_floors_hold_and_rows_of_zeros_too(rule):
    half = model(rule).astype("bfloat16")
    asked = np.concatenate([TRAIN, np.zeros((1, 64)), half.dictionary_])
    assert (half.decision_function(asked) <= 0).all()
    chances = half.predict_proba(asked)
    assert np.isfinite(chances).all()
    assert_allclose(chances.sum(axis=1), 1, atol=1e-5)


def test_the_rule_keeps_half_the_bytes_also_in_copies_files_and_top_k(tmp_path):
    exact = model("local")
    half = exact.astype("bfloat16")
    whole = exact.fitted_.view.prepared.projection.nbytes
    assert half.fitted_.view.prepared.projection.values.nbytes * 4 == whole
    crosslabel.save(half, tmp_path / "half.clm")
    for one in (copy.deepcopy(half), crosslabel.load(tmp_path / "half.clm")):
        assert isinstance(one.fitted_.view.prepared.projection, HalfMatrix)
        assert_array_equal(one.decision_function(TEST), half.decision_function(TEST))
    top = half.predict_topk(TEST, k=3)
    assert_array_equal(top.scores[:, 0], half.decision_function(TEST).max(axis=1))
    # The model that it came from stays as it is.
    assert exact.dictionary_.dtype == np.float64
    assert not exact.fitted_.view.is_half


def test_tensors_are_asked_as_arrays():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    half = model("local").astype("bfloat16")
    there = half.decision_function(torch.as_tensor(TEST))
    assert_allclose(there.numpy(), half.decision_function(TEST), atol=1e-5)
    rule = half.fitted_.view.beside(torch.zeros(1)).prepared
    assert rule.projection.values.dtype == torch.bfloat16


def test_back_again_and_onnx():
    half = model("local").astype("bfloat16")
    again = half.astype("float64")
    assert again.dictionary_.dtype == np.float64
    assert_allclose(
        again.decision_function(TEST), model("local").decision_function(TEST), atol=1e-5
    )
    onnxruntime = pytest.importorskip("onnxruntime", reason="needs crosslabel[onnx]")
    pytest.importorskip("onnx", reason="needs crosslabel[onnx]")
    graph = crosslabel.to_onnx(half).SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    labels = session.run(None, {session.get_inputs()[0].name: TEST.astype(np.float32)})[0]
    assert_array_equal(labels, again.predict(TEST))


def test_what_cannot_be_is_refused(monkeypatch):
    exact = model("local", keep_summary=True)
    with pytest.raises(ValueError, match=r"dtype is 'float16'; .* float64, float32, bfloat16"):
        exact.astype("float16")
    with pytest.raises(NotFittedError):
        CrossLabelClassifier().astype("float32")
    assert hasattr(exact, "partial_fit")
    assert not hasattr(exact.astype("float32"), "partial_fit")
    state = exact.astype("bfloat16").fitted_.to_state()
    state["views"][0]["dictionary"] = state["views"][0]["dictionary"].astype(float)
    with pytest.raises(ValueError, match="no form in bfloat16"):
        Fitted.from_state(state)
    monkeypatch.setattr(LocalRule, "halves", False)
    with pytest.raises(ValueError, match=r"The rule 'local' has no form in bfloat16.*global"):
        exact.astype("bfloat16")
