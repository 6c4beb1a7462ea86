"""Which data sets are on this machine."""

from __future__ import annotations

from typing import NamedTuple

from crosslabel.datasets.catalogue import DATASETS
from crosslabel.datasets.root import Root


class Status(NamedTuple):
    """A data set: whether it is here, whether it can be fetched, and what it holds or needs."""

    name: str
    present: bool
    fetchable: bool
    about: str


def list_data(root: Root = None) -> list[Status]:
    """Every known data set and whether it is present.

    Parameters
    ----------
    root : path, default=None
        Folder of data sets.

    Returns
    -------
    list of Status
    """
    return [_status(name, root) for name in sorted(DATASETS)]


def _status(name: str, root: Root) -> Status:
    entry = DATASETS[name]
    fetchable = bool(entry.sources)
    try:
        data = entry.loader(root)
    except FileNotFoundError:
        return Status(name, False, fetchable, f"{entry.folder}/{entry.layout}")
    except ValueError as error:
        return Status(name, False, fetchable, f"damaged: {error}")
    return Status(
        name, True, fetchable, f"{len(data.target)} samples, {len(data.target_names)} classes"
    )
