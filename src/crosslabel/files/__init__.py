"""Model files: what was trained, in a form that others can open without trusting its writer."""

from crosslabel.files.container import ModelFileError
from crosslabel.files.model import Model, load, load_model, save

__all__ = ["Model", "ModelFileError", "load", "load_model", "save"]
