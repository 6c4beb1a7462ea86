import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from crosslabel.core.water_filling import energies, unexplained

values = st.lists(
    st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.floats(1e-3, 10)), min_size=1, max_size=8
).map(lambda v: np.sort(v)[::-1])
ridges = st.one_of(st.just(0.0), st.floats(-4, 2).map(lambda e: 10.0**e))


def filled(slopes, prices, k, beta):
    """Find the level 1/ν at which the energies of the k steepest axes cost k."""
    places = np.argsort(-slopes, kind="stable")[:k]

    def spent(level):
        return np.sum(prices[places] * np.maximum(0, slopes[places] * level - beta))

    high = (k + beta * prices.sum()) / (slopes * prices)[places].max() + 1
    level = brentq(lambda level: spent(level) - k, 0, high, xtol=1e-300, rtol=1e-15)
    q = np.zeros(len(slopes))
    q[places] = np.maximum(0, slopes[places] * level - beta)
    return q


@given(values, st.integers(1, 10), ridges)
def test_energies_are_filled_to_one_level(s, k, beta):
    q = energies(s, k, beta)
    assert_allclose(q.sum(), k, rtol=1e-9)
    assert (q >= 0).all()
    assert np.count_nonzero(q) <= k
    if s[0] > 0:
        assert_allclose(q, filled(s, np.ones(len(s)), k, beta), atol=1e-8 * k)
    else:
        assert_allclose(q[: min(k, len(s))], k / min(k, len(s)))


@given(values, st.integers(1, 10), ridges, st.integers(0, 10**6))
def test_prices_are_paid(s, k, beta, seed):
    w = np.random.default_rng(seed).uniform(1, 20, len(s))
    q = energies(s, k, beta, w)
    assert_allclose(w @ q, k, rtol=1e-9)
    if s[0] > 0:
        assert_allclose(q, filled(s / np.sqrt(w), w, k, beta), atol=1e-8 * k)


@given(values, st.integers(1, 8), st.floats(1e-3, 10), st.integers(0, 10**6))
def test_nothing_else_that_can_be_afforded_leaves_less(s, k, beta, seed):
    rng = np.random.default_rng(seed)
    w = rng.uniform(1, 5, len(s))
    for prices in (None, w if k >= len(s) else None):  # with prices the places are a heuristic
        best = unexplained(s, energies(s, k, beta, prices), beta)
        for _ in range(20):
            other = rng.exponential(size=len(s)) ** 2
            other[rng.permutation(len(s))[k:]] = 0
            other *= k / (other @ (np.ones(len(s)) if prices is None else prices))
            assert best <= np.sum(beta * s**2 / (other + beta)) * (1 + 1e-12)


def test_a_whole_grid_at_once():
    s = np.sort(np.random.default_rng(0).exponential(size=(4, 6)))[:, ::-1]
    ridge, n_atoms = np.array([0.0, 0.1, 3.0])[:, None, None], np.array([1, 3, 9])[:, None]
    q = energies(s, n_atoms, ridge)
    assert q.shape == (3, 3, 4, 6)
    left = unexplained(s, q, ridge)
    for i, beta in enumerate([0.0, 0.1, 3.0]):
        for j, k in enumerate([1, 3, 9]):
            for c in range(4):
                assert_allclose(q[i, j, c], energies(s[c], k, beta))
                assert_allclose(left[i, j, c], unexplained(s[c], q[i, j, c], beta))


def test_a_large_ridge_costs_no_digits():
    s = np.array([2.0, 2.0, 2.0, 1.0])
    assert_allclose(energies(s, 3, 1e12), [1, 1, 1, 0], rtol=1e-12)


def test_without_ridge_only_what_has_no_energy_is_left():
    s, q = np.array([3.0, 2.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 0.0])
    assert unexplained(s, q, 0.0) == 1.0


@pytest.mark.parametrize("beta", [0.1, 2.0])
def test_what_is_left_is_the_formula(beta):
    s, q = np.array([3.0, 2.0, 1.0]), np.array([1.5, 0.5, 0.0])
    assert_allclose(unexplained(s, q, beta), sum(beta * a**2 / (b + beta) for a, b in zip(s, q)))
