"""Models behind HTTP: the Open Inference Protocol, and the doors that every page here stands behind."""
