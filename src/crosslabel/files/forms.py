"""What the attributes of a stored object must be: shape, type and range of every one.

Axes have names: two attributes that share a name share its length. `n_features_in_` gives the axis
"features", `classes_` the axis "classes".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LARGEST = {4: 1e9, 8: 1e30}
"""Of a number, by the bytes of its type. Products of a few such numbers are finite."""

SQUARABLE = 1e150
"""Of a number of what is learnt from samples of any size: its square is finite."""

Axes = dict[str, int]
Attributes = Mapping[str, Any]


@dataclass(frozen=True)
class Field:
    """One attribute.

    Parameters
    ----------
    shape : tuple of str and int
        Names of axes, or their lengths; () for a number.
    kinds : str
        Of NumPy's types: "f" for floating-point, "i" for whole numbers, "b" for truth values.
    low, high : float, optional
        The range of its values; without it that of `LARGEST`. A name of an axis stands for the
        last index on it.
    optional : bool
        Whether None will do.
    """

    shape: tuple[str | int, ...] = ()
    kinds: str = "f"
    low: float | None = None
    high: float | str | None = None
    optional: bool = False

    def check(self, name: str, value: object, axes: Axes) -> None:
        """Refuse a value that is not as it must be; note the lengths of new axes."""
        if value is None and self.optional:
            return
        if isinstance(value, bool | int | float) and not self.shape:
            value = np.asarray(value)
        if not isinstance(value, np.ndarray | np.generic) or value.ndim != len(self.shape):
            raise ValueError(f"{name} must have {len(self.shape)} axes")
        for axis, length in zip(self.shape, value.shape):
            known = axis if isinstance(axis, int) else axes.setdefault(axis, length)
            if length != known:
                raise ValueError(f"{name} has shape {value.shape}, but {length} should be {known}")
        if value.dtype.kind not in self.kinds:
            raise ValueError(f"{name} is of type {value.dtype}")
        self._check_range(name, value, axes)

    def _check_range(self, name: str, value: np.ndarray | np.generic, axes: Axes) -> None:
        if value.dtype.kind == "b" or value.size == 0:
            return
        largest = LARGEST.get(value.dtype.itemsize, 1e4) if value.dtype.kind == "f" else math.inf
        low = -largest if self.low is None else self.low
        high = axes[self.high] - 1 if isinstance(self.high, str) else self.high
        high = largest if high is None else high
        least, most = value.min().item(), value.max().item()
        # A minimum of NaN fails this comparison as well.
        if not (low <= least and most <= high):
            raise ValueError(
                f"{name} has values from {least:.3g} to {most:.3g}; they must lie between "
                f"{low:.3g} and {high:.3g}"
            )


@dataclass(frozen=True)
class Words:
    """An attribute that is one of a few values."""

    allowed: tuple[object, ...]

    def check(self, name: str, value: object, axes: Axes) -> None:
        """Refuse any other value."""
        if not any(type(value) is type(known) and value == known for known in self.allowed):
            raise ValueError(f"{name} is {value!r:.60}, not one of {self.allowed}")


@dataclass(frozen=True)
class Labels:
    """Names of classes, sorted and distinct, or of features: an axis of numbers or text."""

    axis: str
    distinct: bool = True

    def check(self, name: str, value: object, axes: Axes) -> None:
        """Refuse what is not a list of labels; note the length of its axis."""
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "biufUO":
            raise ValueError(f"{name} is no list of labels")
        if axes.setdefault(self.axis, len(value)) != len(value):
            raise ValueError(f"{name} has {len(value)} entries, not {axes[self.axis]}")
        if value.dtype.kind == "O" and not all(isinstance(label, str) for label in value):
            raise ValueError(f"{name} holds other objects than text")
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise ValueError(f"{name} holds labels that are not finite")
        if self.distinct and (value[1:] <= value[:-1]).any():
            raise ValueError(f"{name} is not sorted, or names a class twice")


@dataclass(frozen=True)
class Either:
    """An attribute that may be of two forms."""

    first: Field
    second: Field

    def check(self, name: str, value: object, axes: Axes) -> None:
        """Refuse what is of neither form."""
        chosen = self.first if np.ndim(value) == len(self.first.shape) else self.second  # type: ignore[arg-type]
        chosen.check(name, value, axes)


@dataclass(frozen=True)
class Elsewhere:
    """An attribute that is checked together with others (`Form.also`)."""

    def check(self, name: str, value: object, axes: Axes) -> None:
        """Leave it to the check of all attributes."""


Rule = Field | Words | Labels | Either | Elsewhere


def numbers(
    *shape: str | int, low: float | None = None, high: float | None = None, optional: bool = False
) -> Field:
    """An array of floating-point numbers."""
    return Field(shape, "f", low=low, high=high, optional=optional)


def positive(*shape: str | int, optional: bool = False) -> Field:
    """An array of numbers by which one can divide."""
    return Field(shape, "f", low=1e-30, optional=optional)


def whole(*shape: str | int, low: float = 0, high: str | float | None = None) -> Field:
    """An array of whole numbers."""
    return Field(shape, "iu", low=low, high=high)


COMMON: dict[str, Rule] = {
    "n_features_in_": whole(high=1e9),
    "classes_": Labels("classes"),
    "feature_names_in_": Labels("features", distinct=False),
}
"""Attributes that mean the same wherever they are."""


@dataclass(frozen=True)
class Form:
    """Every attribute that an estimator may have beside its parameters.

    Parameters
    ----------
    attributes : mapping of str to rule
        Beside those of `COMMON`.
    parameters : mapping of str to rule
        Narrower than what the estimator itself allows.
    also : callable, optional
        Further checks, from the attributes and the lengths of axes.
    """

    attributes: Mapping[str, Rule] = field(default_factory=dict)
    parameters: Mapping[str, Rule] = field(default_factory=dict)
    also: Callable[[Attributes, Axes], None] | None = None

    def check(self, state: Attributes, parameters: Attributes) -> None:
        """Refuse a state that is not of this form.

        Parameters
        ----------
        state : mapping
            All attributes.
        parameters : mapping
            Those that are parameters of the constructor.

        Raises
        ------
        ValueError
        """
        known = {**COMMON, **self.attributes}
        foreign = set(state) - set(parameters) - set(known)
        if foreign:
            raise ValueError(f"it has an attribute {min(foreign)!r:.60}, which is not known")
        axes = check_attributes(state, {**known, **self.parameters})
        if self.also is not None:
            self.also(state, axes)


def check_attributes(state: Attributes, rules: Mapping[str, Rule]) -> Axes:
    """Refuse attributes that break their rules; those without a rule are passed over.

    Parameters
    ----------
    state : mapping
        Attributes by name.
    rules : mapping of str to rule
        Beside those of `COMMON`.

    Returns
    -------
    dict
        Length of each axis.

    Raises
    ------
    ValueError
    """
    axes: Axes = {}
    if "n_features_in_" in state:
        COMMON["n_features_in_"].check("n_features_in_", state["n_features_in_"], axes)
        axes["features"] = int(state["n_features_in_"])
    if "classes_" in state:
        COMMON["classes_"].check("classes_", state["classes_"], axes)
        # Of two classes there is one score, of more one for each and one for each pair.
        n = axes["classes"]
        axes |= {"scores": 1 if n == 2 else n, "pairs": n * (n - 1) // 2, "others": n - 1}
    for name, rule in {**COMMON, **rules}.items():
        if name in state:
            rule.check(name, state[name], axes)
    return axes
