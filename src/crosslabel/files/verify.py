"""Whether an object that was made from a file could have been trained: before anyone uses it.

Parameters must lie in the ranges that the estimator itself states, and arrays must be finite. An
estimator of scikit-learn has a form in `foreign.py`. One of ours may bring `check_stored()`, which
refuses what does not fit together, drops what can be computed again, and counts what preparing
and one query will take.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from functools import cache
from pathlib import PurePath, PureWindowsPath
from typing import Any

import numpy as np

from crosslabel.files.container import ModelFileError
from crosslabel.files.foreign import FORMS

LOCAL = ("cache", "memory", "n_jobs", "checkpoint")
"""Parameters that name folders or processes of the machine that saved: they mean nothing here, and
a file must not choose where this machine reads, writes and deletes."""

Parameters = dict[str, Any]


@cache
def parameters_of(cls: type) -> dict[str, inspect.Parameter]:
    """Parameters of an estimator's constructor, by name."""
    found = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
    return {name: each for name, each in found.items() if name != "self"}


def without_places(cls: type, state: dict[str, Any]) -> dict[str, Any]:
    """The attributes of an estimator without the places of another machine.

    Parameters of `LOCAL` become None; of all others that may be paths the last name is left.

    Parameters
    ----------
    cls : type
    state : dict

    Returns
    -------
    dict
    """
    constraints = getattr(cls, "_parameter_constraints", {})
    paths = {
        name: PurePath(PureWindowsPath(state[name]).name).name
        for name, allowed in constraints.items()
        if isinstance(allowed, list)
        and any(isinstance(one, type) and issubclass(one, os.PathLike) for one in allowed)
        and isinstance(state.get(name), str)
    }
    return state | paths | {name: None for name in LOCAL if name in state}


def verify(made: object) -> None:
    """Refuse an object that no training gives.

    Parameters
    ----------
    made : object
        With its attributes; an estimator, or a value of ours.

    Raises
    ------
    ModelFileError
        Names the class and the attribute.
    """
    cls: type = type(made)
    try:
        if hasattr(made, "get_params"):
            parameters = {name: vars(made).get(name) for name in parameters_of(cls)}
            _check_parameters(cls, parameters)
            form = FORMS.get(f"{cls.__module__}.{cls.__qualname__}")
            if form is not None:
                form.check(vars(made), parameters)
        _check_finite(vars(made).items(), depth=0)
        check = getattr(made, "check_stored", None)
        if check is not None:
            check()
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError) as error:
        reason = str(error).strip(" .")
        raise ModelFileError(f"its {cls.__name__} is not sound: {reason[:400]}") from None


def _check_parameters(cls: type, parameters: Parameters) -> None:
    from sklearn.utils._param_validation import validate_parameter_constraints

    stated = getattr(cls, "_parameter_constraints", {})
    known = {name: value for name, value in parameters.items() if name in stated}
    validate_parameter_constraints(stated, known, caller_name=cls.__name__)


def _check_finite(attributes: Iterable[tuple[str, object]], depth: int) -> None:
    """Refuse arrays of numbers that are not finite, also those in lists and dictionaries."""
    for name, value in attributes:
        if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
            if not np.isfinite(value).all():
                raise ValueError(f"{name} holds NaN or infinity")
        elif depth < 4 and isinstance(value, dict):
            _check_finite(((str(key), entry) for key, entry in value.items()), depth + 1)
        elif depth < 4 and isinstance(value, list | tuple):
            _check_finite(((name, entry) for entry in value), depth + 1)
