import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import DKSVD, KSVD, LCKSVD
from crosslabel.core.ksvd import ksvd
from tests import naive
from tests.methods.faces import faces

FEW = {"sparsity": 2, "init_iter": 1, "max_iter": 3, "random_state": 0}
BARE = FEW | {"start_iter": 0}
X, LABELS = naive.problem()


@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 0.2), (0.3, 0.0), (0.0, 0.2), (0.0, 0.0)])
@pytest.mark.parametrize("rounds", [0, 2])
@pytest.mark.parametrize("atoms", [(2, 2, 2), (1, 2, 3)])
def test_all_is_one_ksvd_of_samples_consistent_codes_and_indicators(alpha, beta, rounds, atoms):
    rho = 0.5
    model = LCKSVD(atoms, consistency=alpha, label_weight=beta, ridge=rho, start_iter=rounds, **FEW)
    naive.learn(model, X, LABELS)
    D, _ = model._start(X, LABELS)
    Q = np.array([[float(c == k) for k in np.repeat([0, 1, 2], atoms)] for c in LABELS])
    H = np.array([[float(c == k) for k in range(3)] for c in LABELS])
    # K-SVD of all samples gives the codes to start from, and not the atoms.
    codes = ksvd(X, D, 2, n_iter=rounds)[1] if rounds else naive.pursuits(D, X, 2)
    A, W = naive.ridge(codes, Q, rho), naive.ridge(codes, H, rho)
    atoms = np.concatenate([D, np.sqrt(alpha) * A, np.sqrt(beta) * W], axis=1)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    rows = np.concatenate([X, np.sqrt(alpha) * Q, np.sqrt(beta) * H], axis=1)
    atoms, _ = ksvd(rows, atoms, 2, n_iter=3)
    atoms /= np.linalg.norm(atoms[:, :6], axis=1, keepdims=True)
    D = atoms[:, :6]
    codes = naive.pursuits(D, X, 2)
    # What carried no weight is regressed afterwards.
    A = atoms[:, 6:12] / np.sqrt(alpha) if alpha else naive.ridge(codes, Q, rho)
    W = atoms[:, 12:] / np.sqrt(beta) if beta else naive.ridge(codes, H, rho)
    assert_allclose(model.dictionary_, D, atol=1e-9)
    assert_allclose(model.transform_, A, atol=1e-9)
    assert_allclose(model.classifier_, W, atol=1e-9)
    scores = naive.pursuits(D, naive.queries(), 2) @ W
    assert_allclose(model._scores(naive.queries()), scores, atol=1e-9)


def test_with_both_weights_zero_it_is_ksvd():
    X, y = faces()
    labelled = LCKSVD(4, consistency=0, label_weight=0, **BARE).fit(X, y)
    plain = KSVD(4, **FEW).fit(X, y)
    assert_allclose(labelled.dictionary_, plain.dictionary_, atol=1e-10)
    assert_allclose(labelled.decision_function(X), plain.decision_function(X), atol=1e-8)


def test_without_consistency_it_is_dksvd():
    X, y = faces()
    labelled = LCKSVD(4, consistency=0, label_weight=0.02, **BARE).fit(X, y)
    joint = DKSVD(4, label_weight=0.02, **FEW).fit(X, y)
    assert_allclose(labelled.decision_function(X), joint.decision_function(X), atol=1e-8)
