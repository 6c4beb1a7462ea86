from crosslabel._version import __version__ as __version__
from crosslabel.files import Model as Model
from crosslabel.files import load as load
from crosslabel.files import save as save
from crosslabel.files.onnx import to_onnx as to_onnx
from crosslabel.flagship import *
from crosslabel.flagship.audit import audit as audit
from crosslabel.intake.statistics import ClassStatistics as ClassStatistics
from crosslabel.methods import *
from crosslabel.versions import show_versions as show_versions
