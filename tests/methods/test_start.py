import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.initialise import kmeans_start
from crosslabel.methods import start as module
from crosslabel.methods.start import class_layout, class_parts, one_hot, start_atoms
from tests import naive

X, LABELS = naive.problem()


def test_parts_are_the_rows_of_each_class():
    assert class_parts(LABELS) == [slice(0, 5), slice(5, 8), slice(8, 12)]
    for c, part in enumerate(class_parts(LABELS)):
        assert_array_equal(np.arange(12)[part], np.flatnonzero(c == LABELS))


def test_a_class_has_no_more_atoms_than_samples():
    assert class_layout(LABELS, 4).per_class == (4, 3, 4)
    assert class_layout(LABELS, 4).shared == 0
    assert class_layout(LABELS, 2, 3) == module.AtomLayout(3, (2, 2, 2))


def test_indicators_are_one_at_the_class_of_a_sample():
    for row, label in zip(one_hot(LABELS), LABELS):
        assert row.tolist() == [float(c == label) for c in range(3)]


@pytest.mark.parametrize("seed", [0, 5])
def test_the_start_is_that_of_kmeans_and_follows_the_seed(monkeypatch, seed):
    calls = naive.captured(monkeypatch, module, "kmeans_start")
    layout = class_layout(LABELS, 2, 1)
    found = start_atoms(X, LABELS, layout, seed)
    # A whole number and the generator that it seeds give one start; any 32-bit seed may come up.
    assert_array_equal(found, start_atoms(X, LABELS, layout, np.random.RandomState(seed)))
    drawn = np.random.RandomState(seed).randint(2**31 - 1)
    rng = np.random.default_rng(drawn)
    assert_allclose(found, kmeans_start(X, LABELS, layout, 1e-2, rng))
    assert calls[0][0][3] == 1e-2
