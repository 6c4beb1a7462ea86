"""All of the flagship's benchmarks: exit status 1 where a bar is missed."""

import sys

from benchmarks import accuracy, core, selection
from benchmarks.lines import show

if __name__ == "__main__":
    missed = show("The core", core.lines())
    missed += show("\nSelection by cross-validation", selection.lines())
    missed += show("\nAccuracy in percent, mean of ten splits", accuracy.lines())
    sys.exit(1 if missed else 0)
