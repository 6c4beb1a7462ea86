import numpy as np

from crosslabel.core.wilson import wilson_interval
from crosslabel.flagship.audit import Audit
from crosslabel.studio.study import Exercises, Study
from crosslabel.studio.telling import doubted, told

PICTURES = Exercises(list("xyz"), np.zeros((3, 2)), np.array([0, 0, 1]), ["c1", "c2"])
AUDIT = Audit(np.array([0.9, 0.3, 0.8]), np.array([1, 1, 0]), np.array([0.1, 0.7, 0.2]), [], [])
P = np.array([[0.9, 0.1], [0.3, 0.7], [0.2, 0.8]])
STUDY = Study(4, PICTURES, np.arange(3), P, 0.5, AUDIT, [(1, 0.5, 0.1)])


def test_a_study_in_words_that_people_gave():
    found = told(STUDY, {"c1": "cats", "c2": "dogs"})
    assert (found["right"], found["total"], found["version"]) == (2, 3, 4)
    assert tuple(found["interval"]) == wilson_interval(2, 3)
    assert found["names"] == ["cats", "dogs"]
    assert found["confusion"] == [[1, 1], [0, 1]]
    assert found["curve"] == [{"size": 1, "accuracy": 0.5, "error": 0.1}]
    assert told(None, {}) == {"ready": False}


def test_doubts_of_classes_that_are_still_there():
    (one,) = doubted(STUDY, {"c1": "cats", "c2": "dogs"}, ())
    assert (one["key"], one["class"], one["other"]) == ("y", "cats", "dogs")
    assert doubted(STUDY, {"c1": "cats"}, ()) == []
    assert doubted(STUDY, {"c1": "cats", "c2": "dogs"}, {"y"}) == []
    assert doubted(None, {}, ()) == []
