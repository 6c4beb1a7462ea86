"""Accuracy and speed, measured and printed: one file per problem."""
