"""Which types a model file may hold: this library's, scikit-learn's estimators, NumPy's basics.

Names are checked before anything is imported, so that a file chooses no module but among these.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

import numpy as np

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
# Parts of scikit-learn that hold estimators. Not those that read files or fetch them, nor tests.
PARTS = (
    "calibration|cluster|compose|covariance|cross_decomposition|decomposition|discriminant_analysis"
    "|dummy|ensemble|feature_extraction|feature_selection|gaussian_process|impute|isotonic"
    "|kernel_approximation|kernel_ridge|linear_model|manifold|mixture|model_selection|multiclass"
    "|multioutput|naive_bayes|neighbors|neural_network|pipeline|preprocessing|random_projection"
    "|semi_supervised|svm"
)
SCIKIT_LEARN = re.compile(rf"sklearn\.({PARTS})(\._[a-z0-9_]+)?", re.ASCII)
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
    return bool(OURS.fullmatch(module) or SCIKIT_LEARN.fullmatch(module))


@cache
def trusted_class(module: str, name: str) -> type:
    """The type of this name.

    Of a package of ours any class that is defined there, of scikit-learn an estimator.
    """
    found = _found(module, name)
    if not isinstance(found, type):
        raise TypeError(f"{module}.{name} is no type")
    if module.startswith("sklearn."):
        from sklearn.base import BaseEstimator

        if not issubclass(found, BaseEstimator):
            raise TypeError(f"{module}.{name} is no estimator")
    return found


def trusted_function(module: str, name: str) -> Callable[..., object]:
    """The function of this name: NumPy's elementwise ones, or one of our mathematics.

    Not scikit-learn's: a file could hand a pipeline one that reads files or fetches them.
    """
    if module in UFUNC_MODULES and _is_ufunc(name):
        return getattr(np, name)
    if not module.startswith("crosslabel.core."):
        raise TypeError(f"the function {module}.{name} is not trusted")
    found = _found(module, name)
    if not callable(found) or isinstance(found, type):
        raise TypeError(f"{module}.{name} is no function")
    return found


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
