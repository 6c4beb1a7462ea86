import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.studio.asking import answer
from crosslabel.studio.lesson import strangeness
from crosslabel.studio.sight import Sight
from crosslabel.studio.teacher import Teacher


def test_classes_by_probability_and_the_pictures_behind_the_best(studio):
    key = studio.stock.find("corner", "2.png").key
    row = studio.teacher.row(key)
    said = answer(row, studio.teacher, studio.stock.names, None)
    fitted = studio.teacher.lesson.fitted
    p = dict(zip(map(studio.stock.names.get, fitted.classes), fitted.probabilities(row[None])[0]))
    assert [one["name"] for one in said["classes"]] == sorted(p, key=lambda name: -p[name])
    assert_allclose([one["probability"] for one in said["classes"]], sorted(p.values())[::-1])
    assert said["classes"][0]["name"] == "corner"
    assert said["behind"][0]["key"] == key  # itself
    assert said["stranger"] is None
    strange = strangeness(fitted, row[None])[0]
    assert answer(row, studio.teacher, studio.stock.names, strange / 2)["stranger"] is True
    assert answer(row, studio.teacher, studio.stock.names, strange * 2)["stranger"] is False
    assert said["strangeness"] == pytest.approx(strange)


def test_there_is_no_answer_without_two_classes(tmp_path):
    teacher = Teacher(Sight("pixels", tmp_path / "f.npz"))
    assert answer(np.ones(4), teacher, {}, None) == {"ready": False}
