import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.features import DenseSIFT, codebooks
from crosslabel.features.assignment import L1_PENALTY
from crosslabel.features.codebooks import (
    CODEBOOKS,
    DescriptorSampler,
    code_matrix,
    kmeans_codebook,
    sparse_codebook,
)


def descriptors(n=400, seed=0):
    """Mixtures of two of eight directions."""
    rng = np.random.default_rng(seed)
    directions = np.abs(rng.normal(size=(8, 12)))
    weights = np.zeros((n, 8))
    for row in weights:
        row[rng.permutation(8)[:2]] = rng.random(2)
    X = weights @ directions + 0.01 * rng.normal(size=(n, 12))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def cost(X, V):
    C = code_matrix(X, V).toarray()
    return ((X - C @ V) ** 2).sum() + L1_PENALTY * np.abs(C).sum()


def test_k_means_words_are_means_of_their_descriptors():
    X = descriptors()
    V = kmeans_codebook(X, 4, np.random.RandomState(0))
    nearest = ((X[:, None] - V) ** 2).sum(axis=2).argmin(axis=1)
    means = np.array([X[nearest == k].mean(axis=0) for k in range(4)])
    assert ((X - means[nearest]) ** 2).sum() <= ((X - V[nearest]) ** 2).sum() + 1e-6
    assert np.abs(V - means).max() < 0.05  # twenty rounds are near the minimum


def test_sparse_words_lower_the_cost_of_codes_and_stay_in_the_unit_ball(monkeypatch):
    X = descriptors()
    start = kmeans_codebook(X, 6, np.random.RandomState(0)).astype(float)
    start /= np.linalg.norm(start, axis=1, keepdims=True)
    V = sparse_codebook(X, 6, np.random.RandomState(0))
    assert cost(X, V.astype(float)) < cost(X, start)
    assert np.linalg.norm(V, axis=1).max() <= 1 + 1e-6
    monkeypatch.setattr(codebooks, "ROUNDS", 0)
    np.testing.assert_allclose(sparse_codebook(X, 6, np.random.RandomState(0)), start, atol=1e-6)


@pytest.mark.parametrize("name", CODEBOOKS)
def test_more_words_than_descriptors_are_refused(name):
    with pytest.raises(ValueError, match="9 words needs as many descriptors"):
        CODEBOOKS[name](descriptors(5), 9, np.random.RandomState(0))


def test_words_are_the_means_of_what_lies_nearest_to_them():
    centres = 10 * np.eye(4, 6)
    drawn = (
        centres[np.arange(400) % 4] + np.random.default_rng(0).normal(0, 0.1, (400, 6))
    ).astype(np.float32)
    words = kmeans_codebook(drawn, 4, np.random.RandomState(3))
    assert (words.shape, words.dtype) == ((4, 6), np.float32)
    nearest = ((drawn[:, None] - words[None]) ** 2).sum(axis=2).argmin(axis=1)
    for word in np.unique(nearest):
        assert_allclose(words[word], drawn[nearest == word].mean(axis=0), atol=1e-3)


def test_a_sample_is_some_of_the_descriptors_drawn_with_the_seed():
    image, sift = np.random.default_rng(0).random((60, 80)), DenseSIFT(8, (16,))
    every = sift.describe(image).values
    drawn = DescriptorSampler(sift, 5)((image, 7))
    assert drawn.shape == (5, 128)
    assert all((row == every).all(axis=1).any() for row in drawn)
    assert_array_equal(drawn, DescriptorSampler(sift, 5)((image, 7)))
    assert (drawn != DescriptorSampler(sift, 5)((image, 8))).any()
    small = DescriptorSampler(sift, 10**6, longest_side=40)((image, 7))
    assert len(small) < len(every)
