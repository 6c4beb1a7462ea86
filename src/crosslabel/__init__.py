"""Supervised dictionary learning by cross-label suppression with group regularization."""

from crosslabel._version import __version__
from crosslabel.estimators.crosslabel import CrossLabelClassifier
from crosslabel.estimators.crosslabel_cv import CrossLabelClassifierCV

__all__ = ["CrossLabelClassifier", "CrossLabelClassifierCV", "__version__"]
