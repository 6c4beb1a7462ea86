"""One pass over a source: blocks, and a checkpoint that belongs to its data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.intake import passes, sources
from crosslabel.intake.lift import Lift
from crosslabel.intake.summary import Summary

LIMIT = passes.BLOCK_COPIES * 9 * 8 * 10  # gives blocks of ten rows


class Chunked:
    """An array that says how its rows are stored together."""

    def __init__(self, array, chunk):
        self.array, self.chunks = array, (chunk, array.shape[1])
        self.shape, self.dtype = array.shape, array.dtype

    def __getitem__(self, rows):
        return self.array[rows]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(64, 9)), rng.integers(0, 3, 64)


def empty():
    return Summary.empty(9, np.dtype(float), Lift(), size=100, seed=0)


def source_of(X, chunk=1):
    return sources.Source((Chunked(X, chunk),), ("the array",))


@pytest.mark.parametrize(
    ("chunk", "limit", "rows"), [(1, LIMIT, 10), (4, LIMIT, 8), (16, LIMIT, 10), (1, 1, 1)]
)
def test_blocks_fit_the_limit_and_hold_whole_chunks(data, chunk, limit, rows):
    assert passes.block_rows(source_of(data[0], chunk), limit) == rows


@pytest.mark.parametrize("weighted", [False, True])
def test_a_pass_gives_the_summary_of_all_samples_at_once(data, weighted):
    X, y = data
    weights = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else None
    found = passes.run(source_of(X), y, weights, empty(), memory_limit=LIMIT)
    whole = empty().absorb(X, y, weights)
    assert_array_equal(found.keys, whole.keys)
    assert_array_equal(found.sample.hashes, whole.sample.hashes)
    assert_allclose(found.statistics.means, whole.statistics.means)
    named = passes.named(found, np.array(["a", "b", "c"]))
    assert named.classes.tolist() == ["a", "b", "c"]


def test_a_checkpoint_resumes_and_is_refused_for_other_data(data, tmp_path):
    X, y = data
    mark = passes.Checkpoint(tmp_path / "pass.npz", "this one", Lift())
    assert mark.load() is None
    mark.save(empty().absorb(X[:40], y[:40]), 40)
    half, row = mark.load()
    assert row == 40
    assert half.statistics.counts.sum() == 40
    found = passes.run(source_of(X), y, None, empty(), memory_limit=LIMIT, checkpoint=mark)
    assert_allclose(found.statistics.means, empty().absorb(X, y).statistics.means)
    other = passes.Checkpoint(tmp_path / "pass.npz", "another", Lift())
    with pytest.raises(ValueError, match="another data set or to other settings"):
        other.load()
    mark.remove()
    mark.remove()
    assert mark.load() is None
