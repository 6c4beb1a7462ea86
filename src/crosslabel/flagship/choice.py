"""What was chosen for a model: its views, each a lift, settings of a dictionary, and shares."""

from __future__ import annotations

from dataclasses import dataclass, field

from crosslabel.core.discriminant import Discriminant
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
