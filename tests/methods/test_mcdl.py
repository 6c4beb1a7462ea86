import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import MCDL, JointDictionary
from crosslabel.core.atoms import AtomLayout
from crosslabel.methods.mcdl import dealt_groups
from tests import naive
from tests.methods.faces import faces, never_rises

GAMMA, RHO = 0.3, 0.4
X, LABELS = naive.problem()
H = np.eye(3)[LABELS]


def by_hand(D, groups, n_rounds):
    """Codes of [Y √γH … √γH] over atoms with their rows of W in their group's place, then D, W."""
    n_groups = max(groups) + 1

    def predictors(A):
        W = np.zeros((len(D), 3))
        for g in range(n_groups):
            W[groups == g] = naive.ridge(A[:, groups == g], H, RHO)
        return W

    W, trace = predictors(naive.pursuits(D, X, 3)), []
    for _ in range(n_rounds):
        stacked = np.zeros((len(D), 6 + 3 * n_groups))
        stacked[:, :6] = D
        for k, g in enumerate(groups):
            stacked[k, 6 + 3 * g : 9 + 3 * g] = np.sqrt(GAMMA) * W[k]
        norms = np.linalg.norm(stacked, axis=1)
        rows = np.concatenate([X, *[np.sqrt(GAMMA) * H] * n_groups], axis=1)
        A = naive.pursuits(stacked / norms[:, None], rows, 3) / norms
        D = naive.blocks_in_turn(
            lambda Z, A=A: ((X - A @ Z) ** 2).sum(),
            D,
            [range(len(D))],
            lambda _, k, A=A: (A[:, k] ** 2).sum(),
            sweeps=2,
        )
        W = predictors(A)
        value = ((X - A @ D) ** 2).sum()
        for g in range(n_groups):
            own = groups == g
            value += (
                GAMMA * ((H - A[:, own] @ W[own]) ** 2).sum() + GAMMA * RHO * (W[own] ** 2).sum()
            )
        trace.append(value)
    return D, W, trace


@pytest.mark.parametrize("n_classifiers", [1, 2])
def test_updates_objective_and_decisions_are_those_of_the_model(n_classifiers):
    model = MCDL(
        3, n_classifiers=n_classifiers, label_weight=GAMMA, ridge=RHO, sparsity=3, init_iter=1,
        max_iter=3, random_state=0,
    )  # fmt: skip
    naive.learn(model, X, LABELS)
    groups = np.array([0, 1, 0, 0, 1, 0, 0, 1, 0]) if n_classifiers == 2 else np.zeros(9, int)
    assert_array_equal(model.groups_, groups)
    D, W, trace = by_hand(model._start(X, LABELS)[0], groups, 3)
    assert_allclose(model.dictionary_, D, atol=1e-9)
    assert_allclose(model.classifier_, W, atol=1e-9)
    assert_allclose(model.objective_trace_, trace)
    votes = naive.pursuits(D, naive.queries(), 3)
    together = sum(votes[:, groups == g] @ W[groups == g] for g in range(n_classifiers))
    assert_allclose(model._scores(naive.queries()), together, atol=1e-9)


def test_one_group_is_joint_learning():
    X, y = faces()
    few = {"sparsity": 4, "init_iter": 2, "max_iter": 4, "random_state": 0}
    one = MCDL(4, n_classifiers=1, label_weight=0.1, ridge=2.0, **few).fit(X, y)
    joint = JointDictionary(4, label_weight=0.1, ridge=0.2, **few).fit(X, y)
    assert_allclose(one.decision_function(X), joint.decision_function(X), atol=1e-9)


def test_atoms_of_every_class_are_dealt_out_in_turn():
    assert_array_equal(dealt_groups(AtomLayout(0, (4, 2, 1)), 3), [0, 1, 2, 0, 0, 1, 0])
    assert_array_equal(dealt_groups(AtomLayout(0, (2, 1)), 5), [0, 1, 0])


def test_objective_falls():
    X, y = faces(n_per_class=20)
    model = MCDL(6, sparsity=18, init_iter=2, max_iter=10, random_state=0).fit(X, y)
    # With as many coefficients as atoms the codes are exact too, so that no step may raise it.
    assert never_rises(model.objective_trace_)
