import subprocess
import sys

from crosslabel.progress_bar import progress_bar


def test_a_named_bar_counts_on_standard_error(capsys):
    with progress_bar("clips", 7) as advance:
        advance(3)
        advance(4)
    told = capsys.readouterr()
    assert told.out == ""
    assert "clips" in told.err
    assert "7/7" in told.err


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
