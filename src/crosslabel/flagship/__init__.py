"""Cross-label suppression: lift, problem, learn, choose, fitted, and the estimators around them."""

from crosslabel.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
