"""Constraints that hold every dependency at its lower bound, read from pyproject.toml.

What a bound promises is only true where it has been tried: `make test-lower` installs these
versions into an environment of its own and runs the tests there.

Run: python tools/lower_bounds.py > lower.txt
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^\]]*\])?>=(?P<version>[0-9.]+)")


def lower_bounds(project: Path = PROJECT) -> Iterator[str]:
    """`name==version` for each requirement that is bounded from below, once each."""
    table = tomllib.loads(project.read_text())["project"]
    wanted = [*table["dependencies"], *chain(*table["optional-dependencies"].values())]
    found = {match["name"]: match["version"] for match in map(BOUND.fullmatch, wanted) if match}
    yield from (f"{name}=={version}" for name, version in sorted(found.items()))


if __name__ == "__main__":
    print("\n".join(lower_bounds()))
