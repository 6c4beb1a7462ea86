"""Models behind HTTP: the Open Inference Protocol, and the door that all pages are behind."""
