"""Data sets of the paper's experiments, one loader per file, and any folder or file of features."""
