"""Caltech101 with its background class, 30 training images per class, from the raw images.

Run: python -m benchmarks.caltech101 --folder /var/tmp/caltech101
"""

from benchmarks.pyramids import measure
from crosslabel.datasets import load_caltech101

FIXED = {"atoms_per_class": 29, "solver": "class"}
GRID = {
    "shared_atoms": [0, 100],
    "ridge": [5e-2, 0.2],
    "grouping": [0.5, 5.0],
    "rule": ["global", "local"],
}

if __name__ == "__main__":
    measure(load_caltech101(), 30, FIXED, GRID)
