"""Supervised dictionary learning by cross-label suppression with group regularization."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crosslabel import estimators
from crosslabel._version import __version__

if TYPE_CHECKING:
    from crosslabel.estimators import (
        COPAR,
        CRC,
        DKSVD,
        DLSI,
        DPL,
        FDDL,
        JDL,
        KSVD,
        LCKSVD,
        LLC,
        LRC,
        LRSDL,
        RCR,
        SRC,
        CrossLabelClassifier,
        CrossLabelClassifierCV,
        JointDictionary,
        RejectingClassifier,
        SupGraphDL,
    )
    from crosslabel.export import to_onnx
    from crosslabel.persistence import Model, load, save
    from crosslabel.streaming.statistics import ClassStatistics

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
    "ClassStatistics",
    "CrossLabelClassifier",
    "CrossLabelClassifierCV",
    "JointDictionary",
    "Model",
    "RejectingClassifier",
    "SupGraphDL",
    "__version__",
    "load",
    "save",
    "to_onnx",
]

_ELSEWHERE = {
    "ClassStatistics": "crosslabel.streaming.statistics",
    "Model": "crosslabel.persistence",
    "load": "crosslabel.persistence",
    "save": "crosslabel.persistence",
    "to_onnx": "crosslabel.export",
}
"""Names that are no estimators, and where they are: loaded when first asked for."""


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name]), name)
    return getattr(estimators, name)


def __dir__() -> list[str]:
    return __all__
