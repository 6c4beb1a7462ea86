"""How much one file may take: bytes, seconds, pixels and rows, the same for every reader.

The defaults suit a laptop. Readers of models, statistics, features, images and clips count from the
first bytes of a file what it would take, and refuse it before the work begins.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from functools import cache

VARIABLE = "CROSSLABEL_BUDGET"
SUFFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
OPERATIONS = 5e8
"""Operations of a small product that a slow core does in a second."""


class OverBudget(ValueError):
    """A file would take more than it may; the message says how to allow it."""


@dataclass(frozen=True)
class Budget:
    """What one file may take.

    Attributes
    ----------
    bytes : float
        Memory beyond the size of the file, and of all images that are decoded at a time.
    seconds : float
        Time to decode a clip, or to prepare a model and ask it once.
    pixels : float
        Of an image.
    rows : float
        Entries of a list or table whose entries may be empty, and so cost the file nothing.
    """

    bytes: float = 512e6
    seconds: float = 20.0
    pixels: float = 120e6
    rows: float = 1e6

    def check(self, name: str, amount: float, what: str) -> None:
        """Refuse what takes more than it may.

        Parameters
        ----------
        name : {"bytes", "seconds", "pixels", "rows"}
        amount : float
            What it would take.
        what : str
            Beginning of the sentence.

        Raises
        ------
        OverBudget
        """
        limit = getattr(self, name)
        # Not "amount > limit": what is not a number is refused too.
        if not amount <= limit:
            raise OverBudget(
                f"{what} takes {_shown(amount)} {name}, more than the limit of {_shown(limit)}. "
                f"If you trust it, set the environment variable {VARIABLE}, as in "
                f"{VARIABLE}={name}={_shown(2 * amount).replace(' ', '')}"
            )

    def check_work(self, operations: float, what: str) -> None:
        """Refuse what takes more than `seconds` of operations of a small product."""
        self.check("seconds", operations / OPERATIONS, what)


def budget() -> Budget:
    """The limits that hold now: the defaults, but for what $CROSSLABEL_BUDGET says otherwise.

    Raises
    ------
    ValueError
        If the variable is not like ``bytes=4G,pixels=300M,seconds=60,rows=5M``.
    """
    return _parsed(os.environ.get(VARIABLE, ""))


@cache
def _parsed(text: str) -> Budget:
    known = {field.name for field in fields(Budget)}
    found = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.strip().partition("=")
        try:
            amount = float(value.rstrip("KMGT")) * SUFFIXES.get(value[-1:], 1.0)
        except ValueError:
            amount = -1.0
        if name not in known or not amount > 0:
            raise ValueError(
                f"{VARIABLE} holds {part!r}, which is no limit. Write it as "
                "bytes=4G,pixels=300M,seconds=60,rows=5M, with as many of these as you need."
            )
        found[name] = amount
    return replace(Budget(), **found)


def _shown(amount: float) -> str:
    """A number with three digits and a suffix."""
    for suffix, size in reversed(SUFFIXES.items()):
        if amount >= size:
            return f"{amount / size:.3g} {suffix}"
    return f"{amount:.3g}"
