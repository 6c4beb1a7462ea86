import numpy as np
import pytest

from crosslabel.flagship.audit import Audit
from crosslabel.studio.doubts import doubts, entropy, teaching_order
from crosslabel.studio.study import Exercises, Study


def test_surest_mistakes_first_without_those_that_are_confirmed():
    pictures = Exercises(list("wxyz"), np.zeros((4, 2)), np.array([0, 0, 1, 1]), ["a", "b"])
    p = np.array([[0.4, 0.6], [0.1, 0.9], [0.2, 0.8], [0.7, 0.3]])
    own = np.array([0.4, 0.1, 0.8, 0.3])
    found = Audit(own, np.array([1, 1, 0, 0]), 1 - own, [], [])
    study = Study(0, pictures, np.arange(4), p, 1.0, found)
    found = doubts(study, ())
    assert [(one.key, one.own, one.other) for one in found] == [
        *(("x", "a", "b"), ("z", "b", "a"), ("w", "a", "b"))
    ]
    assert found[0].own_probability == pytest.approx(0.1)
    assert [one.key for one in doubts(study, {"x"})] == ["z", "w"]


def test_what_is_least_known_teaches_most():
    p = np.array([[1.0, 0.0], [0.5, 0.5], [0.8, 0.2]])
    assert teaching_order(p).tolist() == [1, 2, 0]
    assert entropy(p) == pytest.approx([0, np.log(2), -0.8 * np.log(0.8) - 0.2 * np.log(0.2)])
