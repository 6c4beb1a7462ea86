import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import JointDictionary
from tests import naive
from tests.methods.faces import faces, never_rises

GAMMA, RHO = 0.3, 0.2
X, LABELS = naive.problem()
H = np.eye(3)[LABELS]


def by_hand(D, gamma, n_rounds):
    """Codes of [Y √γH] over unit atoms [D √γW], atoms of the codes, ridge regression: in turn."""
    ridge = RHO / gamma if gamma else RHO
    W = naive.ridge(naive.pursuits(D, X, 2), H, ridge)
    trace = []
    for _ in range(n_rounds):
        stacked = np.concatenate([D, np.sqrt(gamma) * W], axis=1)
        norms = np.linalg.norm(stacked, axis=1)
        norms[norms == 0] = 1
        rows = np.concatenate([X, np.sqrt(gamma) * H], axis=1)
        A = naive.pursuits(stacked / norms[:, None], rows, 2) / norms
        D = naive.blocks_in_turn(
            lambda Z, A=A: ((X - A @ Z) ** 2).sum(),
            D,
            [range(len(D))],
            lambda _, k, A=A: (A[:, k] ** 2).sum(),
            sweeps=2,
        )
        W = naive.ridge(A, H, ridge)
        fit, error = ((X - A @ D) ** 2).sum(), ((H - A @ W) ** 2).sum()
        trace.append(fit + gamma * error + RHO * (W**2).sum())
    return D, W, trace


@pytest.mark.parametrize("gamma", [GAMMA, 0.0])
def test_updates_and_objective_are_those_of_the_paper(gamma):
    model = JointDictionary(
        2, label_weight=gamma, ridge=RHO, sparsity=2, init_iter=1, max_iter=3, random_state=0
    )
    naive.learn(model, X, LABELS)
    D, W, trace = by_hand(model._start(X, LABELS)[0], gamma, 3)
    assert_allclose(model.dictionary_, D, atol=1e-9)
    assert_allclose(model.classifier_, W, atol=1e-9)
    assert_allclose(model.objective_trace_, trace)
    scores = naive.pursuits(D, naive.queries(), 2) @ W
    assert_allclose(model._scores(naive.queries()), scores, atol=1e-9)


def test_objective_falls():
    X, y = faces(n_per_class=20)
    model = JointDictionary(6, sparsity=18, init_iter=2, max_iter=10, random_state=0).fit(X, y)
    # With as many coefficients as atoms the codes are exact too, so that no step may raise it.
    assert never_rises(model.objective_trace_)
    assert (np.linalg.norm(model.dictionary_, axis=1) <= 1 + 1e-9).all()
