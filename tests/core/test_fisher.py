import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.fisher import FisherModel, low_rank_atoms
from crosslabel.core.unit_ball import update_atoms
from tests import naive

SIZES = (4, 3, 5)
LABELS = np.repeat([0, 1, 2], SIZES)
PARTS = [slice(0, 4), slice(4, 7), slice(7, 12)]
LAMBDA, FISHER, NU = 0.1, 0.3, 0.25
shared_or_not = pytest.mark.parametrize("shared", [0, 2])


def problem(shared):
    layout = AtomLayout(shared, (2, 1, 3))
    rng = np.random.default_rng(0)
    D = rng.normal(size=(layout.n_atoms, 5))
    D *= 0.9 / np.linalg.norm(D, axis=1, keepdims=True)
    Y, _ = naive.problem(SIZES, n_features=5)
    X = 0.4 * rng.normal(size=(12, len(D))) * (rng.random((12, len(D))) < 0.7)
    return FisherModel(layout, PARTS, LAMBDA, FISHER, NU), 1.5 * Y, D, X


def literal(Y, D, X, shared, smooth=False):
    """The objective as it is printed, scatter matrices and all; if `smooth`, its quadratic part."""
    atoms = np.repeat([-1, 0, 1, 2], [shared, 2, 1, 3])
    common, codes = X[:, :shared], X[:, shared:]
    value = FISHER * (codes**2).sum()
    for c in range(3):
        y, x = Y[c == LABELS], X[c == LABELS]
        value += ((y - x @ D) ** 2).sum()
        free = (atoms == c) | (atoms == -1)
        value += ((y - x[:, free] @ D[free]) ** 2).sum()
        for j in range(3):
            if j != c:
                value += ((x[:, atoms == j] @ D[atoms == j]) ** 2).sum()
        mean = codes[c == LABELS].mean(axis=0)
        value += FISHER * ((codes[c == LABELS] - mean) ** 2).sum()
        value -= FISHER * len(y) * ((mean - codes.mean(axis=0)) ** 2).sum()
    if shared:
        value += FISHER * ((common - common.mean(axis=0)) ** 2).sum()
    if smooth:
        return value
    nuclear = np.linalg.svd(D[:shared])[1].sum() if shared else 0.0
    return value + LAMBDA * np.abs(X).sum() + NU * nuclear


@shared_or_not
def test_the_objective_is_the_printed_one(shared):
    model, Y, D, X = problem(shared)
    assert_allclose(model.objective(Y, D, X), literal(Y, D, X, shared))
    assert model.shared == slice(0, shared)


@shared_or_not
def test_codes_minimise_the_objective_class_by_class(shared):
    model, Y, D, start = problem(shared)
    kept = start.copy()
    X = model.update_codes(Y, D, start)
    assert_array_equal(start, kept)
    for c in range(3):
        now = np.where((c >= LABELS)[:, None], X, start)  # later classes had not yet moved

        def smooth(Z, c=c, now=now):
            other = now.copy()
            other[c == LABELS] = Z
            return literal(Y, D, other, shared, smooth=True)

        assert naive.lasso_fault(smooth, X[c == LABELS], LAMBDA) <= 1.01e-2


@shared_or_not
@pytest.mark.parametrize("sweeps", [1, 2])
def test_class_atoms_move_to_the_minimum_one_by_one(shared, sweeps):
    model, Y, D, X = problem(shared)
    fresh = model.update_dictionary(Y, D, X, sweeps=sweeps)
    atoms = model.layout.labels

    def curvature(_, k):
        return 2 * (X[:, k] ** 2).sum()  # every sample's code enters two terms

    by_hand = naive.blocks_in_turn(
        lambda Z: literal(Y, Z, X, shared, smooth=True),
        D,
        [np.flatnonzero(atoms == c) for c in range(3)],
        curvature,
        sweeps,
    )
    assert_allclose(fresh[shared:], by_hand[shared:], atol=1e-9)


def test_shared_atoms_without_a_nuclear_norm_move_to_the_minimum_one_by_one():
    model, Y, D, X = problem(2)
    plain = FisherModel(model.layout, PARTS, LAMBDA, FISHER)  # no nuclear norm unless asked
    fresh = plain.update_dictionary(Y, D, X)
    before = np.concatenate([D[:2], fresh[2:]])  # class atoms move first

    def smooth(Z):
        return literal(Y, Z, X, 2, smooth=True)

    by_hand = naive.blocks_in_turn(
        smooth, before, [[0, 1]], lambda _, k: 2 * (X[:, k] ** 2).sum(), sweeps=3
    )
    assert_allclose(fresh, by_hand, atol=1e-9)


def test_shared_atoms_are_those_of_the_low_rank_problem():
    model, Y, D, X = problem(2)
    fresh = model.update_dictionary(Y, D, X)

    def smooth(Z):
        return literal(Y, np.concatenate([Z, fresh[2:]]), X, 2, smooth=True)

    # The quadratic form of the objective in the shared atoms: tr ZᵀAZ − 2 tr BᵀZ + constant.
    B = -naive.slope(smooth, np.zeros((2, 5))) / 2
    A = 2 * X[:, :2].T @ X[:, :2]
    assert_allclose(fresh[:2], low_rank_atoms(D[:2], A, B, NU), atol=1e-9)


@shared_or_not
def test_no_update_raises_the_objective(shared):
    model, Y, D, X = problem(shared)
    value = model.objective(Y, D, X)
    for _ in range(5):
        X = model.update_codes(Y, D, X)
        after_codes = model.objective(Y, D, X)
        assert after_codes <= value + 1e-10
        D = model.update_dictionary(Y, D, X)
        value = model.objective(Y, D, X)
        assert value <= after_codes + 1e-10
    assert (np.linalg.norm(D, axis=1) <= 1 + 1e-9).all()


def low_rank_problem(scale=1.0, seed=3):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(30, 3)), scale * rng.normal(size=(30, 4))
    D = rng.normal(size=(3, 4))
    return D / np.linalg.norm(D, axis=1, keepdims=True), X.T @ X, X.T @ Y


def test_low_rank_atoms_without_a_nuclear_norm_are_the_unit_ball_update():
    D, A, B = low_rank_problem()
    assert_allclose(low_rank_atoms(D, A, B, 0.0), update_atoms(D, A, B, sweeps=3))
    assert not np.allclose(low_rank_atoms(D, A, B, 0.0), update_atoms(D, A, B, sweeps=4), 1e-12)


@pytest.mark.parametrize(("scale", "nuclear"), [(0.3, 2.0), (0.3, 8.0), (3.0, 20.0)])
def test_low_rank_atoms_reach_the_minimum(scale, nuclear):
    D, A, B = low_rank_problem(scale)

    def value(Z):
        Z = Z.reshape(3, 4)
        fit = np.trace(Z.T @ A @ Z) - 2 * np.trace(B.T @ Z)
        return fit + nuclear * np.linalg.svd(Z)[1].sum()

    found = low_rank_atoms(D, A, B, nuclear, n_iter=400)
    assert (np.linalg.norm(found, axis=1) <= 1 + 1e-12).all()
    rng = np.random.default_rng(0)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(60):
            other = found + size * rng.normal(size=found.shape)
            other /= np.maximum(np.linalg.norm(other, axis=1, keepdims=True), 1)
            assert value(other) >= value(found) - 1e-6
    if (scale, nuclear) == (0.3, 8.0):
        assert np.linalg.matrix_rank(found, tol=1e-6) < 3


def by_admm(D, A, B, nuclear, n_iter):
    """The steps of ADMM written out: atoms in the ball, singular values cut, dual."""
    rho = np.mean([A[k, k] for k in range(len(A))])
    Z, U, atoms = D, np.zeros_like(D), D
    for _ in range(n_iter):
        for k in range(len(D)):
            target = B[k] + rho * (Z - U)[k]
            pull = A[k] @ atoms + rho * atoms[k] - target
            d = atoms[k] - pull / (A[k, k] + rho)
            atoms = np.concatenate([atoms[:k], [d / max(1, np.linalg.norm(d))], atoms[k + 1 :]])
        u, s, v = np.linalg.svd(atoms + U)
        Z = u @ np.diag(np.maximum(s - nuclear / 2 / rho, 0)) @ v[: len(s)]
        U = U + atoms - Z
    return Z / np.maximum(1, np.linalg.norm(Z, axis=1))[:, None]


@pytest.mark.parametrize("n_iter", [1, 2, 5, 30])
@pytest.mark.parametrize(("scale", "nuclear"), [(0.3, 2.0), (3.0, 0.5), (6.0, 20.0)])
def test_low_rank_atoms_take_the_steps_of_admm(n_iter, scale, nuclear):
    D, A, B = low_rank_problem(scale)
    settings = {} if n_iter == 30 else {"n_iter": n_iter}
    reached = by_admm(D, A, B, nuclear, n_iter)
    assert_allclose(low_rank_atoms(D, A, B, nuclear, **settings), reached, atol=1e-10)


@pytest.mark.parametrize("nuclear", [0.5, 8.0])
def test_the_better_one_of_start_and_end_is_returned(nuclear):
    rng = np.random.default_rng(0)
    kept = 0
    for seed in range(15):
        _, A, B = low_rank_problem(0.3, seed)
        best = low_rank_atoms(np.zeros((3, 4)), A, B, nuclear, n_iter=60)
        start = best + 0.003 * rng.normal(size=best.shape)
        start /= np.maximum(1, np.linalg.norm(start, axis=1))[:, None]
        end = by_admm(start, A, B, nuclear, 1)

        def value(Z, A=A, B=B):
            fit = np.trace(Z.T @ A @ Z) - 2 * np.trace(B.T @ Z)
            return fit + nuclear * np.linalg.svd(Z)[1].sum()

        found = low_rank_atoms(start, A, B, nuclear, n_iter=1)
        assert_allclose(found, min(start, end, key=value), atol=1e-10)
        kept += value(start) < value(end)
    assert 0 < kept < 15


def test_the_start_is_kept_where_the_steps_do_not_lower_the_objective():
    D, A, B = low_rank_problem(0.3)
    best = low_rank_atoms(D, A, B, 2.0, n_iter=2000)
    assert_array_equal(low_rank_atoms(best, A, B, 2.0, n_iter=1), best)
    zero = np.zeros((2, 3))
    assert_array_equal(low_rank_atoms(zero, np.zeros((2, 2)), zero, 1.0), zero)
