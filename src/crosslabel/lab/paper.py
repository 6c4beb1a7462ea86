"""The paper's tables as it printed them: `published.toml`, read into values for specs.

The file is the one place that holds these numbers. A spec names the sections that belong to it, and
a method the row of the paper that it is compared with.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

from crosslabel.lab.published import Published

FILE = Path(__file__).with_name("published.toml")
PARAMETERS = ("ridge", "suppression", "grouping")


class Printed(NamedTuple):
    """Under which key a section prints a quantity, and the factor from its unit to ours."""

    quantity: str
    key: str
    factor: float


PRINTED = (
    Printed("accuracy", "accuracy", 1.0),
    Printed("fit_seconds", "train_s", 1.0),
    Printed("query_seconds", "query_ms", 1e-3),
)
Section = Mapping[str, object]


@cache
def sections() -> Mapping[str, Section]:
    """Every section of the file by name."""
    return tomllib.loads(FILE.read_text("utf-8"))


def section(name: str) -> Section:
    """One section.

    Raises
    ------
    ValueError
        Where there is none of this name.
    """
    if name not in sections():
        known = ", ".join(sections())
        raise ValueError(f"The paper has no section {name!r}. Known: {known}.")
    return sections()[name]


def published(name: str, settings: Sequence[str]) -> Iterator[Published]:
    """Every value of a section, under the paper's names of the methods.

    Parameters
    ----------
    name : str
        Of the section.
    settings : sequence of str
        Names of its columns, in the paper's order.

    Yields
    ------
    Published
    """
    content = section(name)
    quoted = {
        method
        for key, methods in content.items()
        if key.startswith("quoted")
        for method in cast("list[str]", methods)
    }
    for quantity, key, factor in PRINTED:
        for method, entry in cast("Mapping[str, object]", content.get(key, {})).items():
            columns = _columns(entry, deviates=quantity == "accuracy")
            if len(columns) != len(settings):
                raise ValueError(
                    f"The paper's {name} has {len(columns)} columns for {method}, and the spec "
                    f"{len(settings)} settings: name one setting for each column."
                )
            for setting, values in zip(settings, columns):
                if values:
                    mean, *rest = (factor * value for value in values)
                    spread = rest[0] if rest else None
                    yield Published(method, setting, quantity, mean, spread, method in quoted)


def _columns(entry: object, *, deviates: bool) -> list[list[float]]:
    """The file's short forms made one: a list of [mean] or [mean, deviation], one a column.

    A flat list is one column with its deviation where the quantity has one, and else a column each.
    """
    if isinstance(entry, int | float):
        return [[float(entry)]]
    values = cast("list[list[float]] | list[float]", entry)
    if deviates and not isinstance(values[0], list):
        return [values]
    return [value if isinstance(value, list) else [value] for value in values]


def parameters(name: str, rule: str) -> dict[str, float]:
    """The flagship's ridge, suppression and grouping in a section, under one of its rules.

    Parameters
    ----------
    name : str
    rule : {"global", "local"}

    Returns
    -------
    dict of str to float
    """
    content = section(name)
    return {key: _of_rule(content[key], rule) for key in PARAMETERS}


def _of_rule(value: object, rule: str) -> float:
    """A number, or the one of this rule in words such as "10 for the local rule, 1 for …"."""
    if isinstance(value, int | float):
        return float(value)
    found = re.search(rf"(\S+) for the {rule} rule", str(value))
    if found is None:
        raise ValueError(f"The paper gives no value for the {rule} rule in {value!r}.")
    return float(found[1])
