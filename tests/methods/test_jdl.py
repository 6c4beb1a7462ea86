import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import DLSI, JDL
from crosslabel.methods import jdl as module
from tests import naive
from tests.methods.faces import faces, never_rises

LAMBDA, ETA = 0.15, 0.4
X, LABELS = naive.problem()


def literal(D, A, shared, smooth=False):
    """The objective as it is printed, scatter within and between classes and all."""
    value = 0.0 if smooth else LAMBDA * np.abs(A).sum()
    mean = A.mean(axis=0)
    for c in range(3):
        own = slice(shared + 2 * c, shared + 2 * c + 2)
        atoms = np.concatenate([D[:shared], D[own]])
        codes = A[c == LABELS]
        value += ((X[c == LABELS] - codes @ atoms) ** 2).sum()
        value += ETA * ((codes - codes.mean(axis=0)) ** 2).sum()
        value -= ETA * len(codes) * ((codes.mean(axis=0) - mean) ** 2).sum()
    return value + ETA * (A**2).sum()


def learnt(monkeypatch, shared=2, **settings):
    calls = naive.captured(monkeypatch, module, "alternate")
    model = JDL(
        2, shared_atoms=shared, penalty=LAMBDA, fisher=ETA, random_state=0,
        **{"tol": 0.0, "max_iter": 3} | settings,
    )  # fmt: skip
    naive.learn(model, X, LABELS)
    ((sweep, D, codes, *_), _, result) = calls[0]
    return model, sweep, D, codes, result


@pytest.mark.parametrize("shared", [2, 0])
def test_the_trace_is_the_printed_objective_at_the_atoms_and_codes_reached(monkeypatch, shared):
    model, sweep, D, codes, (found, A, trace) = learnt(monkeypatch, shared)
    assert_allclose(trace[-1], literal(found, A, shared))
    D, codes, value = sweep(D, codes)
    assert_allclose(value, literal(D, codes, shared))
    assert_allclose(model.objective_trace_, trace)
    assert_allclose(model.dictionary_, found)
    assert model.n_iter_ == len(trace) == 3
    assert_array_equal(np.bincount(model.atom_labels_ + 1), [shared, 2, 2, 2])


@pytest.mark.parametrize("shared", [2, 0])
def test_a_round_minimises_over_the_codes_of_each_class_in_turn(monkeypatch, shared):
    _, sweep, D, codes, _ = learnt(monkeypatch, shared)
    start = 0.3 * np.random.default_rng(0).normal(size=codes.shape)
    _, A, _ = sweep(D, start)
    for c in range(3):
        now = np.where((c >= LABELS)[:, None], A, start)  # later classes had not yet moved

        def smooth(Z, c=c, now=now):
            other = now.copy()
            other[c == LABELS] = Z
            return literal(D, other, shared, smooth=True)

        assert naive.lasso_fault(smooth, A[c == LABELS], LAMBDA) <= 1.01e-2


@pytest.mark.parametrize("shared", [2, 0])
def test_a_round_moves_each_block_of_atoms_twice_to_its_minimum(monkeypatch, shared):
    model, sweep, D, codes, _ = learnt(monkeypatch, shared)
    fresh, A, _ = sweep(D, codes)
    atoms = model.atom_labels_

    def curvature(_, k):
        if k < shared:
            return (A[:, k] ** 2).sum()
        return (A[atoms[k] == LABELS, shared + (k - shared) % 2] ** 2).sum()

    blocks = [np.flatnonzero(atoms == c) for c in (0, 1, 2, -1)]
    by_hand = naive.blocks_in_turn(lambda Z: literal(Z, A, shared), D, blocks, curvature, 2)
    assert_allclose(fresh, by_hand, atol=1e-9)


@pytest.mark.parametrize("shared", [2, 0])
def test_decisions_are_those_of_the_paper(monkeypatch, shared):
    model, *_ = learnt(monkeypatch, shared)
    costs = np.empty((6, 3))
    for i, y in enumerate(naive.queries()):
        for c in range(3):
            B = model.dictionary_[(model.atom_labels_ == c) | (model.atom_labels_ == -1)]
            x = naive.lasso(B @ B.T, B @ y, LAMBDA)
            costs[i, c] = ((y - x @ B) ** 2).sum()
    assert_allclose(model._scores(naive.queries()), -costs, atol=1e-6)


def test_objective_falls():
    X, y = faces()
    assert never_rises(JDL(4, shared_atoms=3, tol=0, random_state=0).fit(X, y).objective_trace_)


def test_without_common_atoms_and_criterion_each_class_learns_alone():
    X, y = faces()
    few = {"penalty": 0.05, "max_iter": 40, "tol": 0, "random_state": 0}
    joint = JDL(4, shared_atoms=0, fisher=0.0, **few).fit(X, y)
    alone = DLSI(4, incoherence=0, **few).fit(X, y)
    assert_allclose(joint.objective_trace_[-1], alone.objective_trace_[-1], rtol=0.02)


def test_all_classes_get_as_many_atoms_as_the_smallest_has_samples():
    X, y = faces()
    keep = np.r_[0:10, 10:13, 20:30]
    model = JDL(6, shared_atoms=2, random_state=0).fit(X[keep], y[keep])
    assert np.bincount(model.atom_labels_ + 1).tolist() == [2, 3, 3, 3]
