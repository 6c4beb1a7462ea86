"""A study as the page shows it: accuracy with its interval, confusions, the curve, doubts."""

from __future__ import annotations

from collections.abc import Collection

from crosslabel.core.wilson import wilson_interval
from crosslabel.studio.asking import Said
from crosslabel.studio.doubts import doubts
from crosslabel.studio.study import Study


def told(study: Study | None, names: dict[str, str]) -> Said:
    """How good the model is.

    Parameters
    ----------
    study : Study or None
    names : dict
        What people call each class; classes that are gone are left out.
    """
    if study is None:
        return {"ready": False}
    confusion = study.confusion
    right, total = int(confusion.trace()), int(confusion.sum())
    low, high = wilson_interval(right, total)
    return {
        "ready": True,
        "version": study.version,
        "right": right,
        "total": total,
        "accuracy": right / total,
        "interval": [low, high],
        "names": [names.get(label, "?") for label in study.pictures.names],
        "confusion": confusion.tolist(),
        "curve": [{"size": n, "accuracy": p, "error": e} for n, p, e in study.curve],
    }


def doubted(study: Study | None, names: dict[str, str], confirmed: Collection[str]) -> list[Said]:
    """Pictures in doubt, with the classes that people know.

    Parameters
    ----------
    study : Study or None
    names : dict
    confirmed : collection of str
    """
    if study is None:
        return []
    return [
        {
            "key": one.key,
            "class": names[one.own],
            "other": names[one.other],
            "probability": one.own_probability,
            "other_probability": one.other_probability,
        }
        for one in doubts(study, confirmed)
        if one.own in names and one.other in names
    ]
