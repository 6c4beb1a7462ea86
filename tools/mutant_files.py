"""The files that are changed: their mutants and their tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from pathlib import Path

from mutations import mutants_of


@dataclass(frozen=True)
class Mutant:
    """One change: the `number`-th of a file, on a line of this text."""

    file: str
    number: int
    line: int
    text: str
    mutation: str
    again: int
    """How many mutants of the file before this one have the same text and mutation."""

    @property
    def key(self) -> str:
        """What names it in the record."""
        return f"{self.text} | {self.mutation} | {self.again}"

    @property
    def described(self) -> str:
        """Where it is and what it changes."""
        return f"{self.file}:{self.line}: {self.text}\n    {self.mutation}"


@dataclass
class Module:
    """A file, its tests, and what is known of its mutants."""

    root: Path
    file: str
    further: list[str]
    mutants: list[Mutant] = field(default_factory=list)

    def __post_init__(self) -> None:
        seen: Counter[tuple[str, str]] = Counter()
        for number, (line, text, mutation) in enumerate(mutants_of(self.source)):
            again = seen[text, mutation]
            seen[text, mutation] += 1
            self.mutants.append(Mutant(self.file, number, line, text, mutation, again))

    @property
    def path(self) -> Path:
        """Where the source lies."""
        return self.root / "src" / "crosslabel" / self.file

    @property
    def source(self) -> str:
        """The file as it is."""
        return self.path.read_text()

    @property
    def name(self) -> str:
        """By which Python imports it."""
        return ".".join(["crosslabel", *Path(self.file).with_suffix("").parts])

    @property
    def mirror(self) -> str:
        """The test file that stands where the module stands."""
        where = Path(self.file)
        return str(Path("tests") / where.parent / f"test_{where.name}")

    @property
    def tests(self) -> list[list[str]]:
        """What to run in turn, as long as the mutant survives."""
        there = [[self.mirror]] if (self.root / self.mirror).exists() else []
        return there + ([self.further] if self.further else [])

    @property
    def digests(self) -> dict[str, str]:
        """What a result depends on: the module, and its tests."""
        tests = "".join((self.root / test).read_text() for test in chain(*self.tests))
        return {"source": _digest(self.source), "tests": _digest(tests)}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
