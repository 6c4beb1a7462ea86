import numpy as np
from numpy.testing import assert_array_equal

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules.blocks import in_blocks, padded


def test_zeros_follow_the_atoms_of_small_classes():
    rows = np.arange(1.0, 13).reshape(6, 2)
    wide, size = padded(rows, AtomLayout(1, (1, 3, 1)))
    zero = [0.0, 0.0]
    expected = [[1, 2], [3, 4], zero, zero, [5, 6], [7, 8], [9, 10], [11, 12], zero, zero]
    assert size == 3
    assert_array_equal(wide, expected)


def test_classes_of_one_size_are_taken_as_they_are():
    rows = np.ones((5, 2))
    wide, size = padded(rows, AtomLayout(1, (2, 2)))
    assert wide is rows
    assert size == 2


def test_every_query_is_scored_once_and_in_order():
    seen = []

    def score(rows):
        seen.append(len(rows))
        return 2 * rows[:, :1] + [0.0, 1.0]

    Y = np.arange(150.0)[:, None]
    assert_array_equal(in_blocks(score, Y, 2**19, 2), 2 * Y + [0.0, 1.0])
    assert seen == [64, 64, 22]
    seen.clear()
    in_blocks(score, Y, 2**10, 2)
    assert seen == [150]
