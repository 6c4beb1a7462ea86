import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import DPL
from crosslabel.methods.start import class_layout, start_atoms
from tests import naive
from tests.methods.faces import faces, never_rises

TAU, LAMBDA, GAMMA = 0.3, 0.2, 0.05
X, LABELS = naive.problem()
ATOMS = np.repeat([0, 1, 2], 2)


def learnt(**settings):
    model = DPL(
        2, fidelity=TAU, suppression=LAMBDA, ridge=GAMMA, random_state=0,
        **{"max_iter": 3} | settings,
    )  # fmt: skip
    return naive.learn(model, X, LABELS)


def best_projection(c, A):
    """min over P of τ‖A − PX_c‖² + λ‖PX̄_c‖² + γ‖P‖²: P = τAX_cᵀ(τX_cX_cᵀ + λX̄_cX̄_cᵀ + γI)⁻¹."""
    own, others = X[c == LABELS], X[c != LABELS]
    T = TAU * own.T @ own + LAMBDA * others.T @ others + GAMMA * np.eye(6)
    return TAU * A.T @ own @ np.linalg.inv(T)


def literal(c, D, P, A):
    """The objective of one class as it is printed, with the ridge of P."""
    own, others = X[c == LABELS], X[c != LABELS]
    value = ((own - A @ D) ** 2).sum() + TAU * ((own @ P.T - A) ** 2).sum()
    return value + LAMBDA * ((others @ P.T) ** 2).sum() + GAMMA * (P**2).sum()


def rounds(c, D, n_rounds):
    """The updates of one class written out: P, D and A in turn, each at its minimum."""
    own = X[c == LABELS]
    A = naive.ridge(D.T, own.T, TAU).T
    trace = []
    for _ in range(n_rounds):
        P = best_projection(c, A)
        D = naive.blocks_in_turn(
            lambda Z, A=A: ((own - A @ Z) ** 2).sum(),
            D,
            [range(len(D))],
            lambda _, k, A=A: (A[:, k] ** 2).sum(),
            sweeps=2,
        )
        # A of min ‖Y − AD‖² + τ‖PY − A‖², as the least squares of stacked rows.
        rows = np.concatenate([D.T, np.sqrt(TAU) * np.eye(len(D))])
        targets = np.concatenate([own.T, np.sqrt(TAU) * P @ own.T])
        A = np.linalg.lstsq(rows, targets, rcond=None)[0].T
        trace.append(literal(c, D, best_projection(c, A), A))
    return D, best_projection(c, A), np.array(trace)


@pytest.mark.parametrize("max_iter", [1, 3])
def test_updates_and_objective_are_those_of_the_paper(max_iter):
    model = learnt(max_iter=max_iter)
    start = start_atoms(X, LABELS, class_layout(LABELS, 2), 0)
    by_hand = [rounds(c, start[c == ATOMS], max_iter) for c in range(3)]
    assert_allclose(model.dictionary_, np.concatenate([D for D, _, _ in by_hand]), atol=1e-9)
    assert_allclose(model.projection_, np.concatenate([P for _, P, _ in by_hand]), atol=1e-9)
    assert_allclose(model.objective_trace_, sum(trace for _, _, trace in by_hand))
    assert_array_equal(model.atom_labels_, ATOMS)
    assert model.n_iter_ == max_iter


def test_decisions_are_those_of_the_paper():
    model, costs = learnt(), np.empty((6, 3))
    for i, y in enumerate(naive.queries()):
        for c in range(3):
            D, P = model.dictionary_[c == ATOMS], model.projection_[c == ATOMS]
            costs[i, c] = ((y - D.T @ (P @ y)) ** 2).sum()
    assert_allclose(model._scores(naive.queries()), -costs, atol=1e-12)


def test_objective_falls():
    X, y = faces(n_per_class=12)
    assert never_rises(DPL(5, random_state=0, max_iter=30).fit(X, y).objective_trace_)


def test_more_suppression_gives_less_energy_to_other_classes():
    X, y = faces()

    def leak(suppression):
        model = DPL(4, suppression=suppression, random_state=0).fit(X, y)
        codes = X @ model.projection_.T
        return (codes[model.atom_labels_ != y[:, None]] ** 2).mean()

    assert leak(1.0) < leak(1e-3)
