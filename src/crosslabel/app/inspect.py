"""Tell what a model file holds, as text for a reader."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from crosslabel.app.options import AS_JSON, MODEL
from crosslabel.app.printing import print_json, user_errors
from crosslabel.files.description import Description, describe
from crosslabel.files.visible import visible

SHOWN = 12  # class names that are written out


def as_text(description: Description) -> str:
    """The description as lines, in which nothing of the file can command a terminal."""
    return "\n".join(visible(line) for line in _lines(description))


def _lines(description: Description) -> Iterator[str]:
    manifest, summary = description.manifest, description.manifest["summary"]
    names = manifest["class_names"]
    libraries = ", ".join(f"{name} {version}" for name, version in manifest["libraries"].items())
    yield f"{description.file}: {description.bytes:,} bytes, SHA-256 holds ({description.checksum})"
    yield (
        f"Format {manifest['format_version']}, written by crosslabel {manifest['crosslabel']} "
        f"({libraries})"
    )
    if manifest["kind"]:
        yield f"Takes {manifest['kind']}; features: {manifest['features']}"
    more = " …" if len(names) > SHOWN else ""
    yield f"{len(names)} classes: {', '.join(names[:SHOWN])}{more}"
    for step in manifest["steps"]:
        yield f"Step {step['name']}: {step['type']}"
        for name, value in step["parameters"].items():
            yield f"    {name} = {value!r:.100}"
    for name, value in summary.items():
        if value in (None, []):
            continue
        yield f"{name}: {_short(value)}"
    yield f"{len(description.arrays)} arrays:"
    for array in description.arrays:
        shape = " × ".join(map(str, array.shape)) or "one"
        yield f"    {array.path:<50} {array.dtype:<10} {shape}"


def _short(value: object) -> str:
    """A value in one line; of a table what fits."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_short(entry)}" for name, entry in list(value.items())[:SHOWN])
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:300]


def inspect_command(model: MODEL, as_json: AS_JSON = False) -> None:
    """Verify a model file as loading would, and tell what it holds.

    For example:

      crosslabel inspect pets.skops
    """
    with user_errors():
        description = describe(model)
        if as_json:
            print_json(description.as_dict())
            return
        typer.echo(as_text(description))
