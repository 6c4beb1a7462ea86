import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import SupGraphDL
from tests.methods.faces import faces, never_rises

FEW = {"sparsity": 4, "init_iter": 2, "max_iter": 8, "random_state": 0}


def test_objective_falls():
    X, y = faces()
    assert never_rises(SupGraphDL(4, **FEW).fit(X, y).objective_trace_)


def test_the_adaptive_form_learns_another_graph_on_the_features():
    X, y = faces()
    fixed, learnt = SupGraphDL(4, **FEW).fit(X, y), SupGraphDL(4, adaptive=True, **FEW).fit(X, y)
    L = learnt.feature_laplacian_
    assert not np.allclose(L, fixed.feature_laplacian_)
    assert_allclose(L.sum(axis=1), 0, atol=1e-9)
    assert_allclose(np.trace(L), 20)


def test_smooth_atoms_vary_less_over_the_feature_graph():
    X, y = faces(n_per_class=20)

    def roughness(weight):
        model = SupGraphDL(4, feature_smoothness=weight, **FEW).fit(X, y)
        D = model.dictionary_
        return np.vdot(D, D @ model.feature_laplacian_) / len(D)

    assert roughness(10.0) < roughness(0.0)


@pytest.mark.parametrize("adaptive", [False, True])
def test_classes_are_told_apart(adaptive):
    X, y = faces(n_per_class=20)
    model = SupGraphDL(4, adaptive=adaptive, **FEW).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) >= 0.9
