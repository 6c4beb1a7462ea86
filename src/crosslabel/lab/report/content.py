"""What a page says, before it has a form: tables, charts, pictures and their words.

Plain values, filled by `gather` from specifications and records, and given a form by `page` (HTML)
and `formats` (Markdown, CSV, LaTeX).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosslabel.lab.report.charts import Series
from crosslabel.lab.verdicts import COMPARED


@dataclass(frozen=True)
class Value:
    """A mean and, where there are several results, their standard deviation."""

    mean: float
    deviation: float | None = None


@dataclass(frozen=True)
class TableEntry:
    """One place of a table: ours, the paper's, and what to make of the two.

    Attributes
    ----------
    ours, paper : Value or None
    verdict : str
        A key of `COMPARED`, or "" where there is nothing to compare.
    reason : str
        Why ours is below, where it is.
    done, wanted : int
        Splits.
    quoted : bool
        Whether the paper quotes the value from elsewhere.
    """

    ours: Value | None = None
    paper: Value | None = None
    verdict: str = ""
    reason: str = ""
    done: int = 0
    wanted: int = 0
    quoted: bool = False


@dataclass(frozen=True)
class TableRow:
    """One method: an entry for each column."""

    method: str
    entries: tuple[TableEntry, ...]
    flagship: bool = False


@dataclass(frozen=True)
class Table:
    """Ours beside the paper's.

    A folded one stands behind a line that opens it. `absent` names the methods that have no value
    yet, neither ours nor the paper's.
    """

    name: str
    title: str
    quantity: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    unit: str = "%"
    folded: bool = False
    absent: tuple[str, ...] = ()

    @property
    def whole_title(self) -> str:
        """For where the table stands alone."""
        return f"{self.title}: {self.quantity}"

    def entries(self) -> Iterator[tuple[TableRow, str, TableEntry]]:
        """Every place with its row and column."""
        for row in self.rows:
            for column, entry in zip(self.columns, row.entries):
                yield row, column, entry


@dataclass(frozen=True)
class LineChart:
    """Accuracy against a parameter, or a trace against the iteration."""

    title: str
    series: tuple[Series, ...]
    x_title: str
    y_title: str
    steps: bool = False
    logarithmic: bool = False


@dataclass(frozen=True)
class BarChart:
    """Times: a bar for each method. Each row is name, value and "ours", "rival" or "paper"."""

    title: str
    rows: tuple[tuple[str, float, str], ...]
    unit: str


@dataclass(frozen=True)
class StemGrid:
    """Mean absolute codes: a row of plots for each setting, a column for each class."""

    title: str
    settings: tuple[str, ...]
    classes: tuple[str, ...]
    values: NDArray[np.floating]  # (n_settings, n_classes, n_atoms)
    own: NDArray[np.bool_]  # (n_classes, n_atoms)


@dataclass(frozen=True)
class AtomSheet:
    """Learnt atoms as pictures."""

    title: str
    pictures: NDArray[np.floating]  # (n_atoms, height, width)
    labels: NDArray[np.intp]  # class of each atom, -1 where shared
    names: tuple[str, ...]


@dataclass(frozen=True)
class Confusion:
    """How often samples of a class (row) were taken for another (column)."""

    title: str
    names: tuple[str, ...]
    counts: NDArray[np.floating]


Figure = LineChart | BarChart | StemGrid | AtomSheet | Confusion


@dataclass(frozen=True)
class WordTable:
    """A table of words, whose rows are named by their first one; columns of prose are wide."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    folded: bool = False


@dataclass(frozen=True)
class Section:
    """One table or figure of the paper."""

    name: str
    title: str
    about: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    words: tuple[WordTable, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    done: int = 0
    wanted: int = 0

    def verdicts(self) -> dict[str, int]:
        """How many of our values are above, within and below."""
        found = dict.fromkeys(COMPARED, 0)
        for table in self.tables:
            for _, _, entry in table.entries():
                if entry.verdict:
                    found[entry.verdict] += 1
        return found


@dataclass(frozen=True)
class Page:
    """Everything done so far, as one page says it."""

    sections: tuple[Section, ...]
    environment: tuple[tuple[str, str], ...] = ()
    made: str = ""
    title: str = "Cross-label suppression, reproduced"
    lede: str = ""
