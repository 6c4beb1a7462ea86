"""Names of a package that are imported when they are first asked for: a start pays for none.

A package lists its names once, in the stub file `__init__.pyi` beside its `__init__.py`, as imports
that type checkers read too. What the listed modules declare is found through the same list.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

Declared = TypeVar("Declared")


def exported(init_file: str) -> dict[str, str]:
    """The module of each name that a package's stub imports.

    Parameters
    ----------
    init_file : str
        The package's `__file__`. A line ``from package import *`` takes over all names of another
        package that has a stub.
    """
    tree = ast.parse(Path(init_file).with_suffix(".pyi").read_text(encoding="utf-8"))
    names: dict[str, str] = {}
    for line in tree.body:
        if not isinstance(line, ast.ImportFrom) or line.module is None:
            continue
        if line.names[0].name == "*":
            names |= exported(str(import_module(line.module).__file__))
        else:
            names |= {each.name: line.module for each in line.names}
    return names


def attach(
    package: str, init_file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package whose names its stub lists.

    Parameters
    ----------
    package, init_file : str
        Its `__name__` and `__file__`.
    """
    modules = exported(init_file)

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return load, lambda: sorted(modules), sorted(modules)


def declared(package: str, name: str, kind: type[Declared], *, prefix: str = "") -> list[Declared]:
    """What the modules that a package's stub lists hold under one name, in the stub's order.

    Parameters
    ----------
    package : str
        As "crosslabel.features".
    name : str
        As "RECIPE"; modules without it are passed over.
    kind : type
        What it must be.
    prefix : str, default=""
        Only modules are looked at whose exported name begins so.
    """
    listed = exported(str(import_module(package).__file__))
    modules = dict.fromkeys(module for each, module in listed.items() if each.startswith(prefix))
    found = [getattr(import_module(module), name, None) for module in modules]
    return [value for value in found if isinstance(value, kind)]
