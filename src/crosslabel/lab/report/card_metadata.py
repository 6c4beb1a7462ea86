"""The block of metadata that opens a card, in the form that `skops.card` writes and hubs read.

YAML whose values are JSON, which YAML contains: text that a file chose stays text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

TASKS = {
    "images": "image-classification",
    "clips": "video-classification",
    "features": "tabular-classification",
}


def front_matter(file: str, manifest: Mapping[str, object]) -> str:
    """The lines between `---` and `---` that stand before the title of a card.

    Parameters
    ----------
    file : str
        Name of the model file.
    manifest : mapping
        What the file tells of itself.

    Returns
    -------
    str
    """
    summary = manifest.get("summary")
    facts: Mapping[str, object] = summary if isinstance(summary, dict) else {}
    task = TASKS.get(str(manifest.get("kind")), "tabular-classification")
    fields: dict[str, object] = {
        "library_name": "crosslabel",
        "tags": ["sklearn", "skops", "crosslabel", task],
        "pipeline_tag": task,
        "model_format": "skops",
        "model_file": file,
    }
    if facts.get("licence"):
        fields |= {"license": "other", "license_name": str(facts["licence"])}
    accuracy = _accuracy(facts)
    if accuracy is not None:
        result = {"task": {"type": task}, "metrics": [{"type": "accuracy", "value": accuracy}]}
        fields["model-index"] = [{"name": file, "results": [result]}]
    lines = [f"{name}: {_value(value)}" for name, value in fields.items()]
    return "\n".join(["---", *lines, "---"])


def _accuracy(facts: Mapping[str, object]) -> float | None:
    """Of held-out samples, where the file states a number."""
    held_out = facts.get("held_out")
    found = held_out.get("accuracy") if isinstance(held_out, dict) else None
    return float(found) if isinstance(found, int | float) else None


def _value(value: object) -> str:
    """JSON without a sign that could begin a tag where the block is taken for text."""
    return json.dumps(value, allow_nan=True).replace("<", "\\u003c").replace(">", "\\u003e")
