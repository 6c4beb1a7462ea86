"""Which pictures probably lie in the wrong folder, and which are there twice."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch

from crosslabel.app.features_auto import choose
from crosslabel.core.scaling import Array
from crosslabel.datasets.source import load_source
from crosslabel.features.recipe import FeatureSettings
from crosslabel.flagship.audit import Audit, audit


@dataclass(frozen=True)
class Suspect:
    """A file whose label is probably wrong.

    Attributes
    ----------
    file : str
    label : str
        Its class by its folder.
    probability : float
        Of that class, by a model that has not seen the file.
    looks_like : str
        The class that suits better.
    looks_probability : float
    """

    file: str
    label: str
    probability: float
    looks_like: str
    looks_probability: float

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Pair:
    """Two files that show nearly the same under different labels."""

    first: str
    first_label: str
    second: str
    second_label: str

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Findings:
    """What was found in a folder or feature file.

    Attributes
    ----------
    suspects : list of Suspect
        The most doubtful first.
    near : list of Pair
        The nearest first.
    equal : list of list of str
        Groups of equal files.
    data : Bunch
        What was loaded, with `skipped`.
    features : str
    audit : Audit
    """

    suspects: list[Suspect]
    near: list[Pair]
    equal: list[list[str]]
    data: Bunch
    features: str
    audit: Audit

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "data": self.data.DESCR,
            "features": self.features,
            "suspects": [one.as_dict() for one in self.suspects],
            "near_duplicates": [pair.as_dict() for pair in self.near],
            "duplicates": self.equal,
        }


def audit_source(
    path: str | os.PathLike[str],
    *,
    features: str = "auto",
    settings: FeatureSettings | None = None,
    seed: int = 0,
    strict: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Findings:
    """Find files whose label is probably wrong, and files that are there twice.

    Parameters
    ----------
    path : path
        A folder with a subfolder for each class, or a `.mat` or `.npz` file.
    features : str, default="auto"
        A name of `crosslabel.features.recipes.RECIPES`, or "auto" for what suits the data.
    settings : FeatureSettings, default=None
        Of the features.
    seed : int, default=0
    strict : bool, default=False
        Raise for the first file that cannot be used instead of leaving it out.
    tell : callable, default=None
        Gets a line of text where something is decided, and asks for progress bars.

    Returns
    -------
    Findings
    """
    data = load_source(path, strict=strict, progress=tell is not None)
    X, name = _features(data, features, settings or FeatureSettings(seed=seed), tell)
    names, names_of = data.target_names, _names(data, path)
    found = audit(X, data.target, random_state=seed)
    suspects = [
        Suspect(
            names_of[n],
            str(names[data.target[n]]),
            float(found.probability[n]),
            str(names[found.looks_like[n]]),
            float(found.looks_probability[n]),
        )
        for n in found.suspects
    ]
    equal = _equal(data, found)
    # What is equal is told once, among the equal ones.
    known = [set(group) for group in equal]
    near = [
        Pair(names_of[a], str(names[data.target[a]]), names_of[b], str(names[data.target[b]]))
        for a, b, _ in found.near
        if not any({a, b} <= group for group in known)
    ]
    groups = [[names_of[n] for n in group] for group in equal]
    return Findings(suspects, near, groups, data, name, found)


def _features(
    data: Bunch, name: str, settings: FeatureSettings, tell: Callable[[str], None] | None
) -> tuple[Array, str]:
    chosen = choose(name, data.kind, data.samples, data.target, settings)
    if tell is not None and chosen.why:
        tell(chosen.why)
    steps = chosen.recipe.steps(data.samples, settings)
    X = Pipeline(steps).fit_transform(data.samples) if steps else data.samples
    return X, chosen.recipe.name


def _names(data: Bunch, path: str | os.PathLike[str]) -> Sequence[str]:
    if data.kind == "features":
        return [f"{path}[{row}]" for row in range(len(data.target))]
    return [str(file) for file in data.samples]


def _equal(data: Bunch, found: Audit) -> list[list[int]]:
    """Groups of equal files by their content, or of equal rows."""
    if data.kind == "features":
        return [group.tolist() for group in found.equal]
    groups: dict[str, list[int]] = defaultdict(list)
    for number, file in enumerate(data.samples):
        with open(file, "rb") as content:
            groups[hashlib.file_digest(content, "sha256").hexdigest()].append(number)
    # Files that differ may show the same pixels, and so have the same features.
    for group in found.equal:
        groups[f"features {group[0]}"] = group.tolist()
    several = sorted({tuple(group) for group in groups.values() if len(group) > 1})
    return [list(one) for one in several if not any(set(one) < set(other) for other in several)]
