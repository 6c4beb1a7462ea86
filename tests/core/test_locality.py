import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from crosslabel.core import locality as module
from crosslabel.core.locality import locality_codes


def test_codes_solve_the_constrained_problem_over_the_nearest_atoms():
    rng = np.random.default_rng(0)
    codebook, X = rng.normal(size=(12, 3)), rng.normal(size=(5, 3))
    for x, code in zip(X, locality_codes(X, codebook, 4, 1e-2)):
        nearest = np.argsort(((codebook - x) ** 2).sum(axis=1))[:4]
        assert_array_equal(np.flatnonzero(code), np.sort(nearest))
        B = codebook[nearest]
        trace = ((B - x) ** 2).sum()

        def cost(c, x=x, B=B, trace=trace):
            return ((x - c @ B) ** 2).sum() + 1e-2 * trace * (c**2).sum()

        sum_is_one = {"type": "eq", "fun": lambda c: c.sum() - 1}
        best = minimize(cost, np.full(4, 0.25), constraints=sum_is_one, tol=1e-12)
        assert_allclose(code[nearest], best.x, atol=1e-5)


def test_codes_sum_to_one_also_for_samples_that_are_atoms():
    codebook = np.random.default_rng(1).normal(size=(6, 4))
    codes = locality_codes(codebook, codebook, 1, 1e-4)
    assert_allclose(codes, np.eye(6))
    assert_allclose(locality_codes(codebook, codebook, 6, 1e-4).sum(axis=1), 1)


def by_hand(x, codebook, k, ridge):
    """c ∝ (C + λ tr(C) I)⁻¹1 over the nearest atoms, in plain steps."""
    nearest = np.argsort(((codebook - x) ** 2).sum(axis=1))[:k]
    z = codebook[nearest] - x
    C = z @ z.T
    c = np.linalg.inv(C + ridge * np.trace(C) * np.eye(k)) @ np.ones(k)
    code = np.zeros(len(codebook))
    code[nearest] = c / c.sum()
    return code


@pytest.mark.parametrize("k", [1, 2, 5])
def test_codes_are_those_of_the_formula_among_many_atoms_in_chunks(monkeypatch, k):
    monkeypatch.setattr(module, "CHUNK", 3)
    rng = np.random.default_rng(2)
    codebook, X = rng.normal(size=(3000, 4)), rng.normal(size=(11, 4))
    expected = [by_hand(x, codebook, k, 0.05) for x in X]
    assert_allclose(locality_codes(X, codebook, k, 0.05), expected, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_scale_of_the_data_does_not_matter(scale, sign):
    codebook = sign * np.random.default_rng(3).uniform(1, 2, size=(2, 3))
    expected = locality_codes(np.zeros((1, 3)), codebook, 2, 0.05)
    assert_allclose(locality_codes(np.zeros((1, 3)), scale * codebook, 2, 0.05), expected)


def test_samples_beside_equal_neighbours():
    alike = np.ones((3, 2))
    assert_allclose(locality_codes(alike[:1], alike, 3, 0.1), [[1 / 3] * 3])
    # One neighbour is the sample, the other one unit away: the trace is one.
    codes = locality_codes(np.zeros((1, 2)), np.array([[0.0, 0.0], [1.0, 0.0]]), 2, 0.1)
    assert_allclose(codes, [np.array([1 / 0.1, 1 / 1.1]) / (1 / 0.1 + 1 / 1.1)])
