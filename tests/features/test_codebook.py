import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.features import DenseSIFT
from crosslabel.features.codebook import DescriptorSampler, learn_codebook

RNG = np.random.default_rng(0)


def test_words_are_the_means_of_what_lies_nearest_to_them():
    centres = 10 * np.eye(4, 6)
    drawn = (centres[np.arange(400) % 4] + RNG.normal(0, 0.1, (400, 6))).astype(np.float32)
    words = learn_codebook(drawn, 4, np.random.RandomState(3))
    assert (words.shape, words.dtype) == ((4, 6), np.float32)
    nearest = ((drawn[:, None] - words[None]) ** 2).sum(axis=2).argmin(axis=1)
    for word in np.unique(nearest):
        assert_allclose(words[word], drawn[nearest == word].mean(axis=0), atol=1e-3)


def test_words_need_as_many_descriptors():
    with pytest.raises(ValueError, match=r"5 words needs as many descriptors, but .* have 4"):
        learn_codebook(np.ones((4, 6)), 5, np.random.RandomState(0))


def test_a_sample_is_some_of_the_descriptors_drawn_with_the_seed():
    image, sift = RNG.random((60, 80)), DenseSIFT(8, (16,))
    every = sift.describe(image).values
    drawn = DescriptorSampler(sift, 5)((image, 7))
    assert drawn.shape == (5, 128)
    assert all((row == every).all(axis=1).any() for row in drawn)
    assert_array_equal(drawn, DescriptorSampler(sift, 5)((image, 7)))
    assert (drawn != DescriptorSampler(sift, 5)((image, 8))).any()
    small = DescriptorSampler(sift, 10**6, longest_side=40)((image, 7))
    assert len(small) < len(every)
