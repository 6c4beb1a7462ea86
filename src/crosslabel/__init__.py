"""Supervised dictionary learning by cross-label suppression with group regularization."""

from crosslabel._version import __version__
from crosslabel.estimators.crosslabel import CrossLabelClassifier

__all__ = ["CrossLabelClassifier", "__version__"]
