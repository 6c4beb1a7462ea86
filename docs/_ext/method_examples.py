"""Examples of methods for the reference, from `method_examples.toml`.

A method is looked up under the names of its class and of that class's bases, so that what several
classes inherit has one example. Needs no Sphinx, so that tests can run the examples.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path

PLACE = Path(__file__).with_suffix(".toml")
EXAMPLES: dict[str, dict[str, str]] = tomllib.loads(PLACE.read_text(encoding="utf-8"))

INNER = frozenset(
    {
        *("check_stored", "check_queries", "on_queries", "kept_summary", "encoder", "figure_size"),
        *("of_checked", "of_moments", "to_arrays", "from_arrays", "chosen", "empty"),
    }
)
"""Methods by which the library's own rooms call each other: no part of the interface."""


def is_shown(name: str, member: object) -> bool:
    """Whether the reference shows a member of a class: what is ours, and not for ourselves."""
    home = getattr(getattr(member, "fget", member), "__module__", None) or ""
    is_routing = name.startswith("set_") or name == "get_metadata_routing"
    return home.startswith("crosslabel") and not is_routing and name not in INNER


def example(owner: type, method: str) -> str:
    """The example of a method, with what comes first; "" where there is none."""
    for base in owner.__mro__:
        told = EXAMPLES.get(base.__name__, {})
        if method in told:
            return EXAMPLES.get(told["first"], told)["first"] + told[method]
    return ""


def all_examples() -> Iterator[tuple[str, str]]:
    """Every class and method that there is an example of."""
    for owner, told in EXAMPLES.items():
        yield from ((owner, method) for method in told if method != "first")
