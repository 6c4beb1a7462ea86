"""Which types a model file may hold: ours, some estimators of scikit-learn, NumPy's basics.

Names are checked before anything is imported, so that a file chooses no module but among these.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module

import numpy as np

from crosslabel.files.foreign import FORMS

OURS = re.compile(r"crosslabel\.(core|features|flagship|intake|methods)(\.[a-z0-9_]+)+", re.ASCII)
# Modules in files of earlier versions, and where what they held is now.
EARLIER = (
    (
        re.compile(r"crosslabel\.estimators\.(crosslabel|crosslabel_cv|rejection)"),
        r"crosslabel.flagship.\1",
    ),
    (re.compile(r"crosslabel\.estimators\.([a-z]+)"), r"crosslabel.methods.\1"),
    (re.compile(r"crosslabel\.core\.relaxed"), "crosslabel.core.tied_codes"),
)
SCALARS = {
    name: np.dtype(name).type
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128", "str", "bytes"),
    )
} | {"bool_": np.bool_, "str_": np.str_, "bytes_": np.bytes_}
PLAIN = {"builtins": ("bool", "dict", "float", "int", "list", "set", "slice", "str", "tuple")}


UFUNC_MODULES = ("numpy", "numpy.core._multiarray_umath", "numpy._core._multiarray_umath")
"""Where versions of NumPy say that their elementwise functions come from; taken from `numpy`."""


def present_module(module: str) -> str:
    """Where a type is now whose module a file of an earlier version names."""
    for earlier, now in EARLIER:
        found = earlier.fullmatch(module)
        if found:
            return found.expand(now)
    return module


def is_trusted(module: str, name: str) -> bool:
    """Whether a file may name this type or function; nothing is imported.

    Parameters
    ----------
    module, name : str

    Returns
    -------
    bool
    """
    if not name.isidentifier():
        return False
    module = present_module(module)
    if module in UFUNC_MODULES and _is_ufunc(name):
        return True
    if module == "numpy":
        return name in SCALARS or name in ("ndarray", "dtype")
    if module == "numpy.random.mtrand":
        return name == "RandomState"
    known = PLAIN.get(module)
    if known is not None:
        return name in known
    return bool(OURS.fullmatch(module)) or f"{module}.{name}" in FORMS


@cache
def trusted_class(module: str, name: str) -> type:
    """The type of this name.

    Of ours an estimator, or a value of the mathematics: a tuple with names, or a data class.
    """
    found = _found(module, name)
    if not isinstance(found, type):
        raise TypeError(f"{module}.{name} is no type")
    if module.startswith("crosslabel.") and not hasattr(found, "get_params"):
        is_value = hasattr(found, "_fields") or is_dataclass(found)
        if not (is_value and present_module(module).startswith("crosslabel.core.")):
            raise TypeError(f"{module}.{name} is neither an estimator nor a value")
    return found


def trusted_function(module: str, name: str) -> Callable[..., object]:
    """The function of this name: an elementwise one of NumPy.

    No other: a file could hand a pipeline one that reads files, fetches them, or never ends.
    """
    if module in UFUNC_MODULES and _is_ufunc(name):
        return getattr(np, name)
    raise TypeError(f"the function {module}.{name} is not trusted")


def _found(module: str, name: str) -> object:
    if not is_trusted(module, name):
        raise TypeError(f"{module}.{name} is not trusted")
    module = present_module(module)
    if module == "builtins":
        return getattr(builtins, name)
    if module == "numpy":
        return SCALARS[name]
    found = getattr(import_module(module), name, None)
    # What a module has imported from elsewhere is not its own.
    if found is None or getattr(found, "__module__", None) != module:
        raise TypeError(f"{module} has no {name} of its own; it may be of another version")
    return found


def _is_ufunc(name: str) -> bool:
    return isinstance(getattr(np, name, None), np.ufunc)
