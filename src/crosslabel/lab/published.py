"""What the paper says of a table, what ours should reach, and why ours differs where it does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """One value of the paper.

    Attributes
    ----------
    method, setting : str
        `method` need not be one of the spec's: a value may only be quoted.
    quantity : str
        One of `QUANTITIES`; accuracies in per cent, times in seconds.
    value : float
    deviation : float or None
        The paper's standard deviation, where it is known.
    mark : {"measured", "quoted"}
        "measured" where this spec measures the same here, "quoted" where it only cites.
    """

    method: str
    setting: str
    quantity: str
    value: float
    deviation: float | None
    mark: str


@dataclass(frozen=True)
class Target:
    """A value that ours should reach: at least, or for times at most."""

    method: str
    setting: str
    quantity: str
    value: float


@dataclass(frozen=True)
class Ratio:
    """How many times as long `slow` takes as `fast`, and what the paper's times give."""

    quantity: str
    slow: str
    fast: str
    setting: str
    at_least: float


@dataclass(frozen=True)
class Reason:
    """Why our value differs from the published one; an empty method or setting means all."""

    text: str
    method: str = ""
    setting: str = ""
