"""The folder of pictures, which is the truth: a subfolder for each class, and a hidden one of ours.

Pictures that lie in the folder itself have no class yet. `.crosslabel` holds the journal, what was
removed (so that it can come back), and what can be made anew. Every change is a list of moves.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from crosslabel.media.images import image_suffixes
from crosslabel.studio.journal import REDO, UNDO, Entry, Journal, Move
from crosslabel.studio.lock import Lock

OURS = ".crosslabel"
STAGED, REMOVED = f"{OURS}/staged", f"{OURS}/removed"
UNSORTED = ""
"""The class of pictures that have none."""

Seen = tuple[int, int]
"""Size and time of a file: as long as they stay, so does its content."""

Shelves = dict[str, dict[str, Seen]]
"""Pictures of each class by their file names, sorted; `UNSORTED` is always there."""


class Folder:
    """A folder of classes whose every change is whole, and can be taken back.

    Parameters
    ----------
    root : Path
        Made if it is not there. One studio at a time may have it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().resolve()
        for name in (STAGED, REMOVED):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        self.lock = Lock(self.root / OURS / "lock")
        self.journal = Journal(self.root / OURS / "journal.jsonl")
        if self.journal.entries:
            self._make(self.journal.entries[-1].moves)
        self._clear_staged()

    def close(self) -> None:
        """Let another studio have it."""
        self.lock.release()

    def shelves(self) -> Shelves:
        """What lies in the folder now, whoever put it there."""
        suffixes = image_suffixes()
        found: Shelves = {UNSORTED: _pictures(self.root, suffixes)}
        for entry in sorted(os.scandir(self.root), key=lambda entry: entry.name.casefold()):
            if entry.is_dir() and not entry.name.startswith("."):
                found[entry.name] = _pictures(entry.path, suffixes)
        return found

    def path(self, shelf: str, name: str) -> Path:
        """Where a picture lies.

        Parameters
        ----------
        shelf, name : str
            Of the shelves: nothing else has a place.
        """
        return self.root / shelf / name

    def stage(self, content: bytes) -> Path:
        """Write a picture that has no place yet.

        Parameters
        ----------
        content : bytes
        """
        place = self.root / STAGED / secrets.token_hex(8)
        with place.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return place

    def empty_class(self) -> str:
        """A new folder, not yet in its place; its path below the root."""
        name = f"{STAGED}/{secrets.token_hex(8)}"
        (self.root / name).mkdir()
        return name

    def removed(self, count: int) -> list[str]:
        """Places for so many things that leave the shelves."""
        return [f"{REMOVED}/{secrets.token_hex(8)}" for _ in range(count)]

    def change(self, what: str, moves: Sequence[Move], confirmed: Sequence[str] = ()) -> None:
        """Make moves, all of them or none, and note them.

        Parameters
        ----------
        what : str
            For people.
        moves : sequence of Move
        confirmed : sequence of str, default=()
            Keys of pictures whose class is right.
        """
        if len(self._possible(moves)) < len(moves):
            raise FileExistsError("The folder has changed meanwhile. Look again, and try again.")
        self._commit(Entry(what, tuple(moves), confirmed=tuple(confirmed)))

    def undo(self) -> str | None:
        """Take the last change back as far as the files are still there; what it was, or None."""
        return self._back(UNDO, self.journal.stacks[0])

    def redo(self) -> str | None:
        """Make the change again that was taken back last; what it was, or None."""
        return self._back(REDO, self.journal.stacks[1])

    def _back(self, kind: str, stack: list[Entry]) -> str | None:
        if not stack:
            return None
        last = stack[-1]
        self._commit(Entry(last.what, tuple(self._possible(last.backwards)), kind))
        return last.what

    def _commit(self, entry: Entry) -> None:
        self.journal.append(entry)
        self._make(entry.moves)

    def _make(self, moves: Iterable[Move]) -> None:
        """Make those moves that are not yet made."""
        for here, there in moves:
            source, target = self.root / here, self.root / there
            if source.exists() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                os.rename(source, target)

    def _possible(self, moves: Sequence[Move]) -> list[Move]:
        """Moves whose source will be there and whose target will be free when their turn comes."""
        there: dict[str, bool] = {}

        def exists(path: str) -> bool:
            for whole in (path, *_parents(path)):
                if whole in there:
                    moved = there[whole]
                    return moved if whole == path else moved and (self.root / path).exists()
            return (self.root / path).exists()

        found = []
        for source, target in moves:
            if exists(source) and not exists(target):
                there[source], there[target] = False, True
                found.append((source, target))
        return found

    def _clear_staged(self) -> None:
        """Remove what was uploaded and never found a place; what a redo would bring back stays."""
        _, undone = self.journal.stacks
        kept = {there for entry in undone for _, there in entry.moves}
        for entry in os.scandir(self.root / STAGED):
            if f"{STAGED}/{entry.name}" in kept:
                continue
            if entry.is_dir():
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with suppress(FileNotFoundError):
                    os.unlink(entry.path)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]


def _pictures(folder: str | Path, suffixes: frozenset[str]) -> dict[str, Seen]:
    """Images right in a folder; a link that leads out of it is nobody's picture."""
    found = {}
    for entry in os.scandir(folder):
        is_image = os.path.splitext(entry.name)[1].lower() in suffixes
        if is_image and not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            found[entry.name] = (status.st_size, status.st_mtime_ns)
    return dict(sorted(found.items()))
