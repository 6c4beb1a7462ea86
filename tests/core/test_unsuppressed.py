import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core import solver
from crosslabel.core.code_blocks import Block
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties, blocks
from crosslabel.core.unsuppressed import Unsuppressed
from tests.core.problems import problem


def naive(rows, of_class, D):
    """Moments of codes that are solved for block by block."""
    X = np.empty((len(rows), len(D)))
    for _, part, shift in of_class:
        X[part] = np.linalg.solve(D @ D.T + shift * np.eye(len(D)), D @ rows[part].T).T
    return X.T @ X, X.T @ rows


@pytest.mark.parametrize("n_features", [7, 16])  # fewer than the 11 atoms, and more
@pytest.mark.parametrize("grouping", [0.0, 0.7])
@pytest.mark.parametrize("sizes", [(6, 6, 6), (2, 2, 2)])
def test_moments_are_those_of_the_codes_of_all_rows(n_features, grouping, sizes):
    X, labels, layout, D = problem(sizes=sizes, n_features=n_features)
    statistics = Moments.from_samples(X, labels, 3)
    rows, starts = statistics.targets()
    of_class = blocks(starts, statistics.counts, Penalties(0.1, 0.0, grouping))
    found = Unsuppressed.of(rows, of_class, 10**6)
    assert_allclose(found.axes @ found.axes.T, np.eye(n_features), atol=1e-13)
    assert len(found.others) == (len(rows) - 3 if sizes[0] == 2 else 3) * bool(grouping)
    A, B = found.code_moments(D @ found.axes.T)
    expected_A, expected_B = naive(rows, of_class, D)
    assert_allclose(A, expected_A, atol=1e-12)
    assert_allclose(B @ found.axes, expected_B, atol=1e-12)


def test_without_a_ridge_means_are_coded_over_independent_atoms():
    X, labels, layout, D = problem(n_features=16)
    statistics = Moments.from_samples(X, labels, 3)
    rows, starts = statistics.targets()
    of_class = blocks(starts, statistics.counts, Penalties(0.0, 0.0, 0.7))
    found = Unsuppressed.of(rows, of_class, 10**6)
    for value, expected in zip(found.code_moments(D @ found.axes.T), naive(rows, of_class, D)):
        back = value if value.shape[1] == len(D) else value @ found.axes
        assert_allclose(back, expected, atol=1e-10)


def test_classes_of_several_sizes_and_few_rows_are_left_to_others():
    rows = np.random.default_rng(0).normal(size=(9, 6))
    three = [Block(c, slice(3 * c, 3 * c + 3), 0.1 + c) for c in range(3)]
    two = [block._replace(shift=min(block.shift, 1.1)) for block in three]
    assert Unsuppressed.of(rows, three, 10**6) is None
    assert Unsuppressed.of(rows, two, 2) is not None  # 6² = 2 · 9 · 2
    assert Unsuppressed.of(rows, two, 1) is None


@pytest.mark.parametrize("n_features", [8, 60])  # in features, and in the span of the data
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_iterations_without_suppression_are_those_of_any_other_sweep(
    monkeypatch, n_features, dtype
):
    X, labels, layout, D = problem(n_features=n_features)
    statistics, weights = (
        Moments.from_samples(X.astype(dtype), labels, 3),
        Penalties(0.05, 0.0, 0.4),
    )
    ours = solver.learn(statistics, D.astype(dtype), layout, weights, max_iter=6)
    monkeypatch.setattr(Unsuppressed, "of", lambda *_: None)
    plain = solver.learn(statistics, D.astype(dtype), layout, weights, max_iter=6)
    rounding = 1e-9 if dtype == "f8" else 1e-3
    assert ours.dictionary.dtype == dtype
    assert_allclose(ours.dictionary, plain.dictionary, atol=rounding)
    assert_allclose(ours.trace, plain.trace, rtol=rounding)
