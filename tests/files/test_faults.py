"""What interrupts a save: a killed process, a full disk, a folder closed to writing."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from crosslabel.files import load, save
from tests.files.problems import small_file, small_model

# Writes one sound file over another, again and again, a piece at a time.
WRITER = """
import sys
from pathlib import Path
from crosslabel.files.whole import write_whole
place, contents = Path(sys.argv[1]), [Path(name).read_bytes() for name in sys.argv[2:]]
def write(file, content):
    for start in range(0, len(content), 512):
        file.write(content[start : start + 512])
        file.flush()
print("ready", flush=True)
while True:
    for content in contents:
        write_whole(place, lambda file: write(file, content))
"""


def test_kill_leaves_the_old_or_the_new_file_whole(tmp_path):
    model = small_model()
    save(model, tmp_path / "a")
    model.summary = {"note": "another"}
    save(model, tmp_path / "b")
    place = tmp_path / "m"
    place.write_bytes((tmp_path / "a").read_bytes())
    parts = 0
    for kill in range(20):
        words = [sys.executable, "-c", WRITER, place, tmp_path / "a", tmp_path / "b"]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as writer:
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(1e-3 * kill)  # another moment of the writing each time
            writer.send_signal(signal.SIGKILL)
        assert writer.returncode == -signal.SIGKILL
        assert load(place).summary in ({"note": "x"}, {"note": "another"})
        left = list(tmp_path.glob(".part-*"))
        parts += len(left)
        for part in left:
            part.unlink()
    assert parts  # else no writer was killed amid its work


def test_two_writers_leave_one_of_their_files_whole(tmp_path):
    model = small_model()
    save(model, tmp_path / "a")
    model.summary = {"note": "another"}
    save(model, tmp_path / "b")
    place = tmp_path / "m"
    place.write_bytes((tmp_path / "a").read_bytes())
    words = [sys.executable, "-c", WRITER, place, tmp_path / "a", tmp_path / "b"]
    writers = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        assert all(writer.stdout.readline() == b"ready\n" for writer in writers)
        for _ in range(20):
            assert load(place).summary in ({"note": "x"}, {"note": "another"})
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()


KILLED = """
import os, signal, sys
from pathlib import Path
from crosslabel.files.whole import write_whole
content, stop = Path(sys.argv[2]).read_bytes(), int(sys.argv[3])
def write(file):
    file.write(content[:stop])
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
write_whole(Path(sys.argv[1]), write)
"""


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.99, 1.0])
def test_kill_at_every_share_of_the_file(tmp_path, share):
    content = small_file()
    place, new = tmp_path / "m", tmp_path / "new"
    place.write_bytes(content)
    new.write_bytes(content[::-1])
    words = [sys.executable, "-c", KILLED, place, new, str(int(share * len(content)))]
    assert subprocess.run(words).returncode == -signal.SIGKILL
    assert place.read_bytes() == content


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_full_disk_leaves_the_old_file(tmp_path, share):
    model, place = small_model(), tmp_path / "m"
    save(model, place)
    before = place.read_bytes()
    model.summary = {"note": "longer" * 1000}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    usual = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(share * len(before)), limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            save(model, place)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, usual)
    assert place.read_bytes() == before
    assert os.listdir(tmp_path) == ["m"]


CLOSED = """
import os, sys
from pathlib import Path
from crosslabel.files.whole import write_whole
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    write_whole(Path(sys.argv[1]), lambda file: file.write(b"new"))
except PermissionError:
    print("refused")
"""


@pytest.fixture
def folder():
    """A folder that another user can come to, which `tmp_path` is not."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_a_folder_closed_to_writing_keeps_the_old_file(folder):
    place = folder / "m"
    place.write_bytes(small_file())
    folder.chmod(0o555)
    try:
        done = subprocess.run([sys.executable, "-c", CLOSED, place], capture_output=True, text=True)
    finally:
        folder.chmod(0o755)
    assert done.stdout == "refused\n", done.stderr
    assert place.read_bytes() == small_file()
    assert os.listdir(folder) == ["m"]


def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    place = tmp_path / "m"
    save(small_model(), place)
    before = place.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save(load(place), place)
    assert place.read_bytes() == before
    assert os.listdir(tmp_path) == ["m"]
