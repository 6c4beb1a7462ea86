import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import SADL
from crosslabel.methods import sadl as module
from crosslabel.methods.sadl import _spectrum, labelled_codes, responses_in_ball
from tests import naive
from tests.methods.faces import faces, never_rises

LAMBDA, RHO, DELTA, EPSILON = 0.1, 0.3, 0.7, 0.05
X, LABELS = naive.problem()
T = np.eye(3)[LABELS]
ATOMS = np.repeat([0, 1, 2], 2)
H = np.array([[float(k == c) for k in ATOMS] for c in LABELS])


def literal(Omega, U, Q, W):
    """The objective as it is printed, rows for columns."""
    value = ((U - X @ Omega.T) ** 2).sum() + LAMBDA * np.abs(U).sum()
    value += RHO * ((H - U @ Q) ** 2).sum() + DELTA * ((T - U @ W) ** 2).sum()
    return value + EPSILON * (RHO * (Q**2).sum() + DELTA * (W**2).sum())


def learnt(monkeypatch, **settings):
    calls = naive.captured(monkeypatch, module, "alternate")
    model = SADL(
        2, penalty=LAMBDA, structure=RHO, label_weight=DELTA, ridge=EPSILON, random_state=0,
        **{"tol": 0.0, "max_iter": 3} | settings,
    )  # fmt: skip
    naive.learn(model, X, LABELS)
    return model, calls[0]


def test_a_round_is_that_of_the_printed_objective(monkeypatch):
    model, ((sweep, Omega, U, *_), _, _) = learnt(monkeypatch)
    basis = np.linalg.svd(X, full_matrices=False)[2].T  # the coordinates that the sweep works in
    Q, W = naive.ridge(U, H, EPSILON), naive.ridge(U, T, EPSILON)
    Omega_after, U_after, value = sweep(Omega, U)
    assert_allclose(value, literal(Omega_after @ basis.T, U_after, Q, W))

    def smooth(Z):
        part = literal(Omega @ basis.T, Z, Q, W)
        return part - LAMBDA * np.abs(Z).sum()

    assert naive.lasso_fault(smooth, U_after, LAMBDA) < 1e-3
    assert_array_equal(model.atom_labels_, ATOMS)
    assert model.n_iter_ == len(model.objective_trace_) == 3


def test_atoms_are_the_best_in_the_unit_ball(monkeypatch):
    _, ((sweep, Omega, U, *_), _, _) = learnt(monkeypatch)
    found, codes, _ = sweep(Omega, U)
    Z = X @ np.linalg.svd(X, full_matrices=False)[2].T
    for k, omega in enumerate(found):
        slope = Z.T @ (Z @ omega - codes[:, k])
        size = np.sqrt(omega @ omega)
        if size < 1 - 1e-9:
            assert_allclose(slope, 0, atol=1e-9)
        else:  # the slope points out of the ball
            assert_allclose(size, 1)
            assert_allclose(slope, (slope @ omega) * omega, atol=1e-8)
            assert slope @ omega <= 0


def test_rows_in_the_ball_stay_free_where_they_may():
    energies = np.array([2.0, 0.5])
    B = np.array([[0.2, 0.1], [30.0, -4.0], [0.0, 0.0], [0.2, 0.7]])
    found = responses_in_ball(B, energies)
    assert_allclose(found[0], [0.1, 0.2])
    assert_allclose(np.sqrt((found[1] ** 2).sum()), 1)
    assert_allclose(found[2], 0)
    assert_allclose(np.sqrt((found[3] ** 2).sum()), 1)
    weak = np.array([[0.3, 0.4], [3.0, 4.0], [3e-4, 4e-4]])
    assert_allclose(responses_in_ball(weak, np.full(2, 1e-5)), np.tile([0.6, 0.8], (3, 1)))


def test_codes_are_never_worse_than_their_start():
    rng = np.random.default_rng(0)
    P, W = rng.normal(size=(12, 6)), rng.normal(size=(6, 3))
    weights = np.array([0.3, 2.0, 1.0])
    best = labelled_codes(P, T, W, weights, 0.4, np.zeros((12, 6)))
    for _ in range(40):
        best = labelled_codes(P, T, W, weights, 0.4, best)
    gram = np.eye(6) + (W * weights) @ W.T
    exact = [naive.lasso(gram, b, 0.4) for b in P + (T * weights) @ W.T]
    assert_allclose(best, exact, atol=1e-6)


def test_decisions_are_soft_thresholded_responses(monkeypatch):
    model, _ = learnt(monkeypatch)

    def code(y):
        response = model.analysis_ @ y
        return np.sign(response) * np.maximum(np.abs(response) - LAMBDA / 2, 0)

    W = naive.ridge(np.array([code(x) for x in X]), T, EPSILON)
    assert_allclose(model.classifier_, W, atol=1e-9)
    expected = [code(y) @ W for y in naive.queries()]
    assert_allclose(model._scores(naive.queries()), expected, atol=1e-9)


@pytest.mark.parametrize("penalty", [1e-3, 0.2])
def test_objective_falls(penalty):
    X, y = faces(n_per_class=12)
    model = SADL(4, penalty=penalty, max_iter=25, tol=0.0, random_state=0).fit(X, y)
    assert never_rises(model.objective_trace_)


def test_what_is_learnt_along_the_axes_of_the_samples_is_turned_back(monkeypatch):
    starts = naive.captured(monkeypatch, module, "start_atoms")
    model, ((_, first, *_), _, (Omega, *_)) = learnt(monkeypatch)
    axes = _spectrum(X)[1]
    assert_allclose(first, starts[0][2] @ axes)
    assert_allclose(model.analysis_, Omega @ axes.T)
    assert_allclose(X @ model.analysis_.T, X @ axes @ Omega.T)


def test_codes_begin_as_soft_thresholded_responses(monkeypatch):
    _, ((_, Omega, U, *_), _, _) = learnt(monkeypatch)
    P = X @ np.linalg.svd(X, full_matrices=False)[2].T @ Omega.T
    assert_allclose(U, np.sign(P) * np.maximum(np.abs(P) - LAMBDA / 2, 0), atol=1e-12)


@pytest.mark.parametrize(
    ("size", "weights"),
    [(0.2, [0.3, 2.0, 1.0]), (10.0, [0.006, 0.04, 0.02]), (1.0, [90.0, 1e-3, 0.5])],
)
def test_steps_are_short_enough_for_weak_and_strong_labels(size, weights):
    """Longer ones than two over the largest eigenvalue of I + WωWᵀ lead away."""
    rng = np.random.default_rng(0)
    P, W = rng.normal(size=(12, 6)), size * rng.normal(size=(6, 3))
    weights = np.array(weights)
    found = np.zeros((12, 6))
    for _ in range(20):
        found = labelled_codes(P, T, W, weights, 0.4, found)
    gram = np.eye(6) + (W * weights) @ W.T
    exact = [naive.lasso(gram, b, 0.4) for b in P + (T * weights) @ W.T]
    assert_allclose(found, exact, atol=1e-6)


@pytest.mark.parametrize("shape", [(9, 6), (6, 9)])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_axes_of_rounding_are_left_out(shape, scale):
    """Of singular values 1, 1e-10 and nothing."""
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.normal(size=(n, 2)))[0] for n in shape)
    energies, axes = _spectrum(scale * (left * [1, 1e-10]) @ right.T)
    assert_allclose(energies, np.array([1, 1e-20]) * scale**2, rtol=1e-3)
    assert_allclose(np.abs(np.sum(axes * right, axis=0)), 1, rtol=1e-3)
