import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import RCR
from crosslabel.methods import rcr as module
from tests import naive
from tests.methods.faces import faces

RIDGE, TIE, ENTROPY = 0.1, 0.7, 0.4
X, LABELS = naive.problem()
GROUPS = [[0, 1, 2], [3, 4, 5]]


def by_hand(y, rounds):
    """Codes of all groups by one linear system and weights by their formula, in turn."""
    n, parts = len(X), [X[:, own].T for own in GROUPS]
    weights = np.full(2, np.exp(-1.0))
    for _ in range(rounds):
        # ᾱ = Σω_iα_i/Σω_i inside the normal equations of every α_i.
        share = weights / weights.sum()
        system, right = np.zeros((2 * n, 2 * n)), np.zeros(2 * n)
        for i, D in enumerate(parts):
            own = slice(i * n, i * n + n)
            tie = TIE * weights[i]
            system[own, own] += D.T @ D + (RIDGE + tie) * np.eye(n)
            for j in range(2):
                system[own, j * n : j * n + n] -= tie * share[j] * np.eye(n)
            right[own] = D.T @ y[GROUPS[i]]
        codes = np.linalg.solve(system, right).reshape(2, n)
        mean = (share[:, None] * codes).sum(axis=0)
        weights = np.exp(-1 - TIE * ((codes - mean) ** 2).sum(axis=1) / ENTROPY)
    return codes, weights


@pytest.mark.parametrize("rounds", [1, 3])
def test_decisions_are_those_of_the_paper(rounds):
    model = RCR(2, normalize=False, ridge=RIDGE, tie=TIE, entropy=ENTROPY, rounds=rounds)
    naive.learn(model, X, LABELS)
    costs = np.zeros((6, 3))
    for q, y in enumerate(naive.queries()):
        codes, weights = by_hand(y, rounds)
        for own, x, w in zip(GROUPS, codes, weights):
            for c in range(3):
                of_class = c == LABELS
                image = x[of_class] @ X[of_class][:, own]
                costs[q, c] += w * ((y[own] - image) ** 2).sum()
    assert_allclose(model._scores(naive.queries()), -costs, atol=1e-6)


def test_blocks_of_queries_do_not_change_the_scores(monkeypatch):
    model = naive.learn(RCR(2), X, LABELS)
    whole = model._scores(X)
    sizes = []
    block_scores = RCR._block_scores

    def counted(self, queries):
        sizes.append(len(queries))
        return block_scores(self, queries)

    monkeypatch.setattr(RCR, "_block_scores", counted)
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 5 * 12 * 2)
    assert_allclose(model._scores(X), whole)
    assert sizes == [5, 5, 2]
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 1)
    assert_allclose(model._scores(X), whole)
    assert sizes[3:] == [1] * 12


def test_one_group_is_collaborative_representation_with_plain_residuals():
    X, y = faces()
    A, labels, queries = X[::2], y[::2], X[1::2]
    rho = queries @ A.T @ np.linalg.inv(A @ A.T + 0.01 * np.eye(len(A)))
    residuals = [
        ((queries - rho[:, labels == c] @ A[labels == c]) ** 2).sum(axis=1) for c in range(3)
    ]
    scores = RCR(1, ridge=0.01, tie=0.3).fit(A, labels).decision_function(queries)
    assert_allclose(scores, -np.exp(-1) * np.stack(residuals, axis=1), atol=1e-6)


def test_each_group_of_a_sample_has_unit_norm():
    X, y = faces()
    model = RCR(4).fit(X[::2], y[::2])
    scale = np.repeat(np.random.default_rng(0).uniform(0.2, 5, size=(len(X), 4)), 5, axis=1)
    for own in np.split(np.arange(20), 4):
        assert_allclose(np.linalg.norm(model.dictionary_[:, own], axis=1), 1)
    again = RCR(4).fit((scale * X)[::2], y[::2])
    assert_allclose(again.decision_function(X), model.decision_function(scale * X), atol=1e-6)
    plain = RCR(4, normalize=False).fit(X[::2], y[::2])
    assert_allclose(np.sort(plain.dictionary_, axis=0), np.sort(X[::2], axis=0))


def test_groups_of_an_image_are_blocks_side_by_side():
    X, y = faces()
    columns = np.arange(20) % 5  # four rows of five pixels
    names = np.array([0, 0, 0, 1, 1])[columns]
    by_name = RCR(names).fit(X, y).decision_function(X)
    assert_allclose(RCR(2, image_shape=(4, 5)).fit(X, y).decision_function(X), by_name)
    assert len(RCR(9, image_shape=(4, 5)).fit(X, y)._columns) == 5
    with pytest.raises(ValueError, match=r"image_shape=\(3, 5\) has 15 pixels, but X has 20"):
        RCR(2, image_shape=(3, 5)).fit(X, y)


def test_groups_may_be_named_feature_by_feature():
    X, y = faces()
    by_number = RCR(4).fit(X, y).decision_function(X)
    by_name = RCR(np.repeat(["a", "b", "c", "d"], 5)).fit(X, y).decision_function(X)
    assert_allclose(by_name, by_number)
    assert len(RCR(50).fit(X, y)._columns) == 20
    with pytest.raises(ValueError, match="one group"):
        RCR(["a", "b"]).fit(X, y)


def test_a_group_of_noise_gets_less_weight():
    X, y = faces(n_per_class=20)
    spoilt = X.copy()
    spoilt[:, :5] = np.random.default_rng(0).normal(size=(60, 5)) / 4
    plain = RCR(4, tie=0.0).fit(X[::2], y[::2]).score(spoilt[1::2], y[1::2])
    tied = RCR(4, tie=1.0, entropy=0.05).fit(X[::2], y[::2]).score(spoilt[1::2], y[1::2])
    assert tied >= plain
