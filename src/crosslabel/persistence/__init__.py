"""Model files: what was trained, in a form that others can open without trusting its writer."""

from crosslabel.persistence.archive import ModelFileError
from crosslabel.persistence.model import Model, load, load_model, save

__all__ = ["Model", "ModelFileError", "load", "load_model", "save"]
