"""A quick start of the command: what scikit-learn imports but no command needs is put off.

Importing `sklearn.base` takes 1.4 s, of which SciPy's statistics take 0.6 s and pandas 0.3 s, both
for functions that are not called here. A command that labels one image would mostly wait for them.
Used by the command's own process alone; `import crosslabel` changes nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

PUT_OFF = "scipy.stats"
OPTIONAL = "pandas"


class Later(ModuleType):
    """Stands for a module, which is imported when something of it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def start_quickly() -> None:
    """Import scikit-learn's base without what it does not need at once."""
    if "sklearn" in sys.modules:
        return
    if PUT_OFF not in sys.modules:
        sys.modules[PUT_OFF] = Later(PUT_OFF)
    absent = OPTIONAL not in sys.modules
    if absent:
        # None makes an import fail: scikit-learn then takes pandas as not installed. Whoever
        # imports it afterwards gets it.
        sys.modules[OPTIONAL] = None  # type: ignore[assignment]
    try:
        import_module("sklearn.base")
    finally:
        if absent:
            del sys.modules[OPTIONAL]


def import_writer() -> None:
    """Import skops, which writes model files, without its list of what its own reader may load.

    For that list it imports all of scikit-learn, and with it torch and Dask where they are: three
    seconds. Model files are read by a reader of ours.
    """
    utilities: Any = import_module("sklearn.utils")
    every = utilities.all_estimators
    utilities.all_estimators = list
    try:
        import_module("skops.io")
    finally:
        utilities.all_estimators = every
