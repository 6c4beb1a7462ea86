import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import block_diag

from crosslabel import SupGraphDL
from crosslabel.core.graph import adapted_laplacian, heat_laplacian
from crosslabel.methods import supgraph as module
from tests import naive
from tests.methods.faces import faces, never_rises

ALPHA, BETA, GAMMA, RHO, MU = 0.4, 0.3, 0.6, 0.2, 0.5
X, LABELS = naive.problem()
H = np.eye(3)[LABELS]
FEW = {"sparsity": 4, "init_iter": 2, "max_iter": 4, "random_state": 0}


def literal(D, A, W, L, graphs, adaptive):
    """The objective as it is printed, with one Laplacian for all samples."""
    Lc = block_diag(*graphs)
    value = MU * ((L**2).sum() + (Lc**2).sum()) if adaptive else 0.0
    value += ((X - A @ D) ** 2).sum() + ALPHA * np.trace(D @ L @ D.T)
    value += BETA * np.trace(A.T @ Lc @ A) + GAMMA * ((H - A @ W) ** 2).sum()
    return value + RHO * (W**2).sum()


def learnt(monkeypatch, adaptive, max_iter=2):
    calls = naive.captured(monkeypatch, module, "smooth_sparse_codes")
    model = SupGraphDL(
        2, feature_smoothness=ALPHA, sample_smoothness=BETA, label_weight=GAMMA, n_neighbors=2,
        adaptive=adaptive, spread=MU, sparsity=2, ridge=RHO, init_iter=1, coding_iter=5,
        max_iter=max_iter, random_state=0,
    )  # fmt: skip
    return naive.learn(model, X, LABELS), calls


@pytest.mark.parametrize("adaptive", [False, True])
def test_updates_and_objective_are_those_of_the_paper(monkeypatch, adaptive):
    model, calls = learnt(monkeypatch, adaptive)
    D, L = model._start(X, LABELS)[0], heat_laplacian(X.T, 2)
    A = naive.pursuits(D, X, 2)
    W, trace = naive.ridge(A, H, RHO / GAMMA), []
    graphs = [heat_laplacian(X[c == LABELS], 2) for c in range(3)]
    for (gram, correlations, given, sparsity), settings, fresh in calls:
        # The codes' problem: ‖[Y √γH] − A[D √γW]‖² and smoothness over the samples' graph.
        rows = np.concatenate([X, np.sqrt(GAMMA) * H], axis=1)
        atoms = np.concatenate([D, np.sqrt(GAMMA) * W], axis=1)
        assert_allclose(gram, atoms @ atoms.T)
        assert_allclose(correlations, rows @ atoms.T)
        for c in range(3):
            assert_allclose(given[c], BETA * graphs[c])
        assert_allclose(settings["start"], A, atol=1e-9)
        assert (sparsity, settings["n_iter"]) == (2, 5)
        A = fresh

        def of_atoms(Z, A=A, W=W, L=L, graphs=graphs):
            return literal(Z, A, W, L, graphs, adaptive)

        def curvature(_, k, A=A, L=L):
            return (A[:, k] ** 2).sum() + naive.eigenvalue_bound(ALPHA * L)

        D = naive.blocks_in_turn(of_atoms, D, [range(len(D))], curvature, sweeps=2)
        W = naive.ridge(A, H, RHO / GAMMA)
        if adaptive:  # ‖√w P‖² is w‖P‖²
            L = adapted_laplacian(np.sqrt(ALPHA) * D.T, MU, module.GRAPH_STEPS, L)
            graphs = [
                adapted_laplacian(np.sqrt(BETA) * A[c == LABELS], MU, module.GRAPH_STEPS, graphs[c])
                for c in range(3)
            ]
        trace.append(literal(D, A, W, L, graphs, adaptive))
    norms = np.linalg.norm(D, axis=1, keepdims=True)
    assert len(calls) == model.n_iter_ == 2
    assert_allclose(model.objective_trace_, trace)
    assert_allclose(model.feature_laplacian_, L)
    for found, expected in zip(model.sample_laplacians_, graphs, strict=True):
        assert_allclose(found, expected)
    assert_allclose(model.dictionary_, D / norms, atol=1e-9)
    assert_allclose(model.classifier_, W / norms, atol=1e-9)
    scores = naive.pursuits(D / norms, naive.queries(), 2) @ (W / norms)
    assert_allclose(model._scores(naive.queries()), scores, atol=1e-9)


def test_an_atom_without_norm_leaves_its_row_of_the_classifier(monkeypatch):
    monkeypatch.setattr(module, "update_atoms", lambda D, *_, **__: 0 * D)
    calls = naive.captured(monkeypatch, module, "smooth_sparse_codes")
    model = SupGraphDL(2, label_weight=1e-2, **FEW | {"max_iter": 1})
    naive.learn(model, X, LABELS)
    assert not model.dictionary_.any()
    assert_allclose(model.classifier_, naive.ridge(calls[0][2], H, model.ridge / 1e-2), atol=1e-9)


@pytest.mark.parametrize("adaptive", [False, True])
def test_objective_falls(adaptive):
    X, y = faces()
    assert never_rises(SupGraphDL(4, adaptive=adaptive, **FEW).fit(X, y).objective_trace_)


def test_smooth_atoms_vary_less_over_the_feature_graph():
    X, y = faces(n_per_class=12)

    def roughness(weight):
        model = SupGraphDL(4, feature_smoothness=weight, **FEW).fit(X, y)
        D = model.dictionary_
        return np.vdot(D, D @ model.feature_laplacian_) / len(D)

    assert roughness(10.0) < roughness(0.0)
