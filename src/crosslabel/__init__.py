"""Supervised dictionary learning by cross-label suppression with group regularization."""

from crosslabel._version import __version__

__all__ = ["__version__"]
