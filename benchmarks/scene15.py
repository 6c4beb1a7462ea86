"""Scene15, 100 training images per class, from the raw images through our spatial pyramid.

Run: python -m benchmarks.scene15 --folder /var/tmp/scene15
"""

from benchmarks.pyramids import measure
from crosslabel.datasets import load_scene15

FIXED = {"grouping": 2e-2}
GRID = {
    "atoms_per_class": [30, 90],
    "ridge": [5e-3, 0.1],
    "rule": ["global", "local"],
}

if __name__ == "__main__":
    measure(load_scene15(), 100, FIXED, GRID, gammas=(0.0, 0.5))
