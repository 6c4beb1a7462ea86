import pytest

from crosslabel.app import pace as module
from crosslabel.app.pace import Pace, duration, progress_display
from crosslabel.lab.run import Outcome

from ..lab.conftest import spec, write_spec  # noqa: F401
from ..lab.test_records import record_of


def test_time_left_is_of_cells_alike(spec):  # noqa: F811
    cells = list(spec.cells())
    pace = Pace(cells, jobs=2)
    assert pace.seconds_left() is None
    for cell in cells:
        if cell.split == 0 and cell.setting.name == "10":
            pace.add(Outcome(cell, record_of(cell)))  # two cells of 2 s
    # Ten cells of 2 s are left, two at a time.
    assert pace.finished == 2
    assert pace.seconds_left() == pytest.approx(10.0)
    pace.add(Outcome(cells[0], None, "no"))
    assert len(pace.problems) == 1


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "unknown time"), (5, "5 s"), (89, "89 s"), (600, "10 min"), (7200, "2.0 h")],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_without_a_terminal_a_line_is_told_now_and_then(spec, capsys, monkeypatch):  # noqa: F811
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.0)
    cells = list(spec.cells())
    pace = Pace(cells, jobs=1)
    pace.add(Outcome(cells[0], record_of(cells[0])))
    with progress_display(True) as watch:
        watch(spec, pace)
    assert capsys.readouterr().err.strip() == "small: 1 of 12 cells, 22 s left"
    monkeypatch.setattr(module, "QUIET_SECONDS", 1e9)
    for shown in (True, False):
        with progress_display(shown) as watch:
            watch(spec, pace)
        assert capsys.readouterr().err == ""
