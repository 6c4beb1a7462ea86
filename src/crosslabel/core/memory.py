"""A refusal before the work, where a machine could never hold what a method keeps."""

from __future__ import annotations

import os


def check_room(matrices: int, size: int, unit: str, who: str, advice: str) -> None:
    """Refuse square matrices of doubles that no memory of this machine could hold.

    Parameters
    ----------
    matrices : int
        How many of them there are at once.
    size : int
        Rows of each.
    unit : str
        What a row stands for, in the plural.
    who : str
        What needs them, as the beginning of a sentence.
    advice : str
        A sentence that says what to do instead.

    Raises
    ------
    MemoryError
    """
    if not hasattr(os, "sysconf"):  # no such question on Windows
        return
    needed = 8.0 * matrices * size**2
    there = float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    if needed > there:
        noun = "matrix" if matrices == 1 else "matrices"
        raise MemoryError(
            f"{who} needs {matrices} {noun} of {size} × {size} {unit}, {needed / 1e9:.1f} GB, but "
            f"this machine has {there / 1e9:.1f} GB. {advice}"
        )
