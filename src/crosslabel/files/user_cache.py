"""Where this machine keeps what can be made again: networks and finished features."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "CROSSLABEL_CACHE"


def user_cache(*parts: str) -> Path:
    """A place in the cache: below $CROSSLABEL_CACHE, or ~/.cache/crosslabel.

    Parameters
    ----------
    *parts : str
        Folders and file below it; nothing is made.

    Returns
    -------
    Path
    """
    base = os.environ.get(VARIABLE) or Path.home() / ".cache" / "crosslabel"
    return Path(base).joinpath(*parts)
