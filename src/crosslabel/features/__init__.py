"""Features of the paper's experiments as scikit-learn transformers, one per file."""
