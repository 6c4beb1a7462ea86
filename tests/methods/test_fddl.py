import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import FDDL
from crosslabel.core.fisher import FisherModel
from crosslabel.core.lasso import lasso
from crosslabel.methods import fddl as module
from tests import naive
from tests.methods.faces import faces, never_rises

LAMBDA, FISHER, W = 0.1, 0.3, 0.4
X, LABELS = naive.problem()
ATOMS = np.repeat([0, 1, 2], 2)


def literal(D, A):
    """The objective as it is printed, scatter matrices and all."""
    value = LAMBDA * np.abs(A).sum() + FISHER * (A**2).sum()
    for c in range(3):
        y, a = X[c == LABELS], A[c == LABELS]
        mean = a.mean(axis=0)
        value += ((y - a @ D) ** 2).sum()
        value += ((y - a[:, c == ATOMS] @ D[c == ATOMS]) ** 2).sum()
        for j in {0, 1, 2} - {c}:
            value += ((a[:, j == ATOMS] @ D[j == ATOMS]) ** 2).sum()
        value += FISHER * ((a - mean) ** 2).sum()
        value -= FISHER * len(y) * ((mean - A.mean(axis=0)) ** 2).sum()
    return value


def learnt(monkeypatch, **settings):
    calls = naive.captured(monkeypatch, module, "alternate")
    model = FDDL(
        2, penalty=LAMBDA, fisher=FISHER, weight=W, random_state=0,
        **{"tol": 0.0, "max_iter": 3} | settings,
    )  # fmt: skip
    naive.learn(model, X, LABELS)
    ((sweep, D, codes, *_), _, result) = calls[0]
    return model, sweep, D, codes, result


def test_the_trace_is_the_printed_objective_at_the_atoms_and_codes_reached(monkeypatch):
    model, _, _, _, (D, A, trace) = learnt(monkeypatch)
    assert_allclose(trace[-1], literal(D, A))
    assert_allclose(model.objective_trace_, trace)
    assert_allclose(model.dictionary_, D)
    assert model.n_iter_ == len(trace) == 3
    assert_allclose(model.means_, [A[c == LABELS].mean(axis=0) for c in range(3)])
    assert_array_equal(model.atom_labels_, ATOMS)


def test_a_round_is_one_of_codes_and_one_of_atoms(monkeypatch):
    model, sweep, D, codes, _ = learnt(monkeypatch)
    parts = [slice(0, 5), slice(5, 8), slice(8, 12)]
    core = FisherModel(model._layout, parts, LAMBDA, FISHER)
    A = core.update_codes(X, D, codes)
    fresh, found, value = sweep(D, codes)
    assert_allclose(found, A)
    assert_allclose(fresh, core.update_dictionary(X, D, A))
    assert_allclose(value, literal(fresh, A))


def test_global_decisions_are_those_of_the_paper(monkeypatch):
    model, *_ = learnt(monkeypatch)
    D, costs = model.dictionary_, np.empty((6, 3))
    for i, y in enumerate(naive.queries()):
        x = naive.lasso(D @ D.T, D @ y, LAMBDA)
        for c in range(3):
            costs[i, c] = ((y - x[c == ATOMS] @ D[c == ATOMS]) ** 2).sum()
            costs[i, c] += W * ((x - model.means_[c]) ** 2).sum()
    found = model._scores(naive.queries())
    # What all classes share, w‖x‖², is left out of the scores.
    assert_allclose(found - found[:, :1], costs[:, :1] - costs, atol=1e-6)
    assert_allclose(found[-1], -W * (model.means_**2).sum(axis=1))


def test_local_decisions_are_those_of_the_paper(monkeypatch):
    model, *_ = learnt(monkeypatch, coding="local")
    costs = np.empty((6, 3))
    for i, y in enumerate(naive.queries()):
        for c in range(3):
            D, mean = model.dictionary_[c == ATOMS], model.means_[c, c == ATOMS]
            # The ridge towards the mean is a fit of further rows.
            rows = np.concatenate([D.T, np.sqrt(FISHER) * np.eye(2)])
            target = np.concatenate([y, np.sqrt(FISHER) * mean])
            x = naive.lasso(rows.T @ rows, rows.T @ target, LAMBDA)
            costs[i, c] = ((y - x @ D) ** 2).sum() + LAMBDA * np.abs(x).sum()
            costs[i, c] += FISHER * ((x - mean) ** 2).sum()
    assert_allclose(model._scores(naive.queries()), -costs, atol=1e-6)


def test_objective_falls():
    X, y = faces()
    assert never_rises(FDDL(4, tol=0, max_iter=6, random_state=0).fit(X, y).objective_trace_)


def test_the_fisher_criterion_draws_the_codes_of_a_class_together():
    X, y = faces(n_per_class=12)

    def spread(fisher):
        model = FDDL(4, fisher=fisher, max_iter=6, random_state=0).fit(X, y)
        D = model.dictionary_
        codes = lasso(D @ D.T, X @ D.T, model.penalty)
        means = np.stack([codes[y == c].mean(axis=0) for c in range(3)])
        return ((codes - means[y]) ** 2).sum() / (codes**2).sum()

    assert spread(0.5) < spread(0.0)
