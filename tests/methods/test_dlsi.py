import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import DLSI
from crosslabel.methods import dlsi as module
from tests import naive
from tests.methods.faces import faces, never_rises

LAMBDA, ETA = 0.15, 0.3
X, LABELS = naive.problem()


def literal(D, codes, atoms, eta=ETA, smooth=False):
    """The objective as it is printed; `codes` holds those of each class over its own atoms."""
    value = 0.0
    for c, A in enumerate(codes):
        value += ((X[c == LABELS] - A @ D[atoms == c]) ** 2).sum()
        value += 0.0 if smooth else LAMBDA * np.abs(A).sum()
    for i in range(3):
        for j in range(3):
            if i != j:
                value += eta * ((D[atoms == i] @ D[atoms == j].T) ** 2).sum()
    return value


def learnt(monkeypatch, eta=ETA, **settings):
    calls = naive.captured(monkeypatch, module, "alternate")
    model = DLSI(
        2, penalty=LAMBDA, incoherence=eta, random_state=0, **{"tol": 0.0, "max_iter": 3} | settings
    )
    naive.learn(model, X, LABELS)
    ((sweep, D, codes, *_), _, result) = calls[0]
    return model, sweep, D, codes, result


@pytest.mark.parametrize("eta", [ETA, 0.0])
def test_the_trace_is_the_printed_objective_at_the_atoms_and_codes_reached(monkeypatch, eta):
    model, sweep, D, codes, (found, A, trace) = learnt(monkeypatch, eta)
    assert_allclose(trace[-1], literal(found, A, model.atom_labels_, eta))
    D, codes, value = sweep(D, codes)
    assert_allclose(value, literal(D, codes, model.atom_labels_, eta))
    assert_allclose(model.objective_trace_, trace)
    assert_allclose(model.dictionary_, found)
    assert model.n_iter_ == len(trace) == 3
    assert_array_equal(model.atom_labels_, [0, 0, 1, 1, 2, 2])


def test_a_round_minimises_over_the_codes(monkeypatch):
    model, sweep, D, codes, _ = learnt(monkeypatch)
    _, A, _ = sweep(D, codes)
    for c in range(3):

        def smooth(Z, c=c):
            others = [Z if j == c else A[j] for j in range(3)]
            return literal(D, others, model.atom_labels_, smooth=True)

        assert naive.lasso_fault(smooth, A[c], LAMBDA) <= 1.01e-3


@pytest.mark.parametrize("eta", [ETA, 0.0])
def test_a_round_moves_the_atoms_of_each_class_twice_by_the_step_of_the_objective(monkeypatch, eta):
    model, sweep, D, codes, _ = learnt(monkeypatch, eta)
    atoms = model.atom_labels_
    fresh, A, _ = sweep(D, codes)

    def curvature(D, k):
        others = D[atoms != atoms[k]]
        uses = (A[atoms[k]][:, k % 2] ** 2).sum()
        return uses + naive.eigenvalue_bound(2 * eta * others.T @ others)

    blocks = [np.flatnonzero(atoms == c) for c in range(3)]
    by_hand = naive.blocks_in_turn(lambda Z: literal(Z, A, atoms, eta), D, blocks, curvature, 2)
    assert_allclose(fresh, by_hand, atol=1e-9)


@pytest.mark.parametrize("cut", [1.0, 0.25])
def test_decisions_are_those_of_the_paper(monkeypatch, cut):
    model, *_ = learnt(monkeypatch, coherence_cut=cut)
    D, atoms = model.dictionary_, model.atom_labels_
    costs, left_out = np.empty((6, 3)), 0
    for i, y in enumerate(naive.queries()):
        for c in range(3):
            B, others = D[atoms == c], D[atoms != c]
            x = naive.lasso(B @ B.T, B @ y, LAMBDA)
            kept = [max(abs(others @ d)) <= cut for d in B]
            left_out += kept.count(False)
            costs[i, c] = ((y - (x * kept) @ B) ** 2).sum() + LAMBDA * np.abs(x).sum()
    assert_allclose(model._scores(naive.queries()), -costs, atol=1e-6)
    assert (0 < left_out < 36) if cut < 1 else left_out == 0


def test_objective_falls():
    X, y = faces()
    model = DLSI(5, incoherence=0.1, tol=0, max_iter=15, random_state=0).fit(X, y)
    assert never_rises(model.objective_trace_)
    assert (np.linalg.norm(model.dictionary_, axis=1) <= 1 + 1e-9).all()


def test_incoherence_makes_class_dictionaries_unlike():
    X, y = faces()

    def coherence(weight):
        model = DLSI(4, incoherence=weight, random_state=0).fit(X, y)
        squares = (model.dictionary_ @ model.dictionary_.T) ** 2
        return squares[model.atom_labels_[:, None] != model.atom_labels_].sum()

    assert coherence(1.0) < coherence(0.0)
