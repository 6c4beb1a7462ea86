import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import orthogonal_mp_gram

from crosslabel.core import omp as module
from crosslabel.core.omp import omp
from crosslabel.core.scaling import unit_rows


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


def test_chunks_do_not_change_the_codes(monkeypatch):
    D, Y = problem()
    whole = omp(D @ D.T, Y @ D.T, 5)
    monkeypatch.setattr(module, "CHUNK_NUMBERS", 3 * 5 * len(D))
    assert_allclose(omp(D @ D.T, Y @ D.T, 5), whole, atol=1e-12)


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
