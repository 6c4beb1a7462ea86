"""What is asked of a model, and of which samples: the problem that training solves.

A wish is what a user names and what is left to the choice by held-out samples; settings are all
that a dictionary needs to know; a problem is a summary of samples with its settings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import StrOptions

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.code_blocks import UndeterminedCodesError
from crosslabel.core.grouped import learn_grouped
from crosslabel.core.initialise import Initialiser
from crosslabel.core.moments import Moments, Scatter
from crosslabel.core.objective import Penalties
from crosslabel.core.rules import RULES
from crosslabel.core.scaling import Array
from crosslabel.core.solver import Solution
from crosslabel.core.spectral import closed_form
from crosslabel.intake.labels import ClassLabels
from crosslabel.intake.summary import Summary

SPECTRAL = "spectral"
"""Name of the start from the closed form."""
USUAL_ATOMS = 30
"""Of a class, where nobody names a number."""
AUTO = StrOptions({"auto"})
"""The value of a parameter that is left to the choice."""


@dataclass(frozen=True)
class Settings:
    """What the user asks of the dictionary; names as of `CrossLabelClassifier`."""

    atoms_per_class: int | Sequence[int] = 15
    shared_atoms: int = 0
    ridge: float = 8e-3
    suppression: float = math.inf
    grouping: float = 0.0
    init: str | Initialiser | ArrayLike = SPECTRAL
    max_iter: int = 20
    tol: float = 1e-4
    solver: str = "exact"
    device: str | None = None
    seed: int = 0

    @classmethod
    def of(cls, model: BaseEstimator, seed: int, device: str | None = None) -> Settings:
        """What the parameters of a classifier name.

        Parameters
        ----------
        model : CrossLabelClassifier
        seed : int
        device : str, optional
            Where samples lie that are tensors; the model's own if not given.
        """
        return cls(
            USUAL_ATOMS if isinstance(model.atoms_per_class, str) else model.atoms_per_class,
            int(model.shared_atoms),
            0.0 if isinstance(model.ridge, str) else float(model.ridge),
            float(model.suppression),
            float(model.grouping),
            model.init,
            int(model.max_iter),
            float(model.tol),
            model.solver,
            device or model.device,
            seed,
        )

    def equals(self, other: Settings) -> bool:
        """Whether the same is asked, where some of it may be an array."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    @property
    def penalties(self) -> Penalties:
        """β, λ and γ."""
        return Penalties(float(self.ridge), float(self.suppression), float(self.grouping))

    @property
    def limit(self) -> Callable[..., Solution]:
        """How atoms are learnt at infinite suppression: with one shrinkage, or two by grouping."""
        return learn_grouped if self.grouping else closed_form

    @property
    def starts_closed(self) -> bool:
        """Whether the closed form is what iterations start from."""
        return isinstance(self.init, str) and self.init == SPECTRAL

    @property
    def is_closed_form(self) -> bool:
        """Whether there is nothing to iterate."""
        return math.isinf(self.suppression) and self.solver != "paper" and self.starts_closed


@dataclass(frozen=True)
class Wish:
    """What a user names, and what is left to the choice; names as of `CrossLabelClassifier`."""

    settings: Settings
    rule: str = "auto"
    ridge: Literal["auto"] | float = "auto"
    shrinkage: Literal["auto"] | float = "auto"
    scale: str = "auto"
    offset: Literal["auto"] | float = "auto"
    kernel: str | Callable[[Array, Array], Array] = "auto"
    n_landmarks: int | None = None
    free_atoms: bool = False
    """Whether large classes may get more atoms than the settings say, which is the least."""

    @classmethod
    def of(cls, model: BaseEstimator, seed: int, device: str | None = None) -> Wish:
        """What the parameters of a classifier name; parameters as of `Settings.of`."""
        return cls(
            Settings.of(model, seed, device),
            rule=model.rule,
            ridge=model.ridge,
            shrinkage=model.shrinkage,
            scale=model.scale,
            offset=model.offset,
            kernel=model.kernel,
            n_landmarks=model.n_landmarks,
            free_atoms=isinstance(model.atoms_per_class, str),
        )

    @property
    def tries_atoms(self) -> bool:
        """Whether several numbers of atoms are tried: in closed form one more costs little."""
        return self.free_atoms and self.settings.is_closed_form

    @property
    def is_open(self) -> bool:
        """Whether anything is left to the choice of held-out samples."""
        return self.rule not in RULES or self.ridge == "auto"

    @property
    def parts_classes(self) -> bool:
        """Whether every class is a problem of its own, with nothing to choose between them."""
        settings = self.settings
        return settings.is_closed_form and not settings.shared_atoms and not self.is_open

    @property
    def is_for_device(self) -> bool:
        """Whether it is to be learnt on a device from beginning to end, and can be."""
        settings, rule = self.settings, RULES.get(self.rule)
        apart = settings.is_closed_form and not settings.shared_atoms and not settings.grouping
        plain = self.scale != "none" and self.kernel in ("auto", "linear", "rbf", "poly")
        takes = rule is None or rule.takes_tensors
        return settings.device is not None and apart and plain and takes


@dataclass(frozen=True)
class Problem:
    """Learn a dictionary from a summary.

    Attributes
    ----------
    summary : Summary
    settings : Settings
    classes : ndarray
        Labels of all classes, also of those that have no samples yet.
    """

    summary: Summary
    settings: Settings
    classes: ClassLabels

    @cached_property
    def moments(self) -> Moments:
        """Statistics of the classes seen, in the precision of the samples."""
        return self.summary.statistics.moments.astype(self.summary.dtype)

    @cached_property
    def seen(self) -> NDArray[np.intp]:
        """Places in `classes` of the classes that have samples."""
        return np.searchsorted(self.classes, self.summary.classes)

    @cached_property
    def canonical(self) -> NDArray[np.intp]:
        """An order of the classes seen that does not depend on their names."""
        return np.argsort(self.summary.keys, kind="stable")

    @cached_property
    def layout(self) -> AtomLayout:
        """Atoms of the classes seen: no more than distinct samples, unless they are given."""
        sizes = wanted_atoms(self.settings.atoms_per_class, len(self.classes))[self.seen]
        if isinstance(self.settings.init, str):
            sizes = np.minimum(sizes, self.distinct)
        return AtomLayout(int(self.settings.shared_atoms), tuple(sizes.tolist()))

    @cached_property
    def distinct(self) -> NDArray[np.intp]:
        """At most so many distinct samples each class has, as far as is known."""
        sample = self.summary.sample
        kept = np.bincount(sample.labels, minlength=len(self.summary.classes))
        # Where samples were left out, the rank of the scatter bounds the atoms that make sense.
        bounds = [len(s.array) + 1 if s.is_factor else s.array.shape[1] for s in self.scatters]
        return np.where(sample.is_complete, kept, np.maximum(kept, bounds))

    @property
    def scatters(self) -> tuple[Scatter, ...]:
        """Scatter of each class seen."""
        return self.moments.scatters

    @contextmanager
    def naming(self, order: NDArray[np.intp]) -> Iterator[None]:
        """Errors about a class, whose number is a place in the order, come out under its name."""
        try:
            yield
        except UndeterminedCodesError as error:
            raise error.named(self.summary.classes.tolist()[order[error.label]]) from None

    def with_places(self, layout: AtomLayout) -> AtomLayout:
        """The layout over all classes: those without samples get a place without atoms."""
        sizes = np.zeros(len(self.classes), np.intp)
        sizes[self.seen] = layout.per_class
        return AtomLayout(layout.shared, tuple(sizes.tolist()))


def wanted_atoms(atoms_per_class: int | Sequence[int], n_classes: int) -> NDArray[np.intp]:
    """Number of atoms that each class is to have.

    Raises
    ------
    ValueError
        If it is neither one number nor one for each class, all of them positive.
    """
    sizes = np.asarray(atoms_per_class)
    if sizes.shape not in {(), (n_classes,)} or sizes.dtype.kind not in "iu":
        raise ValueError(
            f"atoms_per_class must be an integer, or one integer for each of the "
            f"{n_classes} classes; got {atoms_per_class!r}."
        )
    if sizes.min() < 1:
        raise ValueError(
            f"Every class needs at least one atom, but atoms_per_class has {sizes.min()}."
        )
    return np.broadcast_to(sizes, n_classes).astype(np.intp)
