"""Memory that the decoders of one process share: a dozen large images take no more than one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from crosslabel.files.budget import budget

_CHANGED = Condition()
_HELD: list[float] = []
"""Bytes of each image that is being decoded now."""


@contextmanager
def room_for(needed: float, what: str) -> Iterator[None]:
    """Wait until the bytes of the budget have room for these too.

    Parameters
    ----------
    needed : float
        Bytes.
    what : str
        Beginning of the sentence where they are more than all bytes of the budget.

    Raises
    ------
    OverBudget
    """
    limits = budget()
    limits.check("bytes", needed, what)
    with _CHANGED:
        # What is alone may take what it needs, whatever has become of the budget.
        _CHANGED.wait_for(lambda: not _HELD or sum(_HELD) + needed <= limits.bytes)
        _HELD.append(needed)
    try:
        yield
    finally:
        with _CHANGED:
            _HELD.remove(needed)
            _CHANGED.notify_all()
