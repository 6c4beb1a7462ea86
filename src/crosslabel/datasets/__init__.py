"""Data sets of the paper's experiments, one loader per file, and any folder or file of features.

A new data set is its file, which holds its loader and its `DATA_SET`, a line in `__init__.pyi`, and
its test.
"""

from crosslabel.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
