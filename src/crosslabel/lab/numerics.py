"""Which numbers the code computes: the versions that records are kept under.

`numerics.toml` has an entry for every estimator and feature step that a table names: its version,
and the numbers that it gives on a small fixed problem. When a change of the code changes those, a
test fails until the entry has a higher version and the new numbers. The version is part of a
record's key, so that results of older numerics never stand beside those of today; a change that
leaves the numbers as they are keeps every record.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

FILE = Path(__file__).with_name("numerics.toml")
UNLISTED = 0  # of a user's own estimator, or one that no table names


class Numerics(NamedTuple):
    """The version of an estimator or feature step, and what it gives on the fixed problem."""

    version: int
    gives: tuple[float, ...]


@cache
def numerics() -> Mapping[str, Numerics]:
    """Every entry of the file by name."""
    entries = tomllib.loads(FILE.read_text("utf-8"))
    return {
        name: Numerics(int(entry["version"]), tuple(cast("list[float]", entry["gives"])))
        for name, entry in entries.items()
    }


def versions(names: Iterable[str]) -> dict[str, int]:
    """Version of each estimator and step, `UNLISTED` for one that the file does not have.

    Parameters
    ----------
    names : iterable of str

    Returns
    -------
    dict of str to int
    """
    known = numerics()
    return {name: known[name].version if name in known else UNLISTED for name in names}
