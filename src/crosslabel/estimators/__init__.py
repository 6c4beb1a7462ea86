"""Scikit-learn estimators, one method per file; each is loaded when it is first asked for."""

from typing import TYPE_CHECKING

from crosslabel.lazy import loader

if TYPE_CHECKING:
    from crosslabel.estimators.copar import COPAR
    from crosslabel.estimators.crc import CRC
    from crosslabel.estimators.crosslabel import CrossLabelClassifier
    from crosslabel.estimators.crosslabel_cv import CrossLabelClassifierCV
    from crosslabel.estimators.dksvd import DKSVD
    from crosslabel.estimators.dlsi import DLSI
    from crosslabel.estimators.dpl import DPL
    from crosslabel.estimators.fddl import FDDL
    from crosslabel.estimators.jdl import JDL
    from crosslabel.estimators.joint import JointDictionary
    from crosslabel.estimators.ksvd import KSVD
    from crosslabel.estimators.lcksvd import LCKSVD
    from crosslabel.estimators.llc import LLC
    from crosslabel.estimators.lrc import LRC
    from crosslabel.estimators.lrsdl import LRSDL
    from crosslabel.estimators.rcr import RCR
    from crosslabel.estimators.rejection import RejectingClassifier
    from crosslabel.estimators.src import SRC
    from crosslabel.estimators.supgraph import SupGraphDL

_FILES = {
    "COPAR": "copar",
    "CRC": "crc",
    "CrossLabelClassifier": "crosslabel",
    "CrossLabelClassifierCV": "crosslabel_cv",
    "DKSVD": "dksvd",
    "DLSI": "dlsi",
    "DPL": "dpl",
    "FDDL": "fddl",
    "JDL": "jdl",
    "JointDictionary": "joint",
    "KSVD": "ksvd",
    "LCKSVD": "lcksvd",
    "LLC": "llc",
    "LRC": "lrc",
    "LRSDL": "lrsdl",
    "RCR": "rcr",
    "RejectingClassifier": "rejection",
    "SRC": "src",
    "SupGraphDL": "supgraph",
}

__all__ = [
    "COPAR",
    "CRC",
    "DKSVD",
    "DLSI",
    "DPL",
    "FDDL",
    "JDL",
    "KSVD",
    "LCKSVD",
    "LLC",
    "LRC",
    "LRSDL",
    "RCR",
    "SRC",
    "CrossLabelClassifier",
    "CrossLabelClassifierCV",
    "JointDictionary",
    "RejectingClassifier",
    "SupGraphDL",
]


__getattr__ = loader(__name__, _FILES)


def __dir__() -> list[str]:
    return __all__
