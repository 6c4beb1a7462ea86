"""Features of the paper's experiments as scikit-learn transformers, one per file.

Each is loaded when it is first asked for: a model of pixels need not wait for dense SIFT.
"""

from crosslabel.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
