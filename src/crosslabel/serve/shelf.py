"""Models by name, each loaded anew, whole or not at all, when its file changes."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crosslabel.serve.answering import Answerer, load_answerer

EVERY = 1.0
"""Seconds between two looks at the files."""

Mark = tuple[int, int, int]
"""What changes when a file is written anew."""


@dataclass
class Served:
    """One model, and the file that it comes from.

    Attributes
    ----------
    name : str
    path : Path
    answerer : Answerer
        Swapped in one assignment, so that a request sees one model from its start to its end.
    mark : Mark
    loads, failures : int
        How often the file was loaded, and how often it could not be.
    """

    name: str
    path: Path
    answerer: Answerer
    mark: Mark
    loads: int = 1
    failures: int = 0

    def look(self) -> bool:
        """Load the file anew if it has changed; a file that is no model leaves the old one."""
        try:
            mark = mark_of(self.path)
            if mark == self.mark:
                return False
            self.mark = mark
            self.answerer = load_answerer(self.path)
        except (ValueError, OSError) as error:
            self.failures += 1
            print(f"{self.path} was not loaded anew: {error}", file=sys.stderr)
            return False
        self.loads += 1
        return True


class Shelf:
    """Models that are served.

    Parameters
    ----------
    paths : sequence of paths
        Model files; a model's name is that of its file without the suffix.
    """

    def __init__(self, paths: Sequence[str | os.PathLike[str]]) -> None:
        self.models: dict[str, Served] = {}
        self.stopped = threading.Event()
        for path in map(Path, paths):
            name = path.stem
            if name in self.models:
                raise ValueError(
                    f"{path} and {self.models[name].path} would both be served as {name!r}. "
                    "Rename one of the files."
                )
            mark = mark_of(path)
            self.models[name] = Served(name, path, load_answerer(path), mark)

    def watch(self) -> None:
        """Look at the files again and again, on a thread of its own, until `stop`."""
        threading.Thread(target=self._watching, name="models", daemon=True).start()

    def _watching(self) -> None:
        while not self.stopped.wait(EVERY):
            for served in self.models.values():
                served.look()

    def stop(self) -> None:
        """End the watch."""
        self.stopped.set()


def mark_of(path: Path) -> Mark:
    """Time, size and number of a file."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino
