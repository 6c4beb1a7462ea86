"""Where the documentation lives, and the link to it in an estimator's HTML representation."""

from __future__ import annotations

from typing import TypeVar

SITE = "https://crosslabel.github.io/crosslabel/"

Estimator = TypeVar("Estimator", bound=type)


def on_site(cls: Estimator) -> Estimator:
    """An estimator class whose HTML representation, and its subclasses', link to the reference.

    scikit-learn reads the three attributes (`sklearn.utils.estimator_html_repr`).

    Parameters
    ----------
    cls : type
        A class that derives from `sklearn.base.BaseEstimator`.
    """
    cls._doc_link_module = "crosslabel"  # type: ignore[attr-defined]
    cls._doc_link_template = SITE + "api/generated/{page}.html"  # type: ignore[attr-defined]
    cls._doc_link_url_param_generator = _page  # type: ignore[attr-defined]
    return cls


def _page(self: object) -> dict[str, str]:
    """The page is called by where users import the class from."""
    room = type(self).__module__.split(".")[1]
    package = "crosslabel.features" if room == "features" else "crosslabel"
    return {"page": f"{package}.{type(self).__name__}"}
