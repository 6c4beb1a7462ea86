"""What a table may show of a method: each quantity once, with its unit and how it is averaged."""

from __future__ import annotations

from typing import NamedTuple


class Quantity(NamedTuple):
    """One number of a record.

    Attributes
    ----------
    title : str
        For the reader.
    scale : float
        From the record's unit to that of tables and of published values: per cent, or seconds.
    is_time : bool
        Times are better when they are shorter, and are summed up by their median.
    unit : str
        On the page.
    shown_scale : float
        From the unit of tables to that of the page.
    """

    title: str
    scale: float
    is_time: bool
    unit: str
    shown_scale: float = 1.0


QUANTITIES: dict[str, Quantity] = {
    "accuracy": Quantity("accuracy", 100.0, False, "%"),
    "mean_per_class": Quantity("mean of the classes’ accuracies", 100.0, False, "%"),
    "fit_seconds": Quantity("training time", 1.0, True, "s"),
    # A query takes less than a second: the page says milliseconds.
    "query_seconds": Quantity("time per query", 1.0, True, "ms", 1e3),
}
