import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.intake.class_partitions import ClassPartitions
from crosslabel.intake.lift import Lift
from crosslabel.intake.summary import Summary
from tests.core.problems import samples

dask = pytest.importorskip("dask", reason="needs crosslabel[dask]")
da = pytest.importorskip("dask.array", reason="needs crosslabel[dask]")


@pytest.fixture
def data():
    X, y = samples(np.random.default_rng(0), (3, 12, 7, 30, 5), 4)
    shuffle = np.random.default_rng(1).permutation(len(X))
    return X[shuffle], np.array(["c", "a", "d", "b", "e"])[y[shuffle]]


EMPTY = Summary.empty(4, np.dtype(float), Lift(), size=9, seed=3)


def lazily(X, y, weights=None, rows=10):
    weights = None if weights is None else da.from_array(weights, chunks=rows)
    return da.from_array(X, chunks=(rows, 3)), da.from_array(y, chunks=rows), weights


def test_labels_say_which_partitions_have_a_class(data):
    X, y = data
    weights = np.random.default_rng(2).integers(0, 3, len(X)) * 1.5
    weights[y == "e"] = 0
    parts = ClassPartitions.of(*lazily(X, y, weights))
    classes, counts = np.unique(y[weights > 0], return_counts=True)
    assert_array_equal(parts.classes, classes)
    assert_array_equal(parts.counts, counts)
    assert parts.total == weights.sum()
    assert len(parts.present) == 6
    for k, present in enumerate(parts.present):
        rows = slice(10 * k, 10 * k + 10)
        heavy = weights[rows] > 0
        assert_array_equal(parts.classes[present], np.unique(y[rows][heavy]))


def test_a_block_is_the_summary_of_its_classes(data):
    X, y = data
    weights = np.random.default_rng(2).integers(0, 3, len(X)).astype(float)
    parts = ClassPartitions.of(*lazily(X, y, weights))
    block = np.array([1, 0, -1, 1, 0])
    found = dask.compute(*parts.summaries(block, EMPTY))
    for k, summary in enumerate(found):
        rows = np.isin(y, parts.classes[block == k])
        expected = EMPTY.absorb(X[rows], y[rows], weights[rows])
        assert_array_equal(summary.classes, expected.classes)
        assert_array_equal(summary.keys, expected.keys)
        assert_array_equal(summary.sample.X, expected.sample.X)
        assert_array_equal(summary.sample.limits, expected.sample.limits)
        for label in expected.classes:
            ours, whole = summary.statistics.scatter(label), expected.statistics.scatter(label)
            assert_allclose(ours, whole, atol=1e-12)


def test_a_partition_without_a_wanted_class_is_not_read(data):
    X, y = data
    order = np.argsort(y, kind="stable")
    read = []

    def watched(rows, block_info=None):
        if block_info:
            read.append(block_info[0]["chunk-location"][0])
        return rows

    lazy, labels, _ = lazily(X[order], y[order])
    lazy = lazy.rechunk({1: -1}).map_blocks(watched, dtype=float, meta=X[:0])
    parts = ClassPartitions.of(lazy, labels, None)
    assert not read
    wanted = parts.classes == "e"
    dask.compute(*parts.summaries(np.where(wanted, 0, -1), EMPTY))
    assert set(read) == {k for k, here in enumerate(parts.present) if 4 in here} < set(range(6))


def test_labels_that_change_between_two_readings_are_refused(data):
    X, y = data
    parts = ClassPartitions.of(*lazily(X, y))
    parts.present[2][:] = 0
    changed = [parts.present[2][:1], *parts.present[1:]]
    moved = ClassPartitions(parts.parts, parts.classes, parts.counts, parts.total, changed)
    with pytest.raises(ValueError, match=r"Partition 0 has \d classes, but had 1 when"):
        dask.compute(*moved.summaries(np.zeros(5, int), EMPTY))
