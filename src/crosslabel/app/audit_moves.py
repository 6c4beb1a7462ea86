"""Moves of files to the class that they look like: proposed in a list, and done when asked for.

The list is a CSV file that people read and shorten before they have it carried out.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from crosslabel.app.audit import Suspect
from crosslabel.files.whole import write_whole

SURE = 0.5
"""Probability of the other class from which on a move is proposed."""
HEAD = ("from", "to")


class Move(NamedTuple):
    """From where a file goes, and to where."""

    source: Path
    target: Path


def proposed(suspects: Sequence[Suspect], root: Path) -> list[Move]:
    """Where each file would go that clearly looks like another class.

    A name that is taken there gets a number, so that nothing is ever replaced.

    Parameters
    ----------
    suspects : sequence of Suspect
    root : Path
        Folder of the class folders.

    Returns
    -------
    list of Move
    """
    found, taken = list[Move](), set[Path]()
    for one in suspects:
        if one.looks_probability <= SURE:
            continue
        place, number = Path(one.file), 1
        target = root / one.looks_like / place.name
        while target in taken or target.exists():
            number += 1
            target = root / one.looks_like / f"{place.stem}-{number}{place.suffix}"
        taken.add(target)
        found.append(Move(place, target))
    return found


def write_moves(moves: Sequence[Move], out: Path) -> None:
    """Write the list, whole or not at all.

    Parameters
    ----------
    moves : sequence of Move
    out : Path
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows([str(move.source), str(move.target)] for move in moves)
    write_whole(out, lambda file: file.write(text.getvalue().encode()))


def read_moves(place: Path, root: Path) -> list[Move]:
    """The moves of a list, all of which can be done.

    Parameters
    ----------
    place : Path
        A file as `write_moves` writes it.
    root : Path
        Folder that no file may come from outside of, or leave.

    Returns
    -------
    list of Move

    Raises
    ------
    ValueError
        Where one of them cannot be done; nothing is moved then.
    """
    with open(place, newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file)) or [[]]
    if tuple(head) != HEAD or any(len(row) != len(HEAD) for row in rows):
        raise ValueError(f"{place} is no list of moves: it needs the columns {', '.join(HEAD)}.")
    moves = [Move(Path(source), Path(target)) for source, target in rows]
    targets: set[Path] = set()
    for move in moves:
        for end in move:
            if not end.resolve().is_relative_to(root.resolve()):
                raise ValueError(f"{place} would move {move.source}, but {end} is not in {root}.")
        if not move.source.is_file():
            raise ValueError(f"{place} would move {move.source}, which is not there.")
        if move.target.exists() or move.target in targets:
            raise ValueError(f"{place} would move a file to {move.target}, where there is one.")
        targets.add(move.target)
    return moves


def carry_out(moves: Sequence[Move]) -> None:
    """Move the files, one after the other.

    Parameters
    ----------
    moves : sequence of Move
        As of `read_moves`.
    """
    for move in moves:
        move.target.parent.mkdir(parents=True, exist_ok=True)
        move.source.rename(move.target)
