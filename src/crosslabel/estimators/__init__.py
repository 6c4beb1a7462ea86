"""Scikit-learn estimators, one method per file."""

from crosslabel.estimators.crosslabel import CrossLabelClassifier

__all__ = ["CrossLabelClassifier"]
