import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import FDDL, LRSDL
from crosslabel.core.fisher import FisherModel
from crosslabel.methods import lrsdl as module
from tests import naive
from tests.methods.faces import faces, never_rises

LAMBDA, FISHER, NU, W = 0.05, 0.3, 0.2, 0.3
X, LABELS = naive.problem()
shared_or_not = pytest.mark.parametrize("shared", [2, 0])


def literal(D, A, atoms):
    """The objective as it is printed, with its halves and mean codes."""
    shared = (atoms == -1).sum()
    common, codes = A[:, :shared], A[:, shared:]
    value, g = LAMBDA * np.abs(A).sum(), (codes**2).sum()
    if shared:
        value += NU * np.linalg.svd(D[:shared])[1].sum()
        g += ((common - common.mean(axis=0)) ** 2).sum()
    for c in range(3):
        y, a = X[c == LABELS], A[c == LABELS]
        free = (atoms == c) | (atoms == -1)
        value += ((y - a @ D) ** 2).sum() / 2
        value += ((y - a[:, free] @ D[free]) ** 2).sum() / 2
        for j in {0, 1, 2} - {c}:
            value += ((a[:, atoms == j] @ D[atoms == j]) ** 2).sum() / 2
        mean = codes[c == LABELS].mean(axis=0)
        for x in codes[c == LABELS]:
            g += ((x - mean) ** 2).sum() - ((mean - codes.mean(axis=0)) ** 2).sum()
    return value + FISHER / 2 * g


def learnt(monkeypatch, shared=2):
    calls = naive.captured(monkeypatch, module, "alternate")
    model = LRSDL(
        2, shared_atoms=shared, penalty=LAMBDA, fisher=FISHER, nuclear=NU, weight=W,
        tol=0.0, max_iter=3, random_state=0,
    )  # fmt: skip
    naive.learn(model, X, LABELS)
    ((sweep, D, codes, *_), _, result) = calls[0]
    return model, sweep, D, codes, result


@shared_or_not
def test_the_trace_is_twice_the_printed_objective_at_the_atoms_and_codes_reached(
    monkeypatch, shared
):
    model, _, _, _, (D, A, trace) = learnt(monkeypatch, shared)
    assert_allclose(trace[-1], 2 * literal(D, A, model.atom_labels_))
    assert_allclose(model.objective_trace_, trace)
    assert_allclose(model.dictionary_, D)
    assert model.n_iter_ == len(trace) == 3
    assert_allclose(model.means_, [A[c == LABELS].mean(axis=0) for c in range(3)])
    assert_array_equal(np.bincount(model.atom_labels_ + 1), [shared, 2, 2, 2])


@shared_or_not
def test_a_round_is_one_of_codes_and_one_of_atoms(monkeypatch, shared):
    model, sweep, D, codes, _ = learnt(monkeypatch, shared)
    parts = [slice(0, 5), slice(5, 8), slice(8, 12)]
    core = FisherModel(model._layout, parts, 2 * LAMBDA, FISHER, 2 * NU)
    A = core.update_codes(X, D, codes)
    fresh, found, value = sweep(D, codes)
    assert_allclose(found, A)
    assert_allclose(fresh, core.update_dictionary(X, D, A))
    assert_allclose(value, 2 * literal(fresh, A, model.atom_labels_))


@shared_or_not
def test_decisions_are_those_of_the_paper(monkeypatch, shared):
    model, _, _, _, (D, A, _) = learnt(monkeypatch, shared)
    atoms, costs = model.atom_labels_, np.empty((6, 3))
    common = A[:, :shared].mean(axis=0)
    pull = np.sqrt(FISHER / 2) * np.eye(len(D))[:shared]  # λ₂/2‖x⁰ − m⁰‖² as rows of a fit
    for i, y in enumerate(naive.queries()):
        rows = np.concatenate([D.T / np.sqrt(2), pull])
        target = np.concatenate([y / np.sqrt(2), np.sqrt(FISHER / 2) * common])
        x = naive.lasso(rows.T @ rows, rows.T @ target, LAMBDA)
        for c in range(3):
            free = (atoms == c) | (atoms == -1)
            fit = ((y - x[free] @ D[free]) ** 2).sum()
            spread = ((x[shared:] - A[c == LABELS, shared:].mean(axis=0)) ** 2).sum()
            costs[i, c] = W * fit + (1 - W) * spread
    assert_allclose(model._scores(naive.queries()), -costs, atol=1e-6)


def test_objective_falls():
    X, y = faces()
    model = LRSDL(4, shared_atoms=3, tol=0, max_iter=6, random_state=0).fit(X, y)
    assert never_rises(model.objective_trace_)


def test_without_shared_atoms_it_is_fddl():
    X, y = faces()
    few = {"fisher": 0.05, "tol": 0, "max_iter": 3, "random_state": 0}
    low_rank = LRSDL(4, shared_atoms=0, penalty=0.01, weight=0.5, **few).fit(X, y)
    fisher = FDDL(4, penalty=0.02, weight=1.0, **few).fit(X, y)  # their λ₁ differ by the half
    assert_allclose(low_rank.dictionary_, fisher.dictionary_, atol=1e-10)
    ours, theirs = 2 * low_rank.decision_function(X), fisher.decision_function(X)
    assert_allclose(ours - ours[:, :1], theirs - theirs[:, :1], atol=1e-5)


def test_a_large_nuclear_norm_lowers_the_rank_of_the_shared_atoms():
    X, y = faces(n_per_class=12)

    def rank(nuclear):
        model = LRSDL(3, shared_atoms=5, nuclear=nuclear, max_iter=6, random_state=0).fit(X, y)
        return np.linalg.matrix_rank(model.dictionary_[model.atom_labels_ == -1], tol=1e-6)

    assert rank(3.0) < rank(1e-6)
