"""Labels of batches that know nothing of each other."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from crosslabel.intake.labels import places, to_array, union


def test_the_union_is_sorted_and_holds_each_label_once():
    assert_array_equal(union(np.array([1, 5]), np.array([0, 5, 9])), [0, 1, 5, 9])
    assert union(np.array(["b"]), np.array(["aa", "b"])).tolist() == ["aa", "b"]
    same = np.array([1, 2])
    assert union(same, np.array([1, 2])) is same


def test_an_empty_set_has_no_type():
    names = np.array(["a"])
    assert union(np.zeros(0), names) is names
    assert union(names, np.zeros(0)) is names


@pytest.mark.parametrize(("a", "b"), [([1], ["x"]), (["x"], [2.5])])
def test_numbers_and_text_do_not_mix(a, b):
    with pytest.raises(ValueError, match="Use one type of label throughout"):
        union(np.array(a), np.array(b))


def test_places_are_indices_in_the_classes():
    assert_array_equal(places(np.array(["c", "a"]), np.array(["a", "b", "c"])), [2, 0])
    assert len(places(np.zeros(0), np.array([1, 2]))) == 0


def test_labels_for_a_file_are_numbers_or_text():
    assert to_array(np.array([1, 2])).dtype.kind == "i"
    assert to_array(np.array(["a", "bb"], object)).dtype.kind == "U"
    labels = np.empty(1, object)
    labels[0] = (1, 2)
    with pytest.raises(ValueError, match=r"numbers or text; got \(1, 2\)"):
        to_array(labels)
