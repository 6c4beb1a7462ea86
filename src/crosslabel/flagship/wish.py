"""What a user names of a model, and what is left to the choice by held-out samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sklearn.utils._param_validation import StrOptions

from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.flagship.problem import Settings

AUTO = StrOptions({"auto"})
"""The value of a parameter that is left to the choice."""


@dataclass(frozen=True)
class Wish:
    """What a user names, and what is left to the choice; names as of `CrossLabelClassifier`."""

    settings: Settings
    rule: str = "auto"
    ridge: Literal["auto"] | float = "auto"
    shrinkage: Literal["auto"] | float = "auto"
    scale: str = "auto"
    offset: Literal["auto"] | float = "auto"
    kernel: str | Callable[[Array, Array], Array] = "auto"
    n_landmarks: int | None = None
    free_atoms: bool = False
    """Whether large classes may get more atoms than the settings say, which is the least."""

    @property
    def tries_atoms(self) -> bool:
        """Whether several numbers of atoms are tried: in closed form one more costs little."""
        return self.free_atoms and self.settings.is_closed_form

    @property
    def is_open(self) -> bool:
        """Whether anything is left to the choice of held-out samples."""
        return self.rule not in RULES or self.ridge == "auto"

    @property
    def parts_classes(self) -> bool:
        """Whether every class is a problem of its own, with nothing to choose between them."""
        settings = self.settings
        return settings.is_closed_form and not settings.shared_atoms and not self.is_open

    @property
    def is_for_device(self) -> bool:
        """Whether all of it can be learnt on a device, and is to be."""
        plain = self.scale in ("auto", "unit") and self.kernel in ("auto", "linear")
        there = self.settings.device is not None and not self.settings.grouping
        return there and plain and self.parts_classes and RULES[self.rule].takes_tensors
