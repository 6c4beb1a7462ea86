"""What a user names of a model, and what is left to the choice by held-out samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.flagship.problem import Settings


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

    @property
    def is_open(self) -> bool:
        """Whether anything is left to the choice of held-out samples."""
        return self.rule not in RULES or self.ridge == "auto"
