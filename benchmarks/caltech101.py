"""Caltech101 with its background class, 30 training images per class, from the raw images.

Run: python -m benchmarks.caltech101 --folder /var/tmp/caltech101
"""

from benchmarks.pyramids import measure
from crosslabel.datasets import load_caltech101

FIXED = {"atoms_per_class": 29, "shared_atoms": 100, "suppression": 2e2}
GRID = {"ridge": [8e-3, 5e-2, 0.2], "grouping": [2e-2, 0.5], "rule": ["global", "local"]}

if __name__ == "__main__":
    measure(load_caltech101(), 30, FIXED, GRID)
