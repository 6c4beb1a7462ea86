"""What was measured: one finished cell is one JSON file, written whole, under a hash of its key.

A run that is killed at any moment loses only the cells it was computing. The store is a folder:

    records/<key>.json         one finished cell each
    choices/<key>.json         parameters that training samples chose
    dictionaries/<key>.npz     learnt atoms of the cells whose spec keeps them
    features/<data set>/       features that take long to compute

The key is a hash of all that a cell's result depends on by declaration (`Cell.identity`), the
version of the numerics included: a changed parameter is another cell, records of older parameters
and of older code stay without being in the way.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import NotRequired, TypedDict

import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_info

from crosslabel.files.whole import write_whole
from crosslabel.lab.spec import Cell

FORMAT = 2  # part of every key: raised when a record would no longer mean the same
VARYING = ("fit_seconds", "query_seconds", "cell_seconds", "finished")  # from run to run


class Extra(TypedDict):
    """Sizes of the problem, and what the spec keeps for figures: see `figure_data`."""

    n_samples: int
    n_test: int
    n_features: NotRequired[int]
    n_classes: NotRequired[int]
    classes: NotRequired[list[str]]
    confusion: NotRequired[list[list[int]]]
    trace: NotRequired[list[float]]
    codes: NotRequired[dict[str, list[float]]]
    atom_labels: NotRequired[list[int]]
    chosen: NotRequired[dict[str, object]]
    model_bytes: NotRequired[int]


@dataclass(frozen=True)
class Record:
    """One method at one setting on one split: what was run, where, and what came out.

    Attributes
    ----------
    table, method, setting : str
        Names in the spec.
    split, seed : int
    n_train : int or None
        Training samples per class.
    estimator : str
    parameters : dict
        What the estimator was given.
    accuracy : float
        Share of the test samples labelled rightly, between 0 and 1.
    mean_per_class : float
        Mean of the classes' accuracies.
    fit_seconds : float
        Time of `fit`, on features that are there.
    query_seconds : float
        Time of `predict` per sample: on all test samples at once, or in tables of times on one
        sample at a time.
    cell_seconds : float
        Time of the whole cell, features included.
    finished : str
        When, in ISO 8601.
    version : str
        Of this package.
    machine : dict
        Processor, cores, threads, versions of what computes, and the device.
    input_hash : str
        Of the features and labels that the method was given; methods with the same hash have seen
        the same numbers.
    extra : Extra
    """

    table: str
    method: str
    setting: str
    split: int
    seed: int
    n_train: int | None
    estimator: str
    parameters: Mapping[str, object]
    accuracy: float
    mean_per_class: float
    fit_seconds: float
    query_seconds: float
    cell_seconds: float
    finished: str
    version: str
    machine: Mapping[str, object]
    input_hash: str
    extra: Extra

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)

    def without_times(self) -> dict[str, object]:
        """All that a second run of the same cell must give again."""
        return {key: value for key, value in self.as_dict().items() if key not in VARYING}


def key_of(cell: Cell) -> str:
    """Hash of all that a cell's result depends on by declaration.

    Parameters
    ----------
    cell : Cell

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    text = json.dumps([FORMAT, cell.identity], sort_keys=True, ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def default_store() -> Path:
    """$CROSSLABEL_STORE, or a folder in the user's cache."""
    given = os.environ.get("CROSSLABEL_STORE")
    return Path(given) if given else Path.home() / ".cache" / "crosslabel" / "reproduce"


class Store:
    """The folder of records.

    Parameters
    ----------
    folder : path, default=None
        Made when something is written; None for `default_store`.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = default_store() if folder is None else Path(folder)

    @property
    def features(self) -> Path:
        """Folder of features that take long to compute."""
        return self.folder / "features"

    @property
    def choices(self) -> Path:
        """Folder of parameters that training samples chose."""
        return self.folder / "choices"

    def place(self, cell: Cell) -> Path:
        """File of a cell's record."""
        return self.folder / "records" / f"{key_of(cell)}.json"

    def dictionary_place(self, cell: Cell) -> Path:
        """File of a cell's learnt atoms: `atoms`, `atom_labels`, `image_shape`, `classes`."""
        return self.folder / "dictionaries" / f"{key_of(cell)}.npz"

    def get(self, cell: Cell) -> Record | None:
        """The record of a cell, or None where it has not been computed.

        A file that is no record (a disk error, a foreign file) counts as none: it is replaced when
        the cell is computed.
        """
        try:
            content = json.loads(self.place(cell).read_text("utf-8"))
        except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
            return None
        if not isinstance(content, dict) or {f.name for f in fields(Record)} - content.keys():
            return None
        return Record(**{f.name: content[f.name] for f in fields(Record)})

    def put(self, cell: Cell, record: Record) -> Path:
        """Write a record whole, and see it on the disk before returning."""
        place = self.place(cell)
        text = json.dumps(record.as_dict(), ensure_ascii=False, sort_keys=True)
        write_whole(place, lambda file: file.write(text.encode()))
        return place

    def found(self, cells: Iterable[Cell]) -> dict[Cell, Record]:
        """Records of those of the cells that are finished.

        Parameters
        ----------
        cells : iterable of Cell
            As of `Spec.cells`.
        """
        records = ((cell, self.get(cell)) for cell in cells)
        return {cell: record for cell, record in records if record is not None}


def machine(device: str = "cpu") -> dict[str, object]:
    """What computed, as far as it bears on times and rounding."""
    threads = {pool["internal_api"]: pool["num_threads"] for pool in threadpool_info()}
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": threads,
        "device": device,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        return platform.processor() or platform.machine()
    return platform.processor() or platform.machine()
