"""A feature as the command line offers it: for what data, with which options, as which steps.

A feature's own file holds its `RECIPE`; `recipes.py` finds it there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from sklearn.base import BaseEstimator

if TYPE_CHECKING:
    from crosslabel.media.gray import Item

Kind = Literal["images", "clips", "features"]
Steps = list[tuple[str, BaseEstimator]]


@dataclass(frozen=True)
class Option:
    """Something that a user may say about a feature.

    Parameters
    ----------
    name : str
        As `words`, which is `--words` on the command line. Features that understand the same thing
        share the name.
    help : str
        One sentence.
    default : object
        False for a flag.
    read : callable, default=str
        The value that a text stands for; raises ValueError with a sentence.
    """

    name: str
    help: str
    default: object = None
    read: Callable[[str], object] = str


@dataclass(frozen=True)
class FeatureSettings:
    """How features are computed.

    Parameters
    ----------
    options : mapping of str to object
        Values of the feature's options; those that are absent have their defaults.
    cache : str or None, default=None
        Folder for finished features.
    n_jobs : int or None, default=None
    verbose : bool, default=False
    seed : int, default=0
    scratch : str or None, default=None
        Folder for finished features of this run alone, for features that are not worth keeping.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    cache: str | None = None
    n_jobs: int | None = None
    verbose: bool = False
    seed: int = 0
    scratch: str | None = None

    @property
    def extraction(self) -> dict[str, Any]:
        """Parameters of a transformer that works by `extract`."""
        return {"cache": self.cache or self.scratch, "n_jobs": self.n_jobs, "verbose": self.verbose}


@dataclass(frozen=True)
class Recipe:
    """Pipeline steps under a name.

    Parameters
    ----------
    name : str
        As `--features` takes it.
    kind : {"images", "clips", "features"}
        The data that it is for.
    make : callable
        Called with the training items, of which the first may be looked at, the settings, and each
        option as a keyword; gives the steps.
    options : sequence of Option
    usual : bool, default=False
        Whether "auto" takes it for its kind.
    """

    name: str
    kind: Kind
    make: Callable[..., Steps]
    options: Sequence[Option] = ()
    usual: bool = False

    def steps(self, items: Sequence[Item], settings: FeatureSettings) -> Steps:
        """The steps for training items; an error where an option is not of this feature."""
        known = {option.name: option.default for option in self.options}
        unknown = [name for name in settings.options if name not in known]
        if unknown:
            theirs = f"has {', '.join(known)}" if known else "has none"
            raise ValueError(
                f"Features {self.name!r} have no option {unknown[0]!r}; the feature {theirs}."
            )
        return self.make(items, settings, **{**known, **settings.options})


def whole_number(text: str) -> int:
    """A whole number from 1 up."""
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"must be a whole number from 1 up, not {text!r}")
    return int(text)


def image_size(text: str) -> tuple[int, int]:
    """Height and width, as 54x48."""
    parts = text.lower().replace("×", "x").split("x")
    if len(parts) != 2 or not all(part.isdigit() and int(part) > 0 for part in parts):
        raise ValueError(f"must be HEIGHTxWIDTH, as 54x48, not {text!r}")
    return int(parts[0]), int(parts[1])
