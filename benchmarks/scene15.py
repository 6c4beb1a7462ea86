"""Scene15, 100 training images per class, from the raw images through our spatial pyramid.

Run: python -m benchmarks.scene15 --folder /var/tmp/scene15
"""

from benchmarks.pyramids import measure
from crosslabel.datasets import load_scene15

FIXED = {"atoms_per_class": 30, "suppression": 2e3}
GRID = {
    "ridge": [8e-3, 5e-2, 0.2],
    "grouping": [2e-2, 0.5],
    "rule": ["global", "local"],
}

if __name__ == "__main__":
    measure(load_scene15(), 100, FIXED, GRID)
