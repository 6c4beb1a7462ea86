"""Every classifier of the library by name, for experiments that name them."""

from __future__ import annotations

from typing import Any

from crosslabel import flagship, methods

NAMES: list[str] = sorted([*dir(flagship), *dir(methods)])


def estimator_class(name: str) -> Any:
    """The class of this name, imported when it is first asked for."""
    return getattr(flagship if name in dir(flagship) else methods, name)
