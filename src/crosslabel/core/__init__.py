"""The mathematics: pure functions on arrays. Imports numpy, scipy and nothing above this folder."""
