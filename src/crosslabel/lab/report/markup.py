"""HTML and SVG from Python: elements whose text is escaped unless it is markup already."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

VOID = {"br", "col", "hr", "img", "input", "link", "meta"}  # elements without an end


class Markup(str):
    """Text that is markup already, and is not escaped again."""

    __slots__ = ()


def element(kind: str, /, *children: object, **attributes: object) -> Markup:
    """An element with its attributes and children.

    Parameters
    ----------
    kind : str
    *children : str, Markup, numbers, None, or iterables of these
        Text is escaped, markup is not; None is left out.
    **attributes : str, number, bool or None
        An underscore at the end is dropped, one inside becomes a hyphen: `class_`, `aria_label`.
        True gives the bare name; None and False leave the attribute out.
    """
    words = "".join(_attribute(key, value) for key, value in attributes.items())
    start = f"<{kind}{words}>"
    return Markup(start if kind in VOID else f"{start}{join(children)}</{kind}>")


def join(children: Iterable[object]) -> Markup:
    """One piece of markup of many."""
    return Markup("".join(_text(child) for child in children))


def number(value: float) -> str:
    """A coordinate, short: at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _text(child: object) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return escape(child, quote=False)
    if isinstance(child, float):
        return number(child)
    return join(child) if isinstance(child, Iterable) else str(child)


def _attribute(key: str, value: object) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    return f' {name}="{escape(number(value) if isinstance(value, float) else str(value))}"'
