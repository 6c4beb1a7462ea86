"""The version, in one place: read here by the build and by the package."""

__version__ = "0.1.0"
