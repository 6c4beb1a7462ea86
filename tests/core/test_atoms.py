import numpy as np
from numpy.testing import assert_array_equal

from crosslabel.core.atoms import SHARED, AtomLayout


def test_parts_tile_the_dictionary_and_skip_empty_ones():
    layout = AtomLayout(0, (2, 3))
    assert list(layout.parts()) == [slice(0, 2), slice(2, 5)]
    assert list(AtomLayout(1, (2,)).parts()) == [slice(0, 1), slice(1, 3)]


def test_free_atoms_are_the_shared_and_the_own():
    layout = AtomLayout(2, (1, 3))
    assert_array_equal(layout.free(1), [0, 1, 3, 4, 5])
    assert_array_equal(layout.labels, [SHARED, SHARED, 0, 1, 1, 1])


def test_reordering_moves_whole_parts_and_its_inverse_brings_them_back():
    layout = AtomLayout(1, (2, 1, 3))
    order = np.array([2, 0, 1])
    other, atoms = layout.reordered(order)
    assert other.per_class == (3, 2, 1)
    assert_array_equal(layout.labels[atoms], [-1, 2, 2, 2, 0, 0, 1])
    _, back = other.reordered(np.argsort(order))
    assert_array_equal(atoms[back], np.arange(layout.n_atoms))
