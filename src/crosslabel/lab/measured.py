"""What was measured of a method over its splits, in the units of tables, and the order of methods.

Accuracies are in per cent here, as tables print them; times are in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from crosslabel.lab.quantities import QUANTITIES
from crosslabel.lab.records import Record
from crosslabel.lab.spec import Cell, Spec, TableSetting

Records = Mapping[Cell, Record]


@dataclass(frozen=True)
class Measured:
    """One method at one setting over its splits.

    Attributes
    ----------
    method, setting, quantity : str
    n, wanted : int
        Splits that are done, and that the protocol has.
    value : float
        Mean of accuracies, median of times; NaN where nothing is done.
    deviation : float
        Standard deviation over the splits with n − 1 below the line, as the paper's MATLAB has it;
        NaN below two splits.
    """

    method: str
    setting: str
    quantity: str
    n: int
    wanted: int
    value: float
    deviation: float

    @property
    def complete(self) -> bool:
        """Whether every split is done."""
        return self.n >= self.wanted


def values(records: Records, method: str, setting: str, quantity: str) -> dict[int, float]:
    """A quantity of one method at one setting by split, in the unit of tables."""
    scale = QUANTITIES[quantity].scale
    return {
        cell.split: scale * getattr(record, quantity)
        for cell, record in records.items()
        if cell.method.name == method and cell.setting.name == setting
    }


def over_splits(
    spec: Spec, records: Records, quantity: str = "accuracy"
) -> dict[tuple[str, str], Measured]:
    """Mean (of times: median) and deviation of every method at every setting it runs at.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record
        As of `Store.found`.
    quantity : str, default="accuracy"

    Returns
    -------
    dict of (method, setting) to Measured
    """
    middle = np.median if QUANTITIES[quantity].is_time else np.mean
    found = {}
    for method in spec.methods:
        for setting in filter(method.runs_at, spec.settings):
            place = (method.name, setting.name)
            own = list(values(records, *place, quantity).values())
            found[place] = Measured(
                *place,
                quantity,
                len(own),
                spec.splits,
                float(middle(own)) if own else math.nan,
                float(np.std(own, ddof=1)) if len(own) > 1 else math.nan,
            )
    return found


def ranking(
    spec: Spec, records: Records, setting: str, *, same_size: bool = True
) -> list[Measured]:
    """Methods at a setting, most accurate first.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record
    setting : str
    same_size : bool, default=True
        Only methods whose dictionary has the flagship's size.

    Returns
    -------
    list of Measured
    """
    found = [
        measured
        for (method, place), measured in over_splits(spec, records).items()
        if place == setting and measured.n and (spec.method[method].same_size or not same_size)
    ]
    return sorted(found, key=lambda measured: -measured.value)


def rankings(spec: Spec, records: Records) -> Iterator[tuple[TableSetting, list[Measured]]]:
    """The ranking among methods of one size at each column that has something to rank.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record

    Yields
    ------
    TableSetting and list of Measured
    """
    for setting in spec.settings:
        order = ranking(spec, records, setting.name) if setting.x is None else []
        if len(order) > 1:
            yield setting, order
