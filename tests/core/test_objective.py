import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from crosslabel.core import objective as terms
from crosslabel.core import reference
from crosslabel.core.code_blocks import Block
from crosslabel.core.coding import suppressed_codes
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties, group_factor
from tests.core.problems import penalties, problem, problems


def sample_codes(X, labels, D, layout, weights):
    """Exact codes of the samples themselves: iterate the paper's fixed point to its end."""
    G, codes = D @ D.T, np.empty((len(X), len(D)))
    for c in range(layout.n_classes):
        Y, n = X[labels == c], int(np.sum(labels == c))
        other = np.ones(len(D))
        other[layout.free(c)] = 0
        base = G + np.diag(weights.suppression * other + weights.ridge)
        mean = np.linalg.solve(base, D @ Y.mean(axis=0))
        extra = weights.grouping * (n / (n - 1) if n > 1 else 0)
        deviations = np.linalg.solve(base + extra * np.eye(len(D)), D @ (Y - Y.mean(axis=0)).T).T
        codes[labels == c] = mean + deviations
    return codes


@given(problems(), penalties())
def test_terms_from_statistics_equal_those_from_samples(data, weights):
    X, labels, layout, D = data
    statistics = Moments.from_samples(X, labels, layout.n_classes)
    targets = statistics.targets()
    of_class = terms.blocks(targets.starts, statistics.counts, weights)
    codes = suppressed_codes(targets.rows, of_class, D, layout, weights.suppression)
    value = terms.objective(targets, statistics.counts, codes, D, layout, weights)
    literal = sample_codes(X, labels, D, layout, weights)
    assert_allclose(
        value, reference.objective(X.T, labels, D.T, literal.T, layout, weights), rtol=1e-8
    )


@pytest.mark.parametrize("only", ["ridge", "suppression", "grouping"])
def test_each_term_stands_alone(only):
    X, labels, layout, D = problem(sizes=(1, 4, 7))
    weights = Penalties(0, 0, 0)._replace(**{only: 1.0})
    statistics = Moments.from_samples(X, labels, 3)
    targets = statistics.targets()
    # Codes linear in the targets: the same map gives the codes of the samples.
    mixing = np.random.default_rng(0).normal(size=(X.shape[1], len(D)))
    value = terms.objective(targets, statistics.counts, targets.rows @ mixing, D, layout, weights)
    literal = reference.objective(X.T, labels, D.T, (X @ mixing).T, layout, weights)
    assert_allclose(value, literal, rtol=1e-12)


def test_the_group_factor_is_that_of_two_samples_below_two():
    assert group_factor(2) == 2
    assert group_factor(5) == 1.25
    assert group_factor(0.3) == group_factor(1.0) == 2


def test_rows_that_share_a_system_are_a_mean_or_the_deviations_of_a_class():
    """Means have the shift β, deviations β + γn/(n−1); a class without deviations has no block."""
    starts, counts = np.array([3, 7, 7, 9]), np.array([5.0, 1.0, 3.0])
    found = terms.blocks(starts, counts, Penalties(0.1, 5.0, 0.4))
    assert found == [
        Block(0, slice(0, 1), 0.1),
        Block(1, slice(1, 2), 0.1),
        Block(2, slice(2, 3), 0.1),
        Block(0, slice(3, 7), 0.1 + 0.4 * 5 / 4),
        Block(2, slice(7, 9), 0.1 + 0.4 * 3 / 2),
    ]
