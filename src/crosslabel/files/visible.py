"""Text of a stranger, fit to be shown: nothing in it commands a terminal or a spreadsheet."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""With which a cell begins that a spreadsheet would compute."""


def visible(text: str) -> str:
    """The text with a sign in the place of each character that is not printed, a line's end too.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else "�" for c in text)


def visible_values(value: object) -> object:
    """A value of JSON with all its texts, also those that are names, made visible."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [visible_values(entry) for entry in value]
    if isinstance(value, dict):
        return {visible(key): visible_values(entry) for key, entry in value.items()}
    return value


def cell(value: object) -> object:
    """A value for a cell of a spreadsheet: text is visible, and never a formula."""
    if not isinstance(value, str):
        return value
    return f"'{visible(value)}" if value.startswith(FORMULA) else visible(value)
