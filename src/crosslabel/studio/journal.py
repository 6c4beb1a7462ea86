"""What was done to a folder, entry by entry, in a file that only grows.

An entry is a list of moves within the folder, written before they are made: whoever is killed in
between finds it at the next start and makes the rest of them. So a change is there whole or not at
all, and its undoing is the same moves backwards.
"""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

Move = tuple[str, str]
"""From where to where: paths below the folder, with forward slashes."""

DO, UNDO, REDO = "do", "undo", "redo"


@dataclass(frozen=True)
class Entry:
    """One change.

    Attributes
    ----------
    what : str
        For people, as "Added 3 pictures to cats".
    moves : tuple of Move
        In the order in which they are made.
    kind : {"do", "undo", "redo"}
        An undo takes back the last change that stands, a redo the last undo.
    confirmed : tuple of str
        Keys of pictures whose class was said to be right.
    """

    what: str
    moves: tuple[Move, ...] = ()
    kind: str = DO
    confirmed: tuple[str, ...] = ()

    @property
    def backwards(self) -> tuple[Move, ...]:
        """The moves that take it back."""
        return tuple((there, here) for here, there in reversed(self.moves))


class Journal:
    """The entries of one file.

    Parameters
    ----------
    place : Path
        The file; what a killed writer left of a last entry is cut off.

    Attributes
    ----------
    entries : list of Entry
        All of them.
    stacks : tuple of two lists of Entry
        Changes that stand, and changes that were taken back: the last one of each comes next.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.entries: list[Entry] = []
        self.stacks: tuple[list[Entry], list[Entry]] = ([], [])
        place.parent.mkdir(parents=True, exist_ok=True)
        content = place.read_bytes() if place.exists() else b""
        whole = 0
        for line in content.splitlines(keepends=True):
            entry = _entry(line)
            if entry is None:
                break
            self._stack(entry)
            whole += len(line)
        if whole < len(content):
            os.truncate(place, whole)

    def append(self, entry: Entry) -> None:
        """Write an entry; when this returns, it is on the disk."""
        text = json.dumps(asdict(entry), ensure_ascii=False)
        line = f"{zlib.crc32(text.encode()):08x} {text}\n"
        with self.place.open("ab") as file:
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        self._stack(entry)

    def _stack(self, entry: Entry) -> None:
        """Put an entry where it can be taken back, or made again, from."""
        self.entries.append(entry)
        done, undone = self.stacks
        if entry.kind == DO:
            done.append(entry)
            undone.clear()
        elif entry.kind == UNDO:
            undone.append(_now(done.pop(), entry))
        else:
            done.append(_now(undone.pop(), entry))

    @property
    def confirmed(self) -> set[str]:
        """Keys of pictures whose class was said to be right, and was not taken back."""
        done, _ = self.stacks
        return {key for entry in done for key in entry.confirmed}


def _now(entry: Entry, taken_back: Entry) -> Entry:
    """A change as its last undoing or redoing left it."""
    return Entry(entry.what, taken_back.moves, DO, entry.confirmed)


def _entry(line: bytes) -> Entry | None:
    """The entry of a line; None where the line is not whole."""
    try:
        text = line.decode()
        if not text.endswith("\n") or f"{zlib.crc32(text[9:-1].encode()):08x}" != text[:8]:
            return None
        said = json.loads(text[9:-1])
        moves = tuple((str(here), str(there)) for here, there in said["moves"])
        return Entry(said["what"], moves, said["kind"], tuple(said["confirmed"]))
    except (ValueError, KeyError, TypeError):
        return None
