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
    from crosslabel.persistence import Model, load, save

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
    "Model",
    "SupGraphDL",
    "__version__",
    "load",
    "save",
]


def __getattr__(name: str) -> Any:
    if name in ("Model", "load", "save"):
        from crosslabel import persistence

        return getattr(persistence, name)
    return getattr(estimators, name)


def __dir__() -> list[str]:
    return __all__
