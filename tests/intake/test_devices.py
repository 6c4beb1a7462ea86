"""Tensors in, tensors out; arrays in, arrays out; the same answers on a device as without one."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from crosslabel import CRC, DPL, LRC, SRC, CrossLabelClassifier

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")

X, y = load_digits(return_X_y=True)
X_train, y_train, X_test = X[:300], y[:300], X[300:360]
FLAGSHIP = CrossLabelClassifier(
    random_state=0, shared_atoms=3, max_iter=5, suppression=2e3, ridge=0.1, init="kmeans"
)


@pytest.fixture(scope="module")
def fitted():
    return clone(FLAGSHIP).fit(X_train, y_train)


def test_device_and_host_learn_the_same(fitted):
    found = clone(FLAGSHIP).set_params(device="cpu").fit(X_train, y_train)
    np.testing.assert_allclose(found.dictionary_, fitted.dictionary_, atol=1e-8)
    assert found.rule_ == fitted.rule_
    assert found.rule_scores_ == fitted.rule_scores_
    for method in ("predict", "decision_function", "transform"):
        here, there = (getattr(model, method)(X_test) for model in (fitted, found))
        assert isinstance(there, np.ndarray)
        np.testing.assert_allclose(there, here, atol=1e-6)


def test_tensors_in_tensors_out(fitted):
    queries = torch.as_tensor(X_test)
    for method in ("predict", "decision_function", "predict_proba", "transform", "novelty_score"):
        found = getattr(fitted, method)(queries)
        assert isinstance(found, torch.Tensor)
        np.testing.assert_allclose(found.numpy(), getattr(fitted, method)(X_test), atol=1e-10)
    codes = fitted.transform(queries)
    np.testing.assert_allclose(
        fitted.inverse_transform(codes).numpy(), fitted.inverse_transform(codes.numpy())
    )


def test_training_on_tensors_is_training_on_their_device():
    tensors = clone(FLAGSHIP).fit(torch.as_tensor(X_train), torch.as_tensor(y_train))
    named = clone(FLAGSHIP).set_params(device="cpu").fit(X_train, y_train)
    np.testing.assert_allclose(tensors.dictionary_, named.dictionary_, atol=1e-9)


def test_names_of_classes_stay_names():
    names = np.array(list("abcdefghij"))
    model = CrossLabelClassifier(random_state=0, max_iter=2, rule="local")
    model.fit(X_train, names[y_train])
    found = model.predict(torch.as_tensor(X_test))
    np.testing.assert_array_equal(found, model.predict(X_test))


def test_two_classes_decide_by_sign():
    two = y_train < 2
    model = CrossLabelClassifier(random_state=0, max_iter=2).fit(X_train[two], y_train[two])
    decision = model.decision_function(torch.as_tensor(X_test))
    np.testing.assert_allclose(decision.numpy(), model.decision_function(X_test), atol=1e-10)


@pytest.mark.parametrize(
    "method", [CRC(), LRC(), DPL(random_state=0, max_iter=2), SRC(0.3), SRC(0.3, robust=True)]
)
def test_comparison_methods_on_tensors_and_devices(method):
    model = clone(method).fit(X_train[:80], y_train[:80])
    expected = model.decision_function(X_test[:10])
    found = model.decision_function(torch.as_tensor(X_test[:10]))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-3, atol=1e-3)
    on_device = clone(method).set_params(device="cpu").fit(X_train[:80], y_train[:80])
    np.testing.assert_allclose(on_device.decision_function(X_test[:10]), found.numpy(), atol=1e-9)


def test_a_refit_model_does_not_predict_with_the_last_one():
    model = CRC().fit(X_train[:80], y_train[:80])
    queries = torch.as_tensor(X_test)
    model.predict(queries)
    model.fit(X_train[80:160], y_train[80:160])
    np.testing.assert_allclose(
        model.decision_function(queries).numpy(), model.decision_function(X_test), atol=1e-9
    )


def test_models_that_predicted_on_a_device_can_be_pickled(fitted):
    fitted.predict(torch.as_tensor(X_test))
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X_test), fitted.predict(X_test))


@pytest.mark.parametrize(
    ("queries", "error", "match"),
    [
        (torch.zeros(2, 3), ValueError, "X has 3 features"),
        (torch.zeros(64), ValueError, "Reshape"),
        (torch.zeros(2, 64, dtype=torch.bfloat16), TypeError, "bfloat16"),
        (torch.full((2, 64), torch.inf), ValueError, "infinity"),
        (torch.zeros(0, 64), ValueError, "0 samples"),
    ],
)
def test_bad_tensors_get_a_sentence(fitted, queries, error, match):
    with pytest.raises(error, match=match):
        fitted.predict(queries)


def test_bad_devices_get_a_sentence():
    with pytest.raises(ValueError, match="unknown"):
        CrossLabelClassifier(device="abacus").fit(X_train, y_train)
    with pytest.raises(ValueError, match="runs on the CPU only"):
        CrossLabelClassifier(
            device="cpu", solver="paper", suppression=2e3, rule="local", ridge=0.1
        ).fit(X_train, y_train)
    with pytest.raises(ValueError, match="matching pursuit"):
        SRC(sparsity=3, device="cpu").fit(X_train, y_train).predict(X_test)
    with pytest.raises(TypeError, match="float16"):
        CrossLabelClassifier().fit(torch.zeros(4, 2, dtype=torch.float16), [0, 0, 1, 1])


def test_torch_is_not_imported_unless_asked_for():
    code = (
        "import sys, numpy as np\n"
        "from crosslabel import CrossLabelClassifier\n"
        "X = np.random.default_rng(0).random((20, 4))\n"
        "CrossLabelClassifier(atoms_per_class=2).fit(X, [0, 1] * 10).predict(X)\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_torch_names_the_extra():
    code = (
        "import sys\n"
        "from crosslabel import CrossLabelClassifier\n"
        "sys.modules['torch'] = None\n"
        "CrossLabelClassifier(device='cuda').fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'crosslabel[gpu]'" in done.stderr
