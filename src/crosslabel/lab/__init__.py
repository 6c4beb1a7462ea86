"""Experiments: comparisons of methods, with records that survive an interruption."""
