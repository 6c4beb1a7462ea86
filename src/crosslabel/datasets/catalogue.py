"""Every data set by name: found in the modules of the loaders that the package's stub lists."""

from __future__ import annotations

from crosslabel.datasets.data_set import DataSet
from crosslabel.lazy import declared

DATASETS: dict[str, DataSet] = {
    known.name: known
    for known in declared("crosslabel.datasets", "DATA_SET", DataSet, prefix="load_")
}
