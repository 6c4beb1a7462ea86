import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.fisher import FisherModel, low_rank_atoms
from crosslabel.core.scaling import unit_rows
from crosslabel.core.unit_ball import update_atoms


def problem(shared):
    rng = np.random.default_rng(0)
    parts = [slice(0, 7), slice(7, 12), slice(12, 20)]
    layout = AtomLayout(shared, (3, 2, 4))
    D = unit_rows(rng.normal(size=(layout.n_atoms, 10)))
    Y = unit_rows(rng.normal(size=(20, 10)))
    return FisherModel(layout, parts, 0.02, 0.1, 0.05 if shared else 0.0), Y, D


def literal(model, Y, D, X):
    """The objective as it is printed, scatter matrices and all."""
    k = model.layout.shared
    codes, common = X[:, k:], X[:, :k]
    labels = np.repeat([0, 1, 2], [7, 5, 8])
    value = model.penalty * np.abs(X).sum() + model.fisher * (codes**2).sum()
    mean = codes.mean(axis=0)
    for c in range(3):
        y, x = Y[labels == c], X[labels == c]
        class_mean = codes[labels == c].mean(axis=0)
        value += ((y - x @ D) ** 2).sum()
        own = model.layout.own(c)
        value += ((y - x[:, own] @ D[own] - x[:, :k] @ D[:k]) ** 2).sum()
        for j in {0, 1, 2} - {c}:
            other = model.layout.own(j)
            value += ((x[:, other] @ D[other]) ** 2).sum()
        value += model.fisher * ((codes[labels == c] - class_mean) ** 2).sum()
        value -= model.fisher * len(y) * ((class_mean - mean) ** 2).sum()
    if k:
        value += model.fisher * ((common - common.mean(axis=0)) ** 2).sum()
        value += model.nuclear * np.linalg.svd(D[:k])[1].sum()
    return value


@pytest.mark.parametrize("shared", [0, 3])
def test_the_objective_is_the_printed_one(shared):
    model, Y, D = problem(shared)
    X = np.random.default_rng(1).normal(size=(20, len(D)))
    assert_allclose(model.objective(Y, D, X), literal(model, Y, D, X))


@pytest.mark.parametrize("shared", [0, 3])
def test_no_update_raises_the_objective(shared):
    model, Y, D = problem(shared)
    X = np.zeros((20, len(D)))
    value = model.objective(Y, D, X)
    for _ in range(10):
        X = model.update_codes(Y, D, X)
        after_codes = model.objective(Y, D, X)
        assert after_codes <= value + 1e-10
        D = model.update_dictionary(Y, D, X)
        value = model.objective(Y, D, X)
        assert value <= after_codes + 1e-10
    assert (np.linalg.norm(D, axis=1) <= 1 + 1e-9).all()


@pytest.mark.parametrize("shared", [0, 3])
def test_repeated_code_updates_reach_a_minimum(shared):
    model, Y, D = problem(shared)
    X = np.zeros((20, len(D)))
    for _ in range(60):
        X = model.update_codes(Y, D, X)
    value, rng = model.objective(Y, D, X), np.random.default_rng(2)
    for _ in range(50):
        nearby = X + 1e-3 * rng.normal(size=X.shape) * (X != 0)
        assert model.objective(Y, D, nearby) >= value - 1e-6


def test_low_rank_atoms_without_a_nuclear_norm_are_the_unit_ball_update():
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(30, 4)), rng.normal(size=(30, 6))
    D = unit_rows(rng.normal(size=(4, 6)))
    A, B = X.T @ X, X.T @ Y
    assert_allclose(low_rank_atoms(D, A, B, 0.0), update_atoms(D, A, B, sweeps=3))


def test_a_large_nuclear_norm_makes_shared_atoms_of_low_rank():
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(30, 4)), rng.normal(size=(30, 6))
    D = unit_rows(rng.normal(size=(4, 6)))
    atoms = low_rank_atoms(D, X.T @ X, X.T @ Y, 40.0, n_iter=300)
    assert np.linalg.matrix_rank(atoms, tol=1e-6) < 4
