import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

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
