"""Scikit-learn estimators, one method per file."""
