"""Supervised dictionary learning by cross-label suppression with group regularization."""

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
        SupGraphDL,
    )
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
    "SupGraphDL",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name == "ClassStatistics":
        from crosslabel.streaming.statistics import ClassStatistics

        return ClassStatistics
    return getattr(estimators, name)


def __dir__() -> list[str]:
    return __all__
