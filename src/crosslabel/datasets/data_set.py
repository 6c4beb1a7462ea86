"""What is known of a data set: who loads it, where it must lie, and where it comes from.

A data set's own file holds its `DATA_SET`; `catalogue.py` finds it there. Only addresses that have
been stable for years and whose checksum is known are fetched; for the others `origin` says where to
ask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.utils import Bunch

from crosslabel.datasets.root import Root


@dataclass(frozen=True)
class Download:
    """A file to fetch: its address, its checksum, and archives inside it to unpack."""

    url: str
    checksum: str
    archive: bool = False


@dataclass(frozen=True)
class DataSet:
    """A data set by its name.

    Parameters
    ----------
    name : str
    loader : callable
        From the folder of data sets to a Bunch with `target`, `target_names` and `images`,
        `filenames` or `data`; raises `MissingData` where there is none.
    folder, layout : str
        Where it lies in the folder of data sets, and what lies there.
    origin : str
        Who has it.
    sources : tuple of Download, default=()
        What can be fetched.
    counts : (int, int) or None, default=None
        Samples and classes of the whole of it.
    """

    name: str
    loader: Callable[..., Bunch]
    folder: str
    layout: str
    origin: str
    sources: tuple[Download, ...] = ()
    counts: tuple[int, int] | None = None

    def is_present(self, root: Root = None) -> bool:
        """Whether the loader finds its files (it may still find one of them damaged)."""
        try:
            self.loader(root)
        except FileNotFoundError:
            return False
        return True
