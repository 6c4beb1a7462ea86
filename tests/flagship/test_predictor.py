"""What an estimator answers is read from its one value, `_fitted`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.discriminant import Discriminant
from crosslabel.core.scaling import unit_rows
from crosslabel.flagship import predictor
from crosslabel.flagship.fitted import Fitted, View
from crosslabel.flagship.novelty import novelty
from crosslabel.flagship.predictor import Predictor
from crosslabel.intake.lift import Lift


class Model(Predictor):
    def __init__(self, device=None):
        self.device = device

    def fit(self, fitted, y=None):
        self._fitted, self.n_features_in_ = fitted, fitted.view.dictionary.shape[1]
        return self


@pytest.fixture
def fitted():
    layout = AtomLayout(1, (3, 2, 3))
    D = unit_rows(np.random.default_rng(0).normal(size=(9, 6)))
    view = View(Lift(), D, layout, "local", 0.1, 2.5)
    trace = np.array([3.0, 2.0, 1.5, 1.25])
    return Fitted(np.array(["fig", "pear", "plum"]), (view,), trace, np.array([1]))


@pytest.fixture
def model(fitted):
    return Model().fit(fitted)


@pytest.fixture
def queries():
    return np.random.default_rng(5).normal(size=(20, 6))


def test_answers_are_those_of_the_fitted_value(model, fitted, queries):
    scores = fitted.scores(queries)
    best = [fitted.classes[max(range(3), key=lambda c: row[c])] for row in scores]
    assert model.predict(queries).tolist() == best
    assert len(set(best)) > 1
    assert_allclose(model.decision_function(queries), scores)
    assert_allclose(model.predict_proba(queries), fitted.probabilities(queries))
    assert_allclose(model.transform(queries), fitted.codes(queries))
    assert_allclose(model.novelty_score(queries), novelty(fitted, queries))


def test_attributes_are_read_from_the_fitted_value(model, fitted):
    assert model.n_iter_ == 4
    assert model.temperature_ == 2.5
    assert model.rule_ == "local"
    assert model.classes_ is fitted.classes
    assert_array_equal(model.atom_labels_, [-1, 0, 0, 0, 1, 1, 2, 2, 2])


def test_names_of_atoms_carry_the_class(model, fitted):
    a, b, c = fitted.classes
    assert model.get_feature_names_out().tolist() == [
        "model_shared0",
        f"model_{a}_0", f"model_{a}_1", f"model_{a}_2",
        f"model_{b}_0", f"model_{b}_1",
        f"model_{c}_0", f"model_{c}_1", f"model_{c}_2",
    ]  # fmt: skip


def test_more_than_one_rule_is_a_joint_one(model, fitted):
    one = fitted.view
    linear = Discriminant(np.ones((3, 6)), np.zeros(3))
    both = View(one.lift, one.dictionary, one.layout, "local", 0.1, 1.0, linear, 0.5)
    model._fitted = Fitted(fitted.classes, (both,), fitted.trace, fitted.unused)
    assert model.rule_ == "joint"


def test_codes_times_the_dictionary_are_samples(model, fitted, queries):
    codes = np.random.default_rng(1).normal(size=(4, 9))
    assert_allclose(model.inverse_transform(codes), codes @ fitted.view.dictionary)
    assert_allclose(model.inverse_transform(codes.tolist()), codes @ fitted.view.dictionary)
    with pytest.raises(ValueError, match="8 codes per row, but the dictionary has 9 atoms"):
        model.inverse_transform(codes[:, :8])


def test_tensors_are_answered_by_tensors(model, queries):
    torch = pytest.importorskip("torch", reason="needs crosslabel[gpu]")
    rows = torch.as_tensor(queries)
    for answer in ("predict_proba", "transform", "decision_function", "novelty_score"):
        found = getattr(model, answer)(rows)
        assert isinstance(found, torch.Tensor)
        assert_allclose(found.numpy(), getattr(model, answer)(queries), rtol=1e-9)
    on_device = Model(device="cpu").fit(model.fitted_)
    assert_allclose(on_device.predict_proba(queries), model.predict_proba(queries), rtol=1e-9)


def test_before_a_fit_there_is_nothing_to_ask(queries):
    model = Model()
    with pytest.raises(NotFittedError):
        model.predict(queries)
    with pytest.raises(AttributeError, match="This Model is not fitted yet"):
        _ = model.classes_


def test_seeds_are_drawn_from_all_that_a_state_of_32_bits_takes(model):
    seeds = []
    for state in range(40):
        model.random_state = state
        seeds.append(model._seed())
        assert model._seed() == seeds[-1]
    assert len(set(seeds)) == 40
    assert min(seeds) >= 0
    assert 2**30 < max(seeds) < 2**31


def test_what_was_learnt_is_taken_over_and_parameters_stay(model, fitted):
    model._summary, model.feature_names_in_ = "old", np.array(["a"])
    checked = Model()
    checked.n_features_in_ = 6
    model._adopt(checked, None, fitted)
    assert vars(model) == {"device": None, "n_features_in_": 6, "_fitted": fitted}


def test_only_sparse_queries_are_answered_in_parts(model, queries, monkeypatch):
    monkeypatch.setattr(predictor, "DENSE_VALUES", 4 * 6)
    asked = []

    def compute(fitted, rows):
        asked.append(len(rows))
        return fitted.scores(rows)

    expected = model.on_queries(queries, compute)
    assert asked.pop() == len(queries)
    assert_allclose(model.on_queries(csr_array(queries), compute), expected)
    assert len(asked) > 1
    assert max(asked) <= 4
