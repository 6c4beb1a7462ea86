"""The comparison methods, one file each; each is loaded when it is first asked for.

A new method is its file, a line in `__init__.pyi`, and its test.
"""

from crosslabel.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
