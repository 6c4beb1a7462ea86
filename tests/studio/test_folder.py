"""The folder: every change whole, every change can be taken back, killed at any moment."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from crosslabel.studio.folder import OURS, REMOVED, STAGED, UNSORTED, Folder
from crosslabel.studio.journal import Entry


@pytest.fixture
def folder(root):
    made = Folder(root)
    yield made
    made.close()


def tree(root):
    """Every file on a shelf, with its content."""
    return {
        str(place.relative_to(root)): place.read_bytes()
        for place in root.rglob("*")
        if place.is_file() and OURS not in place.parts
    }


def test_shelves_are_what_lies_there(folder, root):
    (root / "loose.jpg").write_bytes(b"x")
    (root / ".hidden").mkdir()
    (root / "ball" / "notes.txt").write_text("x")
    (root / "ball" / "out.png").symlink_to("/etc/passwd")
    (root / "empty").mkdir()
    shelves = folder.shelves()
    assert list(shelves) == [UNSORTED, "ball", "corner", "cross", "empty"]
    assert shelves[UNSORTED] == {"loose.jpg": shelves[UNSORTED]["loose.jpg"]}
    assert list(shelves["ball"]) == [f"{n}.png" for n in range(6)]
    size, time_ns = shelves["ball"]["0.png"]
    status = (root / "ball" / "0.png").stat()
    assert (size, time_ns) == (status.st_size, status.st_mtime_ns)
    assert shelves["empty"] == {}


def test_a_change_is_taken_back_and_made_again(folder, root):
    start = tree(root)
    upload = folder.stage(b"new")
    made = folder.empty_class()
    folder.change(
        "add",
        [(made, "new"), (f"{STAGED}/{upload.name}", "new/a.png"), ("ball/0.png", "new/b.png")],
    )
    changed = tree(root)
    assert changed["new/a.png"] == b"new"
    assert changed["new/b.png"] == start["ball/0.png"]
    folder.change("rename", [("new", "newer")])
    assert folder.undo() == "rename"
    assert tree(root) == changed
    assert folder.undo() == "add"
    assert tree(root) == start
    assert folder.undo() is None
    assert folder.redo() == "add"
    assert tree(root) == changed
    assert folder.redo() == "rename"
    assert (root / "newer" / "a.png").exists()
    assert folder.redo() is None


def test_undo_lasts_over_a_restart_also_of_what_was_undone(root):
    folder = Folder(root)
    upload = folder.stage(b"new")
    folder.change("add", [(f"{STAGED}/{upload.name}", "ball/a.png")])
    folder.undo()
    left = folder.stage(b"never placed")
    folder.close()
    folder = Folder(root)
    assert not left.exists()
    assert folder.redo() == "add"
    assert (root / "ball" / "a.png").read_bytes() == b"new"
    folder.close()


def test_a_change_that_is_not_possible_changes_nothing(folder, root):
    start, entries = tree(root), list(folder.journal.entries)
    for moves in (
        [("ball/0.png", "corner/0.png")],
        [("ball/9.png", "corner/9.png")],
        [("ball/0.png", "corner/x.png"), ("ball/0.png", "corner/y.png")],
        [("ball/0.png", "corner/x.png"), ("ball/1.png", "corner/x.png")],
    ):
        with pytest.raises(FileExistsError, match="changed meanwhile"):
            folder.change("x", moves)
    assert tree(root) == start
    assert folder.journal.entries == entries


def test_undo_does_what_is_left_to_do(folder, root):
    places = folder.removed(2)
    folder.change("remove", [("ball/0.png", places[0]), ("ball/1.png", places[1])])
    os.unlink(root / places[0])
    (root / "ball" / "0.png").write_bytes(b"somebody else's")
    assert folder.undo() == "remove"
    assert (root / "ball" / "0.png").read_bytes() == b"somebody else's"
    assert (root / "ball" / "1.png").exists()


def test_moves_that_were_noted_but_not_made_are_made_at_the_next_start(root):
    folder = Folder(root)
    start = tree(root)
    places = folder.removed(3)
    moves = tuple((f"ball/{n}.png", place) for n, place in enumerate(places))
    folder.journal.append(Entry("remove", moves))
    os.rename(root / "ball" / "0.png", root / places[0])
    folder.close()
    folder = Folder(root)
    assert list(folder.shelves()["ball"]) == ["3.png", "4.png", "5.png"]
    assert folder.undo() == "remove"
    assert tree(root) == start
    folder.close()


KILLED = """
import random, sys
from pathlib import Path
from crosslabel.studio.folder import Folder
folder = Folder(Path(sys.argv[1]))
draw = random.Random(int(sys.argv[2]))
print("ready", flush=True)
while True:
    shelves = {k: v for k, v in folder.shelves().items() if k and v}
    act = draw.randrange(5)
    if act == 0 and folder.undo() is not None:
        continue
    if act == 1 and folder.redo() is not None:
        continue
    own = draw.choice(sorted(shelves))
    taken = draw.sample(list(shelves[own]), min(3, len(shelves[own])))
    if act == 2:
        folder.change("rename", [(own, f"class {draw.randrange(10**9)}")])
    elif act == 3:
        made, name = folder.empty_class(), f"class {draw.randrange(10**9)}"
        folder.change("new", [(made, name), *((f"{own}/{n}", f"{name}/{n}") for n in taken)])
    else:
        places = folder.removed(len(taken))
        folder.change("remove", [(f"{own}/{n}", p) for n, p in zip(taken, places)])
        folder.undo()
"""


def killed_once(root, seed, after):
    """Let a studio change the folder, and kill it."""
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(root), str(seed)], stdout=subprocess.PIPE
    )
    child.stdout.readline()
    time.sleep(after)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()


def check_whole(root, contents):
    """No picture is lost or doubled, and undoing everything leads back to the start."""
    folder = Folder(root)
    pictures = [place.read_bytes() for place in root.rglob("*") if place.is_file() and (
        place.parent.parent == root or REMOVED in str(place) or STAGED in str(place)
    ) and place.parent.name != OURS]  # fmt: skip
    assert sorted(pictures) == contents
    for entry in folder.journal.entries[-1:]:
        for here, there in entry.moves:
            assert (root / there).exists()
            assert not (root / here).exists()
    folder.close()
    return len(folder.journal.entries)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_killed_in_the_middle_of_changes_nothing_is_lost(root):
    start = tree(root)
    contents, draw, seen = sorted(start.values()), random.Random(0), 0
    for seed in range(3):
        killed_once(root, seed, draw.uniform(0.05, 0.3))
        count = check_whole(root, contents)
        assert count >= seen
        seen = count
    assert seen > 0
    folder = Folder(root)
    while folder.undo() is not None:
        pass
    assert tree(root) == start
    folder.close()


@pytest.mark.slow
def test_killed_thirty_times(root):
    start = tree(root)
    contents, draw = sorted(start.values()), random.Random(1)
    for seed in range(30):
        killed_once(root, seed, draw.uniform(0.0, 0.25))
        check_whole(root, contents)
    folder = Folder(root)
    while folder.undo() is not None:
        pass
    assert tree(root) == start
    folder.close()
