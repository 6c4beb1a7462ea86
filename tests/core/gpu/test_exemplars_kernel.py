import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal

from crosslabel.core import rotation
from tests.core.gpu.triton_in_numpy import stand_in


@pytest.fixture
def kernel(monkeypatch):
    with stand_in(monkeypatch, "exemplars_kernel") as [module]:
        yield module


@pytest.mark.parametrize("n_samples", [1, 3, 17])
@pytest.mark.parametrize("n_rows", [1, 3, 20])
def test_the_choice_is_that_of_the_host(kernel, n_samples, n_rows):
    samples = np.random.default_rng(0).standard_normal((4, n_samples, 30))
    samples[1] = samples[1, :1]  # one direction alone
    samples[2] = 0
    grams = samples @ samples.transpose(0, 2, 1)
    floors = 1e-7 * grams.diagonal(0, 1, 2).max(axis=1)
    expected = rotation.greedy(grams.copy(), floors, n_rows)
    found = kernel.greedy(torch.as_tensor(grams), torch.as_tensor(floors), n_rows)
    for mine, theirs in zip(found, expected):
        assert_array_equal(mine.numpy()[[0, 3]], theirs[[0, 3]])
    assert found[1].tolist() == [min(n_samples, n_rows), 1, 0, min(n_samples, n_rows)]
    assert not found[0][1, 0]


def test_each_explains_the_most_of_what_those_before_it_leave(kernel):
    samples = np.random.default_rng(1).standard_normal((8, 12))
    gram = torch.as_tensor(samples @ samples.T)[None]
    chosen, _ = kernel.greedy(gram, torch.zeros(1).double(), 4)
    rest = samples.copy()
    for one in chosen[0].tolist():
        lengths = np.linalg.norm(rest, axis=1)
        open_ = lengths > 1e-9
        directions = rest[open_] / lengths[open_, None]
        gains = ((rest @ directions.T) ** 2).sum(axis=0)
        assert np.flatnonzero(open_)[gains.argmax()] == one
        direction = rest[one] / lengths[one]
        rest = rest - np.outer(rest @ direction, direction)


def test_each_class_has_a_floor_of_its_own(kernel):
    """Classes of any scale, of which the second sample of each is below the floor of its class."""
    samples = np.random.default_rng(2).standard_normal((4, 5, 9))
    samples[:, 1] *= 1e-3
    samples *= np.array([1.0, 1e-6, 1e6, 1e-3])[:, None, None]
    grams = samples @ samples.transpose(0, 2, 1)
    squares = grams.diagonal(0, 1, 2)
    floors = 2 * squares[:, 1]
    chosen, found = kernel.greedy(torch.as_tensor(grams), torch.as_tensor(floors), 5)
    assert found.tolist() == [4] * 4
    assert [sorted(row[:4]) for row in chosen.tolist()] == [[0, 2, 3, 4]] * 4
    expected = rotation.greedy(grams.copy(), floors, 5)[0]
    assert_array_equal(chosen.numpy()[:, :4], expected[:, :4])
