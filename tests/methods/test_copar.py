import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import COPAR, DLSI
from crosslabel.methods import copar as module
from tests import naive
from tests.methods.faces import faces, never_rises

LAMBDA, ETA, MU = 0.15, 0.3, 0.7
X, LABELS = naive.problem()


def literal(D, A, atoms, eta=ETA, smooth=False):
    """The objective as it is printed; `atoms` holds the class of each atom, −1 for a shared one."""
    value = 0.0 if smooth else LAMBDA * np.abs(A).sum()
    for y, a, c in zip(X, A, LABELS):
        free = (atoms == c) | (atoms == -1)
        value += ((y - a @ D) ** 2).sum() + ((y - a[free] @ D[free]) ** 2).sum()
        value += MU * (a[~free] ** 2).sum()
    unlike = atoms[:, None] != atoms
    return value + eta * ((D @ D.T) ** 2)[unlike].sum()


def learnt(monkeypatch, shared=2, eta=ETA, **settings):
    """A model, its round of updates, where they started and where they ended."""
    calls = naive.captured(monkeypatch, module, "alternate")
    model = COPAR(
        2, shared_atoms=shared, penalty=LAMBDA, incoherence=eta, suppression=MU,
        random_state=0, **{"tol": 0.0, "max_iter": 3} | settings,
    )  # fmt: skip
    naive.learn(model, X, LABELS)
    ((sweep, D, codes, *_), _, result) = calls[0]
    return model, sweep, D, codes, result


@pytest.mark.parametrize(("shared", "eta"), [(2, ETA), (0, ETA), (2, 0.0)])
def test_the_trace_is_the_printed_objective_at_the_atoms_and_codes_reached(
    monkeypatch, shared, eta
):
    model, sweep, D, codes, (found, A, trace) = learnt(monkeypatch, shared, eta)
    assert_allclose(trace[-1], literal(found, A, model.atom_labels_, eta))
    D, codes, value = sweep(D, codes)
    assert_allclose(value, literal(D, codes, model.atom_labels_, eta))
    assert_allclose(model.objective_trace_, trace)
    assert_allclose(model.dictionary_, found)
    assert model.n_iter_ == len(trace) == 3
    assert_allclose(np.bincount(model.atom_labels_ + 1), [shared, 2, 2, 2])


@pytest.mark.parametrize("shared", [2, 0])
def test_a_round_minimises_over_the_codes(monkeypatch, shared):
    model, sweep, D, codes, _ = learnt(monkeypatch, shared)
    for start in (codes, np.random.default_rng(0).normal(size=codes.shape)):
        _, A, _ = sweep(D, start)
        fault = naive.lasso_fault(
            lambda Z: literal(D, Z, model.atom_labels_, smooth=True), A, LAMBDA
        )
        assert fault <= 1.01e-2


@pytest.mark.parametrize(("shared", "eta"), [(2, ETA), (0, ETA), (2, 0.0), (2, 1.0)])
def test_a_round_moves_each_block_of_atoms_twice_by_the_step_of_the_objective(
    monkeypatch, shared, eta
):
    model, sweep, D, codes, _ = learnt(monkeypatch, shared, eta)
    atoms = model.atom_labels_
    fresh, A, _ = sweep(D, codes)

    def curvature(D, k):
        others = D[atoms != atoms[k]]
        uses = (A[:, k] ** 2).sum()  # both fits see an atom in the codes of these samples
        uses += (A[(atoms[k] == LABELS) | (atoms[k] == -1), k] ** 2).sum()
        return uses + naive.eigenvalue_bound(2 * eta * others.T @ others)

    blocks = [np.flatnonzero(atoms == c) for c in (0, 1, 2, -1)]
    by_hand = naive.blocks_in_turn(
        lambda Z: literal(Z, A, atoms, eta), D, blocks, curvature, sweeps=2
    )
    assert_allclose(fresh, by_hand, atol=1e-9)


@pytest.mark.parametrize("coding", ["global", "local"])
@pytest.mark.parametrize("shared", [2, 0])
def test_decisions_are_those_of_the_paper(monkeypatch, coding, shared):
    model, *_ = learnt(monkeypatch, shared, coding=coding)
    D, atoms = model.dictionary_, model.atom_labels_
    costs = np.empty((6, 3))
    for i, y in enumerate(naive.queries()):
        whole = naive.lasso(D @ D.T, D @ y, LAMBDA)
        for c in range(3):
            free = (atoms == c) | (atoms == -1)
            B = D[free]
            if coding == "global":
                costs[i, c] = ((y - whole[free] @ B) ** 2).sum()
            else:
                x = naive.lasso(B @ B.T, B @ y, LAMBDA)
                costs[i, c] = ((y - x @ B) ** 2).sum() + LAMBDA * np.abs(x).sum()
    assert_allclose(model._scores(naive.queries()), -costs, atol=1e-6)


@pytest.mark.parametrize("shared", [0, 2])
def test_objective_falls(shared):
    X, y = faces()
    model = COPAR(4, shared_atoms=shared, incoherence=0.05, tol=0, max_iter=12, random_state=0)
    assert never_rises(model.fit(X, y).objective_trace_)


def test_without_shared_atoms_and_coupling_it_is_a_dictionary_for_each_class():
    X, y = faces()
    few = {"incoherence": 0, "tol": 0, "max_iter": 6, "random_state": 0}
    # Codes barred from other classes' atoms leave both fits the same: twice the l1 weight.
    apart = COPAR(4, shared_atoms=0, penalty=0.04, suppression=1e8, **few).fit(X, y)
    classes = DLSI(4, penalty=0.02, **few).fit(X, y)
    assert_allclose(apart.dictionary_, classes.dictionary_, atol=1e-3)
    assert_allclose(apart.objective_trace_, 2 * classes.objective_trace_, rtol=1e-3)
