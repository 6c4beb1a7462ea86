import subprocess
import sys
import time

from crosslabel import progress_bar as module
from crosslabel.progress_bar import progress_bar


def test_a_named_bar_counts_on_standard_error(capsys, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0)
    with progress_bar("clips", 7) as advance:
        advance(3)
        advance(4)
    told = capsys.readouterr()
    assert told.out == ""
    assert "clips" in told.err
    assert "7/7" in told.err


def test_the_work_may_get_a_new_name(capsys, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0)
    with progress_bar("first", 2) as advance:
        advance(1, "second")
        advance(1)
    told = capsys.readouterr().err
    assert "second" in told
    assert "first" not in told


def test_a_bar_appears_only_where_the_work_takes_long(capsys, monkeypatch):
    with progress_bar("quick", 1) as advance:
        advance(1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(module, "PATIENCE", 0.02)
    with progress_bar("slow", 1) as advance:
        time.sleep(0.2)
        advance(1)
    assert "slow" in capsys.readouterr().err


def test_without_a_name_nothing_is_shown_nor_loaded():
    code = """
import sys
from crosslabel.progress_bar import progress_bar
with progress_bar(None, 7) as advance:
    advance(7)
print("rich" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")
