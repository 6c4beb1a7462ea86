"""Names of a package that are imported when they are first asked for: a start pays for none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loader(package: str, files: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__`: each name from the module of the package that has it.

    Parameters
    ----------
    package : str
        Its `__name__`.
    files : mapping of str to str
        The module, within the package, of each name.
    """

    def load(name: str) -> Any:
        if name not in files:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{files[name]}"), name)

    return load
