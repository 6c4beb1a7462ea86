"""Where data sets lie on this machine, and what to say when one does not."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "CROSSLABEL_DATA"

Root = str | os.PathLike[str] | None


class MissingData(FileNotFoundError):
    """A data set is not where it was looked for; the message says how to get it.

    Examples
    --------
    >>> from crosslabel.datasets import MissingData, load_yale
    >>> try:
    ...     load_yale("a folder that is not there")
    ... except MissingData as absent:
    ...     print("not here" if str(absent) else "")
    not here
    """


def data_root(root: Root = None) -> Path:
    """The folder of all data sets: as given, or $CROSSLABEL_DATA, or ~/.cache/crosslabel/data.

    Parameters
    ----------
    root : path, default=None

    Returns
    -------
    Path
    """
    if root is not None:
        return Path(root)
    return Path(os.environ.get(VARIABLE) or Path.home() / ".cache" / "crosslabel" / "data")


def find(name: str, root: Root, *candidates: str) -> Path:
    """The first of the candidates that exists under the root, or a sentence that helps.

    Parameters
    ----------
    name : str
        The data set, for the message.
    root : path or None
    *candidates : str
        Places relative to the root, or "" for the root itself.

    Returns
    -------
    Path
    """
    folder = data_root(root)
    for candidate in candidates:
        if (folder / candidate).exists():
            return folder / candidate
    places = " or ".join(str(folder / candidate) for candidate in candidates)
    raise MissingData(
        f"The data set {name} is not at {places}. `crosslabel data fetch {name}` gets it or says "
        f"where to ask for it; another place is given by root= or ${VARIABLE}."
    )
