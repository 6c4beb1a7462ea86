import numpy as np
from numpy.testing import assert_allclose

from crosslabel.studio.lesson import first_lesson, taught
from tests.studio.conftest import added, drawing, look_at_all


def test_the_model_is_that_of_what_lies_on_the_shelves(studio):
    teacher, stock = studio.teacher, studio.stock
    assert not teacher.follow(stock)
    added(studio, 0, 50, "corner")
    studio.change({"do": "remove", "pictures": [{"class": "cross", "name": "0.png"}]})
    pictures = teacher.pictures()
    assert len(pictures.keys) == 18
    fresh = first_lesson(pictures.rows.shape[1])
    labels = [pictures.names[label] for label in pictures.labels]
    fresh = taught(fresh, (list(pictures.rows), labels))
    queries = pictures.rows[:5]
    assert_allclose(teacher.lesson.fitted.scores(queries), fresh.fitted.scores(queries), atol=1e-8)


def test_settings_are_taken_over_only_while_nothing_has_changed(studio, monkeypatch):
    teacher = studio.teacher
    assert teacher.settle()
    before = teacher.lesson

    def meanwhile(lesson):
        added(studio, 1, 60, "ball")
        return lesson

    monkeypatch.setattr("crosslabel.studio.teacher.settled", meanwhile)
    assert not teacher.settle()
    assert teacher.lesson is not before
    assert ("ball", "new.png") in {(studio.stock.names[l], n) for l, n in teacher.learnt}  # noqa: E741


def test_a_file_that_is_no_picture_is_left_out_and_remembered(studio, root):
    (root / "ball" / "bad.png").write_bytes(b"no picture")
    studio.look()
    look_at_all(studio)
    (key,) = studio.teacher.unreadable
    assert studio.stock.path(key) == root / "ball" / "bad.png"
    assert studio.teacher.unseen(studio.stock) == []
    assert studio.state()["unreadable"] == [key]
    assert len(studio.teacher.learnt) == 18


def test_the_same_picture_twice_counts_twice(studio, root):
    (root / "ball" / "twin.png").write_bytes(drawing(0, 0))
    studio.look()
    look_at_all(studio)
    counts = studio.teacher.lesson.summary.statistics.counts
    assert np.sort(counts).tolist() == [6, 6, 7]
    studio.change({"do": "remove", "pictures": [{"class": "ball", "name": "twin.png"}]})
    assert studio.teacher.lesson.summary.statistics.counts.tolist() == [6, 6, 6]
