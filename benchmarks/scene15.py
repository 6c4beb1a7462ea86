"""Scene15, 100 training images per class, from the raw images through our spatial pyramid.

Run: python -m benchmarks.scene15 --folder /var/tmp/scene15
"""

import sys

from benchmarks.pyramids import Protocol, measure
from crosslabel.datasets import load_scene15

FIXED = {"grouping": 2e-2}
GRID = {
    "atoms_per_class": [30, 90],
    "ridge": [5e-3, 0.1],
    "rule": ["global", "local"],
}

if __name__ == "__main__":
    sys.exit(measure("scene15", load_scene15(), Protocol(100, FIXED, GRID, gammas=(0.0, 0.5))))
