import time

import pytest

from crosslabel.studio import worker as module
from crosslabel.studio.studio import Studio
from crosslabel.studio.study import Interrupted
from crosslabel.studio.worker import Worker
from tests.studio.conftest import added, drawing


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(module, "QUIET", 0.0)
    monkeypatch.setattr(module, "EVERY", 0.05)


def waited(what):
    for _ in range(600):
        if what():
            return True
        time.sleep(0.05)
    return False


def test_it_looks_settles_studies_and_keeps(root):
    told = []
    studio = Studio(root, "pixels", told.append)
    worker = Worker(studio)
    worker.work()
    assert [one["event"] for one in told] == ["looking", "settled", "study", "study"]
    assert studio.study.confusion.sum() == 18
    assert [size for size, _, _ in studio.study.curve] == [1, 2, 3, 5]
    assert (root / ".crosslabel" / "features.npz").exists()
    studio.change({"do": "remove-class", "class": "ball"})
    studio.change({"do": "remove-class", "class": "cross"})
    worker.work()
    assert studio.study is None
    studio.close()


def test_a_change_begins_the_study_anew(studio, monkeypatch):
    worker = Worker(studio)
    settle = studio.teacher.settle

    def disturbed():
        added(studio, 0, 33, "ball")
        return settle()

    monkeypatch.setattr(studio.teacher, "settle", disturbed)
    with pytest.raises(Interrupted):
        worker.work()


def test_it_sees_what_others_do_and_lives_through_a_fault(studio, root, monkeypatch, capsys):
    monkeypatch.setattr(studio, "keep", lambda: 1 / 0)
    worker = Worker(studio)
    worker.start()
    assert waited(lambda: any(one["event"] == "fault" for one in studio.told))
    monkeypatch.undo()
    (root / "ball" / "more.png").write_bytes(drawing(0, 44))
    assert waited(lambda: studio.study is not None and studio.study.confusion.sum() == 19)
    worker.stop()
    assert not worker.thread.is_alive()
    assert "ZeroDivisionError" in capsys.readouterr().err
