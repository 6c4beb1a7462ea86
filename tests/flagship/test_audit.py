import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.metrics import average_precision_score

from crosslabel import audit
from crosslabel.flagship import audit as module


@pytest.fixture(scope="module")
def digits():
    """Digits of which every twentieth has a wrong label."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    wrong = np.arange(600) % 20 == 7
    return X, np.where(wrong, (y + 3) % 10, y), wrong, y


def test_wrong_labels_stand_first(digits):
    X, given, wrong, truth = digits
    found = audit(X, given)
    assert average_precision_score(wrong, -found.probability) > 0.95
    assert_array_equal(found.suspects, [n for n in found.order if n in set(found.suspects)])
    assert (np.diff(found.probability[found.order]) >= 0).all()
    assert (found.looks_like[wrong] == truth[wrong]).mean() > 0.9
    assert (found.looks_like != given).all()
    better = found.looks_probability > found.probability
    assert_array_equal(np.sort(found.suspects), np.flatnonzero(better))


def test_neither_the_order_nor_the_names_matter(digits):
    X, given, _, _ = digits
    order = np.random.default_rng(0).permutation(len(X))
    names = np.array([f"digit {n}" for n in range(10)])
    found, shuffled = audit(X, given), audit(X[order], names[given][order])
    assert_allclose(shuffled.probability, found.probability[order], rtol=1e-6, atol=1e-9)
    assert_array_equal(shuffled.looks_like, names[found.looks_like][order])


def test_samples_that_are_there_twice(digits):
    X, y = digits[0][:200].copy(), digits[3][:200].copy()
    X[10] = X[4]
    twin = int(np.flatnonzero(y != y[4])[0])
    X[twin] = X[4]
    nearly = int(np.flatnonzero(y != y[20])[-1])
    X[nearly] = X[20] * np.linspace(0.99, 1.01, X.shape[1])
    found = audit(X, y)
    assert sorted([4, 10, twin]) in [group.tolist() for group in found.equal]
    pairs = {frozenset(pair[:2]) for pair in found.near}
    assert {frozenset((20, nearly)), frozenset((min(4, 10), twin))} <= pairs
    assert found.near[0].distance == pytest.approx(0, abs=1e-3)
    # Neither of two equal samples under different labels keeps its own.
    assert {4, twin} & set(found.suspects.tolist())


def test_a_copy_is_judged_like_its_original(digits):
    X, given, _, _ = digits
    doubled = audit(np.vstack([X[:150], X[:150]]), np.tile(given[:150], 2))
    assert_array_equal(doubled.probability[:150], doubled.probability[150:])
    # A model that had seen the copy would believe it.
    assert (doubled.probability[:150][digits[2][:150]] < 0.5).all()


def test_more_samples_than_pairs_can_be_kept_of(digits, monkeypatch):
    X, given, wrong, _ = digits
    monkeypatch.setattr(module, "MANY", 100)
    found = audit(X, given)
    assert found.near == []
    assert average_precision_score(wrong, -found.probability) > 0.95


def test_one_class_and_lonely_samples():
    X = np.random.default_rng(0).normal(size=(9, 4))
    with pytest.raises(ValueError, match="at least two classes"):
        audit(X, np.zeros(9))
    found = audit(X, [0, 0, 0, 0, 1, 1, 1, 1, 2])
    assert np.isnan(found.probability[8])
    assert 8 not in found.suspects


@pytest.mark.parametrize("n_samples", [90, 400])
def test_long_rows_of_single_precision(n_samples):
    """Fewer samples than features, whose products cannot be factorised in single precision."""
    rng = np.random.default_rng(0)
    y = np.arange(n_samples) % 5
    X = (np.eye(5, 900)[y] * 30 + rng.normal(size=(n_samples, 900))).astype(np.float32)
    given = y.copy()
    given[::30] = (given[::30] + 1) % 5
    found = audit(X, given)
    assert set(found.suspects.tolist()) == set(range(0, n_samples, 30))


def test_a_label_that_suits_as_well_as_another_is_no_suspect():
    chances = np.array([0.5, 0.1, 0.2, 0.45])
    found = module.Audit(chances, np.array(["a"] * 4), np.array([0.5, 0.9, 0.8, 0.44]), [], [])
    assert found.order.tolist() == [1, 2, 3, 0]
    assert found.suspects.tolist() == [1, 2]


def test_pairs_are_compared_of_as_many_samples_as_the_docs_say(monkeypatch):
    assert f"more than {module.MANY} samples" in " ".join(module.Audit.__doc__.split())
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 4)) + np.repeat(3 * np.eye(2, 4), 6, axis=0)
    X[6] = X[0] + 1e-6
    y = np.repeat([0, 1], 6)
    for many, pairs in ((12, 1), (11, 0)):
        monkeypatch.setattr(module, "MANY", many)
        assert len(module.audit(X, y).near) == pairs
