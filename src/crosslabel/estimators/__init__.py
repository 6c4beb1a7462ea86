"""Scikit-learn estimators, one method per file."""

from crosslabel.estimators.crosslabel import CrossLabelClassifier
from crosslabel.estimators.crosslabel_cv import CrossLabelClassifierCV

__all__ = ["CrossLabelClassifier", "CrossLabelClassifierCV"]
