"""What the suite has measured, in one JSON file that is written whole after every result."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from crosslabel.files.whole import write_whole

Found = dict[str, float]


class Record:
    """Results by cell, method and split; a cell is "data set: samples per class"."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.cells: dict[str, dict[str, dict[str, Found]]] = {}
        if place.exists():
            self.cells = json.loads(place.read_text())

    def has(self, cell: str, method: str, split: int) -> bool:
        """Whether this split was measured."""
        return str(split) in self.cells.get(cell, {}).get(method, {})

    def keep(self, cell: str, method: str, split: int, found: Found) -> None:
        """Add a result and write the file."""
        self.cells.setdefault(cell, {}).setdefault(method, {})[str(split)] = found
        text = json.dumps(self.cells, indent=0, ensure_ascii=False)
        write_whole(self.place, lambda file: file.write(text.encode()))

    def drop(self, method: str, sets: Iterable[str]) -> None:
        """Forget a method's results on some sets, so that they are measured again."""
        wanted = set(sets)
        for cell, methods in self.cells.items():
            if cell.rsplit(":", 1)[0] in wanted:
                methods.pop(method, None)

    def slow(self, cell: str, method: str, patience: float) -> bool:
        """Whether a fit of this method on this set, of any size so far, took too long."""
        name = cell.rsplit(":", 1)[0]
        times = [
            found.get("seconds", 0.0)
            for other, methods in self.cells.items()
            if other.rsplit(":", 1)[0] == name
            for found in methods.get(method, {}).values()
        ]
        return max(times, default=0.0) > patience

    def values(self, cell: str, method: str, what: str) -> np.ndarray:
        """One number for each split that has it, in the order of the splits."""
        kept = self.cells.get(cell, {}).get(method, {})
        numbers = [kept[split][what] for split in sorted(kept, key=int) if what in kept[split]]
        return np.array(numbers, dtype=float)

    def summary(self, cell: str, method: str) -> str:
        """Means over the splits, for the log."""
        kept = self.cells.get(cell, {}).get(method, {})
        names = dict.fromkeys(name for found in kept.values() for name in found)
        return "  ".join(f"{n} {self.values(cell, method, n).mean():.4f}" for n in names)
