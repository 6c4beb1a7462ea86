import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from crosslabel.displays.canvas import axes_or_new, names_of, seen


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'crosslabel\[plot\]'"):
        axes_or_new(None)


def test_axes_that_are_given_are_taken_as_they_are():
    given = object()
    assert axes_or_new(given) is given


def test_classes_are_called_by_their_labels_or_by_names_one_for_each():
    assert names_of(np.array([3, 5]), None) == ["3", "5"]
    assert names_of(np.array([3, 5]), ["cat", "dog"]) == ["cat", "dog"]
    with pytest.raises(ValueError, match="2 classes, but 1 names"):
        names_of([3, 5], ["cat"])


def test_atoms_are_turned_to_the_side_with_more_light():
    atoms = np.array([[1.0, -3.0], [2.0, -1.0], [0.0, 0.0]])
    assert_array_equal(seen(atoms), [[-1, 3], [2, -1], [0, 0]])
