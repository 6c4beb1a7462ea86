"""What was chosen for a model: its views, each a lift, settings of a dictionary, and shares.

And from what: kinds of scores, the grid of their settings, and the best of a lift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from crosslabel.core.backend import ArrayOrTensor
from crosslabel.core.discriminant import Discriminant
from crosslabel.core.scaling import Array
from crosslabel.flagship.problem import Settings
from crosslabel.intake.lift import Lift


@dataclass(frozen=True)
class Member:
    """One view of a model, before it is learnt.

    Attributes
    ----------
    lift : Lift
    settings : Settings
    rule : str
        A name in `RULES`.
    share : float or None
        Weight of the rule's evidence; None if it is still to be calibrated.
    shrinkage : float or None
        α of the discriminant; None for a view without one.
    discriminant_share : float
        Weight of the discriminant's scores.
    discriminant : Discriminant or None
        Where the samples that chose were all, and it is known already.
    """

    lift: Lift
    settings: Settings
    rule: str
    share: float | None = None
    shrinkage: float | None = None
    discriminant_share: float = 0.0
    discriminant: Discriminant | None = None


@dataclass(frozen=True)
class Choice:
    """The views of a model.

    Attributes
    ----------
    members : tuple of Member
    scores : dict
        Held-out accuracy of each rule that was tried.
    n_samples : float
        Weight of the samples that chose.
    """

    members: tuple[Member, ...]
    scores: dict[str, float] = field(default_factory=dict)
    n_samples: float = 0.0


class Kind(NamedTuple):
    """A score: of a kind with its ridge or α, by a rule of that kind, with so many atoms."""

    kind: str
    value: float
    rule: str
    n_atoms: int = 0


@dataclass(frozen=True)
class Grid:
    """What is tried in every lift.

    Attributes
    ----------
    ridges : sequence of float
        Of the local rule.
    global_ridges : sequence of float
        Of the rules by one code over all atoms.
    global_rules : sequence of str
        Their names.
    shrinkages : sequence of float
    n_atoms : sequence of int
        In ascending order.
    """

    ridges: Sequence[float]
    global_ridges: Sequence[float]
    global_rules: Sequence[str]
    shrinkages: Sequence[float]
    n_atoms: Sequence[int]


@dataclass(frozen=True)
class JointSetting:
    """One lift's joint rule; immutable.

    Its logits are dictionary_weight · evidence + discriminant_weight · g.

    Attributes
    ----------
    lift : str
    rule : str
        A name in `RULES`.
    n_atoms : int
        Of a class, which has no more than samples.
    ridge, shrinkage : float
        The shrinkage is of tr(W)/min(n_features, n_samples).
    dictionary_weight, discriminant_weight : float
    """

    lift: str
    rule: str
    n_atoms: int
    ridge: float
    shrinkage: float | None
    dictionary_weight: float
    discriminant_weight: float


@dataclass(frozen=True)
class Candidate:
    """A lift's best joint rule, and the logits and losses of the held-out samples.

    The head start is what it is ahead by before any sample is held out, in log loss.
    """

    setting: JointSetting
    logits: ArrayOrTensor
    losses: Array
    head_start: float = 0.0
