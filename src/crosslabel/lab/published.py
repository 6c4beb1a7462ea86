"""What the paper says of a table, and why ours differs where it does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """One value of the paper.

    Attributes
    ----------
    method : str
        A method of the spec, or the paper's name of one that the spec does not run.
    setting : str
    quantity : str
        A key of `QUANTITIES`; accuracies are in per cent, times in seconds.
    value : float
    deviation : float or None
        The paper's standard deviation, where it gives one.
    quoted : bool
        Whether the paper takes the value from other work without running the method.
    """

    method: str
    setting: str
    quantity: str
    value: float
    deviation: float | None = None
    quoted: bool = False


@dataclass(frozen=True)
class Ratio:
    """How many times as long `slow` takes as `fast`: what can be compared between machines."""

    quantity: str
    slow: str
    fast: str
    setting: str


@dataclass(frozen=True)
class Reason:
    """Why our value differs from the published one; an empty method or setting means all."""

    text: str
    method: str = ""
    setting: str = ""
