"""A benchmark as a command: its words, its lines as they come, and its record with `--record`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable

from benchmarks.lines import Line, show
from benchmarks.records import recorded


def command(
    name: str,
    title: str,
    lines: Callable[[Namespace], Iterable[Line]],
    parser: ArgumentParser | None = None,
) -> int:
    """Measure, print, keep where that is asked for; the exit status: 1 where a bar is missed.

    Parameters
    ----------
    name : str
        Of the record, a file in `benchmarks/records/`.
    title : str
    lines : callable
        Takes the parsed words, gives lines as they are measured.
    parser : ArgumentParser, optional
        With the words that this benchmark has beside `--record`.
    """
    parser = parser or ArgumentParser(description=title)
    told = f"keep the values in benchmarks/records/{name}.json, for the docs"
    parser.add_argument("--record", action="store_true", help=told)
    given = parser.parse_args()
    found = lines(given)
    return 1 if show(title, recorded(name, found) if given.record else found) else 0
