import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import orthogonal_mp_gram

from crosslabel.core import omp as module
from crosslabel.core.omp import omp
from crosslabel.core.scaling import unit_rows
from tests import naive


def problem(n_signals=20, n_atoms=40, n_features=25, seed=0):
    rng = np.random.default_rng(seed)
    D = unit_rows(rng.normal(size=(n_atoms, n_features)))
    return D, rng.normal(size=(n_signals, n_features))


def test_codes_are_those_of_scikit_learn():
    D, Y = problem()
    codes = omp(D @ D.T, Y @ D.T, 6)
    assert_allclose(codes, orthogonal_mp_gram(D @ D.T, D @ Y.T, n_nonzero_coefs=6).T, atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), sparsity=st.integers(1, 12))
def test_the_residual_is_orthogonal_to_the_atoms_taken(seed, sparsity):
    D, Y = problem(seed=seed)
    codes = omp(D @ D.T, Y @ D.T, sparsity)
    correlations = (Y - codes @ D) @ D.T
    assert ((codes != 0).sum(axis=1) <= sparsity).all()
    assert_allclose(correlations[codes != 0], 0, atol=1e-9)


def test_codes_are_those_of_least_squares_over_the_atoms_taken():
    D, Y = problem(n_signals=6, n_atoms=15, n_features=8)
    D *= np.linspace(0.5, 2, 15)[:, None]  # of any norm
    for sparsity in (1, 3, 6):
        expected = naive.pursuits(D, Y, sparsity)
        assert_allclose(omp(D @ D.T, Y @ D.T, sparsity), expected, atol=1e-10)


@pytest.mark.parametrize(("numbers", "sizes"), [(3 * 5 * 40, [3] * 6 + [2]), (1, [1] * 20)])
def test_signals_are_coded_in_chunks_of_bounded_memory(monkeypatch, numbers, sizes):
    D, Y = problem()
    whole = omp(D @ D.T, Y @ D.T, 5)
    monkeypatch.setattr(module, "CHUNK_NUMBERS", numbers)
    calls = naive.captured(monkeypatch, module, "_pursue")
    assert_allclose(omp(D @ D.T, Y @ D.T, 5), whole, atol=1e-12)
    assert [len(correlations) for (_, correlations, _), _, _ in calls] == sizes


EPS = np.finfo(float).eps
any_scale = pytest.mark.parametrize("scale", [1.0, 1e6, 1e-6])


@any_scale
@pytest.mark.parametrize("sign", [1, -1])
def test_a_correlation_that_is_rounding_beside_the_largest_takes_no_atom(scale, sign):
    b = scale * np.array([[sign, 30 * EPS], [sign, 300 * EPS], [sign, 0.5]])
    expected = b.copy()
    expected[0, 1] = 0
    assert_allclose(omp(np.eye(2), b, 2), expected, rtol=1e-12)


@any_scale
def test_an_atom_that_is_rounding_beside_those_taken_is_not_taken(scale):
    def codes(rest):  # of two atoms of which the second has this share outside the first
        G = scale * np.array([[1.0, np.sqrt(1 - rest)], [np.sqrt(1 - rest), 1.0]])
        return omp(G, scale * np.array([[1.0, 0.5]]), 2)[0]

    assert_allclose(codes(30 * EPS), [1, 0])
    assert codes(400 * EPS)[1] != 0
    assert_allclose(codes(0.0), [1, 0])  # a copy, whatever its correlation


def test_a_signal_that_has_stopped_stays_as_it_is_while_others_go_on():
    G = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])  # two copies
    b = np.array([[1.0, 0.5, 0.0], [1.0, 0.9, 0.4], [0.0, 0.0, 0.0]])
    assert_allclose(omp(G, b, 3), [[1, 0, 0], [1, 0, 0.4], [0, 0, 0]])


def test_a_signal_that_is_an_atom_takes_this_atom_alone():
    D, _ = problem()
    assert_allclose(omp(D @ D.T, D @ D.T, 5), np.eye(len(D)), atol=1e-9)


@pytest.mark.parametrize("sparsity", [1, 10, 100])
def test_zero_signals_copies_of_atoms_and_too_many_atoms_do_no_harm(sparsity):
    D, Y = problem(n_atoms=10, n_features=5)
    D[1] = D[0]
    Y[0] = 0
    codes = omp(D @ D.T, Y @ D.T, sparsity)
    assert np.isfinite(codes).all()
    assert not codes[0].any()
    if sparsity >= 10:
        assert_allclose(codes @ D, Y, atol=1e-8)  # five atoms reach every signal
