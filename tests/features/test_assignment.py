import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import orthogonal_mp

from crosslabel.features.assignment import (
    ASSIGNMENTS,
    L1_PENALTY,
    Codebook,
    hard,
    lasso,
    llc,
    nearest_words,
    sparse,
)
from tests import naive


def problem(seed, n=40, d=6, words=12):
    random = np.random.default_rng(seed)
    return random.standard_normal((n, d)), random.standard_normal((words, d))


@given(st.integers(0, 10_000), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_nearest_words_are_the_nearest(seed, count):
    descriptors, words = problem(seed, n=300)
    nearest, products = nearest_words(descriptors, Codebook.of(words), count)
    distances = ((descriptors[:, None] - words) ** 2).sum(-1)
    expected = np.argsort(distances, axis=1)[:, :count]
    np.testing.assert_array_equal(nearest, expected)
    np.testing.assert_allclose(
        products, np.einsum("nd,nkd->nk", descriptors, words[nearest]), atol=1e-9
    )


def test_hard_takes_one_word():
    descriptors, words = problem(0)
    chosen, codes = hard(descriptors, Codebook.of(words), 5)
    assert chosen.shape == (40, 1)
    assert (codes == 1).all()


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_llc_minimises_its_objective_among_codes_that_sum_to_one(seed):
    descriptors, words = problem(seed)
    chosen, codes = llc(descriptors, Codebook.of(words), 4)
    np.testing.assert_allclose(codes.sum(axis=1), 1, rtol=1e-9)
    local = words[chosen] - descriptors[:, None]
    gram = local @ local.transpose(0, 2, 1)
    gram += 1e-4 * np.trace(gram, axis1=1, axis2=2)[:, None, None] * np.eye(4)
    gradient = np.einsum("nij,nj->ni", gram, codes)
    # At the constrained minimum the gradient is along the constraint: all entries are equal.
    scale = np.abs(gram).max(axis=(1, 2))
    assert (np.ptp(gradient, axis=1) < 1e-7 * scale * np.abs(codes).max(axis=1)).all()


def test_llc_of_a_word_is_that_word():
    _, words = problem(3)
    chosen, codes = llc(words, Codebook.of(words), 3)
    np.testing.assert_array_equal(chosen[:, 0], np.arange(len(words)))
    np.testing.assert_allclose(codes[:, 0], 1, atol=1e-3)


def test_llc_bears_equal_words():
    words = np.ones((6, 3))
    _, codes = llc(np.ones((2, 3)), Codebook.of(words), 4)
    np.testing.assert_allclose(codes, 0.25)


@pytest.mark.parametrize("count", [1, 3])
def test_sparse_agrees_with_scikit_learns_pursuit(count):
    descriptors, words = problem(5, d=20)
    chosen, codes = sparse(descriptors, Codebook.of(words), count)
    dense = np.zeros((len(descriptors), len(words)))
    np.put_along_axis(dense, chosen, codes, axis=1)
    atoms = words / np.linalg.norm(words, axis=1, keepdims=True)
    expected = orthogonal_mp(atoms.T, descriptors.T, n_nonzero_coefs=count).T
    np.testing.assert_allclose(dense * np.linalg.norm(words, axis=1), expected, atol=1e-6)


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_more_words_than_the_codebook_has_are_all_of_them(name):
    descriptors, words = problem(7, words=3)
    chosen, codes = ASSIGNMENTS[name](descriptors, Codebook.of(words), 9)
    assert chosen.shape == codes.shape
    assert chosen.shape[1] <= 3


@pytest.mark.parametrize("count", [4, 12])
def test_lasso_is_optimal_over_the_words_with_the_largest_products(count):
    descriptors, words = problem(8, n=300)
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    chosen, codes = lasso(descriptors, Codebook.of(words), count)
    products = np.abs(descriptors @ words.T)
    for i in range(0, 300, 37):
        near = np.argsort(-products[i])[:count]
        assert set(chosen[i]) == set(near)
        B = words[chosen[i]]
        expected = naive.lasso(B @ B.T, B @ descriptors[i], L1_PENALTY)
        np.testing.assert_allclose(codes[i], expected, atol=1e-3)
