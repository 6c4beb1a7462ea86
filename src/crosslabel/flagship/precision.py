"""A trained model in another precision: half the memory, or a quarter, for some digits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crosslabel.core.discriminant import Discriminant
from crosslabel.core.rules import RULES
from crosslabel.flagship.fitted import Fitted, View

PRECISIONS = ("float64", "float32", "bfloat16")


def in_precision(fitted: Fitted, name: str) -> Fitted:
    """The model with dictionaries and discriminants of this type.

    Parameters
    ----------
    fitted : Fitted
    name : {"float64", "float32", "bfloat16"}
        With "bfloat16" atoms and discriminants are in float32, and what the rule multiplies queries
        with is kept in bfloat16.
    """
    if name not in PRECISIONS:
        raise ValueError(f"dtype is {name!r}; a model can have one of {', '.join(PRECISIONS)}.")
    views = tuple(_in_precision(view, name) for view in fitted.views)
    return replace(fitted, views=views, choice=None)


def _in_precision(view: View, name: str) -> View:
    is_half = name == "bfloat16"
    if is_half and not RULES[view.rule].halves:
        able = ", ".join(rule for rule in RULES if RULES[rule].halves)
        raise ValueError(
            f"The rule {view.rule!r} has no form in bfloat16. Use dtype='float32', or one of the "
            f"rules {able}."
        )
    dtype, g = np.dtype("float32" if is_half else name), view.discriminant
    if g is not None:
        g = Discriminant(g.weights.astype(dtype), g.offsets.astype(dtype))
    return replace(view, dictionary=view.dictionary.astype(dtype), discriminant=g, is_half=is_half)
