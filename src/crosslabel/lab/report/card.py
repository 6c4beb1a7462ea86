"""A model card: what a model was trained on, how it was measured, and what it is not good for.

Reads a description of a model file, never the model, and says plainly what the file does not tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from crosslabel.files.description import Description
from crosslabel.lab.report.card_metadata import front_matter
from crosslabel.lab.report.html_tables import plain_table
from crosslabel.lab.report.markup import Markup, element
from crosslabel.lab.report.page import frame

Facts = Mapping[str, object]  # as a file states them: of any form, until it is looked at
UNKNOWN = "Not stated in the model file."
Block = str | list[str] | list[list[str]]
"""A paragraph, a list of items, or a table whose first row is its head."""


def sections(description: Description) -> Iterator[tuple[str, list[Block]]]:
    """Title and content of each section of a card.

    Parameters
    ----------
    description : Description

    Yields
    ------
    title : str
    blocks : list of Block
    """
    manifest = description.manifest
    summary: Facts = manifest["summary"]
    names: list[str] = manifest["class_names"]
    yield "Model", [_model(description)]
    yield "Data", [_data(names, summary)]
    yield "Protocol", [str(summary.get("protocol", UNKNOWN))]
    yield "Accuracy", [_accuracy(summary)]
    per_class = _facts(_held_out(summary), "per_class")
    if per_class:
        yield "Results per class", [_per_class(per_class, _held_out(summary))]
    yield "Limits", [_limits(len(names), summary)]
    yield "Licence of the training data", [str(summary.get("licence") or UNKNOWN)]


def markdown(description: Description) -> str:
    """The card as Markdown, which opens with a block of metadata."""
    title = _title(description)
    parts = [front_matter(title, description.manifest), f"# Model card: {_escaped(title)}"]
    for title, blocks in sections(description):
        parts += [f"## {title}", *(_as_markdown(block) for block in blocks)]
    return "\n\n".join(parts) + "\n"


def page(description: Description) -> str:
    """The card as one HTML page without scripts or outside files, in the report's style."""
    body = (
        element("section", element("h2", name), (_as_html(name, block) for block in blocks))
        for name, blocks in sections(description)
    )
    main = element("main", body, id="main", tabindex=-1)
    return frame(f"Model card: {_title(description)}", "", main, scripted=False)


FORMS = {"markdown": markdown, "html": page}


def _title(description: Description) -> str:
    return description.file.replace("\\", "/").rpartition("/")[2]


def _model(description: Description) -> list[str]:
    manifest = description.manifest
    steps = " → ".join(step["type"].rpartition(".")[2] for step in manifest["steps"])
    items = [
        f"Steps: {steps}",
        f"Written by crosslabel {manifest['crosslabel']}, scikit-learn "
        f"{manifest['libraries'].get('scikit-learn', 'of an unknown version')}",
        f"File: {description.bytes:,} bytes, SHA-256 {description.checksum}",
    ]
    chosen = manifest["summary"].get("parameters")
    if isinstance(chosen, dict):
        items.append(
            "Parameters: " + ", ".join(f"{name} {value}" for name, value in chosen.items())
        )
    if "rule" in manifest["summary"]:
        items.append(f"Rule: {manifest['summary']['rule']}")
    return items


def _data(names: list[str], summary: Facts) -> list[str]:
    shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
    items = [str(summary.get("data", UNKNOWN)).strip(), f"{len(names)} classes: {shown}"]
    if summary.get("data_name"):
        items.insert(0, f"Name: {summary['data_name']}")
    if "training_samples" in summary:
        items.append(f"{summary['training_samples']} training samples")
    skipped = summary.get("skipped")
    if isinstance(skipped, list) and skipped:
        items.append(f"{len(skipped)} files or classes were left out as unusable")
    return items


def _facts(found: Facts, key: str) -> Facts:
    """What lies under a key, where it has the form of facts."""
    inner = found.get(key)
    return inner if isinstance(inner, dict) else {}


def _held_out(summary: Facts) -> Facts:
    return _facts(summary, "held_out")


def _accuracy(summary: Facts) -> str:
    found = _held_out(summary)
    said = [found.get("accuracy"), *_pair(found.get("interval"))]
    numbers = [100 * number for number in said if isinstance(number, int | float)]
    if len(numbers) < len(said):
        return UNKNOWN
    share, low, high = numbers
    return (
        f"{share:.2f} % of {found.get('total', '?')} samples that training had not seen; 95 % "
        f"interval {low:.2f} to {high:.2f} % (Wilson). Mean of the classes' accuracies: "
        f"{_percent(found.get('mean_per_class'))}."
    )


def _pair(value: object) -> list[object]:
    return value if isinstance(value, list) and len(value) == 2 else [None, None]


def _per_class(per_class: Facts, found: Facts) -> list[list[str]]:
    counts = _facts(found, "per_class_total")
    rows = [
        [name, _percent(share), str(counts.get(name, "?"))] for name, share in per_class.items()
    ]
    return [["class", "accuracy", "samples"], *rows]


def _limits(n_classes: int, summary: Facts) -> list[str]:
    """What follows from how it was made; a user's own words about limits come first."""
    found = _held_out(summary)
    items = [str(summary["limits"])] if summary.get("limits") else []
    items.append(
        f"It answers with one of its {n_classes} classes whatever it is shown: "
        "also for what belongs to none of them."
    )
    items.append(
        "The accuracy is that of samples from the same source. Other cameras, places, people or "
        "times were not measured; `crosslabel evaluate` measures them."
    )
    shares = {
        name: share
        for name, share in _facts(found, "per_class").items()
        if isinstance(share, int | float) and math.isfinite(share)
    }
    if shares and min(shares.values()) < 1:
        worst = min(shares, key=lambda name: shares[name])
        items.append(f"Its weakest class is {worst}, at {_percent(shares[worst])}.")
    total = found.get("total")
    if isinstance(total, int) and total < 100:
        items.append(f"It was measured on {total} samples only: the interval is wide.")
    items.append(
        "The file holds averages of training samples (the dictionary), from which they may be "
        "recognised: it is no more public than the data."
    )
    return items


def _percent(value: object) -> str:
    return f"{100 * value:.2f} %" if isinstance(value, int | float) else "?"


def _escaped(text: str) -> str:
    """Text that a file chose, without the power to be markup in Markdown."""
    flat = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in flat)


def _as_markdown(block: Block) -> str:
    if isinstance(block, str):
        return _escaped(block)
    if block and isinstance(block[0], list):
        head, *rows = ([_escaped(cell) for cell in row] for row in block)
        lines = [head, ["---"] * len(head), *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n".join(f"- {_escaped(str(item))}" for item in block)


def _as_html(title: str, block: Block) -> Markup:
    if isinstance(block, str):
        return element("p", block)
    if block and isinstance(block[0], list):
        head, *rows = block
        return plain_table(title, list(head), [list(row) for row in rows])
    return element("ul", (element("li", str(item)) for item in block), class_="reasons")
