import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import reference
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.objective import Penalties

BETA, LAMBDA, GAMMA = 0.3, 0.7, 0.4
WEIGHTS = Penalties(BETA, LAMBDA, GAMMA)
LABELS = np.array([0, 1, 0, 2, 1, 1, 1, 1])  # one class has a single sample, one has two
shared_or_not = pytest.mark.parametrize("shared", [0, 2])


def problem(shared):
    """Columns are samples and atoms, as in the paper."""
    rng = np.random.default_rng(0)
    layout = AtomLayout(shared, (2, 3, 1))
    D = rng.normal(size=(5, layout.n_atoms))
    Y, X = rng.normal(size=(5, 8)), rng.normal(size=(layout.n_atoms, 8))
    return Y, D / np.linalg.norm(D, axis=0), X, layout


def literal(Y, D, X, layout):
    """The objective sample by sample; the group term by pairs of samples of one class."""
    value = 0.0
    for i, c in enumerate(LABELS):
        value += ((Y[:, i] - D @ X[:, i]) ** 2).sum() + BETA * (X[:, i] ** 2).sum()
        for k, label in enumerate(layout.labels):
            if label not in (-1, c):
                value += LAMBDA * X[k, i] ** 2
        n = (c == LABELS).sum()
        for j in range(i):
            if LABELS[j] == c:
                value += GAMMA / (n - 1) * ((X[:, i] - X[:, j]) ** 2).sum()
    return value


def codes_by_hand(Y, D, X, layout):
    """(DᵀD + λP + (β+γ)I)x_i = Dᵀy_i + γ/(n−1) Σ_{j≠i} x_j, with all x_j as they were."""
    fresh = np.empty_like(X)
    for i, c in enumerate(LABELS):
        others = [j for j in range(8) if LABELS[j] == c and j != i]
        gamma = GAMMA if others else 0.0
        barred = np.diag([float(label not in (-1, c)) for label in layout.labels])
        system = D.T @ D + LAMBDA * barred + (BETA + gamma) * np.eye(len(X))
        right = D.T @ Y[:, i]
        for j in others:
            right = right + gamma / len(others) * X[:, j]
        fresh[:, i] = np.linalg.inv(system) @ right
    return fresh


def atoms_by_hand(Y, D, X):
    """Each atom in turn: what the others leave, times its coefficients, scaled to unit norm."""
    D = D.copy()
    for k in range(D.shape[1]):
        rest = Y - D @ X + np.outer(D[:, k], X[k])
        d = rest @ X[k]
        if d.any():
            D[:, k] = d / np.linalg.norm(d)
    return D


@pytest.mark.parametrize("n", [2, 3, 8])
def test_laplacian_is_one_on_the_diagonal_and_sums_to_zero(n):
    expected = [[1 if i == j else -1 / (n - 1) for i in range(n)] for j in range(n)]
    assert_allclose(reference.laplacian(n), expected)


def test_a_single_sample_has_no_neighbours():
    assert_array_equal(reference.laplacian(1), [[0.0]])


def test_the_suppressor_keeps_the_rows_of_other_classes():
    layout = AtomLayout(2, (2, 3, 1))
    assert_array_equal(reference.suppressor(layout, 0), np.diag([0, 0, 0, 0, 1, 1, 1, 1]))
    assert_array_equal(reference.suppressor(layout, 1), np.diag([0, 0, 1, 1, 0, 0, 0, 1]))
    assert_array_equal(reference.suppressor(layout, 2), np.diag([0, 0, 1, 1, 1, 1, 1, 0]))


def test_codes_start_from_the_ridge_regression():
    Y, D, _, layout = problem(2)
    rows = np.concatenate([D, np.sqrt(BETA) * np.eye(8)])
    expected = np.linalg.lstsq(rows, np.concatenate([Y, np.zeros((8, 8))]), rcond=None)[0]
    assert_allclose(reference.start_codes(Y, D, BETA), expected)


@shared_or_not
def test_the_objective_is_the_sum_over_samples_and_pairs(shared):
    Y, D, X, layout = problem(shared)
    found = reference.objective(Y, LABELS, D, X, layout, WEIGHTS)
    assert_allclose(found, literal(Y, D, X, layout))


@shared_or_not
def test_a_code_step_solves_the_papers_system_sample_by_sample(shared):
    Y, D, X, layout = problem(shared)
    kept = X.copy()
    found = reference.code_step(Y, LABELS, D, X, layout, WEIGHTS)
    assert_allclose(found, codes_by_hand(Y, D, X, layout))
    assert_array_equal(X, kept)


@shared_or_not
def test_repeated_code_steps_reach_the_minimum_over_the_codes(shared):
    Y, D, X, layout = problem(shared)
    for _ in range(400):
        X = reference.code_step(Y, LABELS, D, X, layout, WEIGHTS)
    for place in np.ndindex(X.shape):  # the objective is a quadratic: its central difference
        ahead, behind = X.copy(), X.copy()
        ahead[place] += 1
        behind[place] -= 1
        slope = literal(Y, D, ahead, layout) - literal(Y, D, behind, layout)
        assert abs(slope) < 1e-8


@shared_or_not
def test_an_atom_step_is_that_of_the_paper_atom_by_atom(shared):
    Y, D, X, layout = problem(shared)
    X[1] = 0  # an atom that no sample uses keeps its value
    X[2] *= 1e-3
    found = reference.atom_step(Y, D, X, layout)
    assert_allclose(found, atoms_by_hand(Y, D, X))
    assert_array_equal(found[:, 1], D[:, 1])
    assert ((Y - found @ X) ** 2).sum() <= ((Y - D @ X) ** 2).sum()


@shared_or_not
@pytest.mark.parametrize("n_iter", [0, 1, 3])
def test_learning_takes_the_two_steps_in_turn(shared, n_iter):
    Y, D, _, layout = problem(shared)
    seen = []

    def callback(iteration, atoms, codes):
        seen.append((iteration, atoms, codes))

    found, codes = reference.learn(Y, LABELS, D, layout, WEIGHTS, n_iter, callback)
    X = np.linalg.inv(D.T @ D + BETA * np.eye(D.shape[1])) @ D.T @ Y
    for iteration in range(n_iter):
        X = codes_by_hand(Y, D, X, layout)
        D = atoms_by_hand(Y, D, X)
        assert seen[iteration][0] == iteration
        assert_allclose(seen[iteration][1], D)
        assert_allclose(seen[iteration][2], X)
    assert len(seen) == n_iter
    assert_allclose(found, D)
    assert_allclose(codes, X)


def test_a_callback_may_stop():
    Y, D, _, layout = problem(0)
    stopped = reference.learn(
        Y, LABELS, D, layout, WEIGHTS, 9, lambda iteration, *_: iteration == 1
    )
    for ours, theirs in zip(stopped, reference.learn(Y, LABELS, D, layout, WEIGHTS, 2)):
        assert_allclose(ours, theirs)
