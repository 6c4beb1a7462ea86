"""Pictures of models, scikit-learn's way: `from_estimator`, `from_predictions`, `plot`.

Matplotlib (extra `plot`) is imported when something is drawn.
"""

from crosslabel.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
