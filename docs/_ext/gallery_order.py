"""The order of the gallery: what a newcomer looks at first, then the others by name."""

from pathlib import Path

FIRST = (
    *("digits_atoms", "few_faces", "explain", "calibration", "strangers", "wrong_labels"),
    *("stream", "several_sites"),
)


def place(file: str) -> tuple[int, str]:
    """Where an example stands."""
    name = Path(file).stem.removeprefix("plot_")
    return (FIRST.index(name) if name in FIRST else len(FIRST), name)
