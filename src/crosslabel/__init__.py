"""Supervised dictionary learning by cross-label suppression with group regularization."""

from crosslabel._version import __version__ as __version__
from crosslabel.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
