"""Is it the paper's? Ours beside each published value, and ratios of times beside the paper's."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from crosslabel.lab.measured import Measured, Records, over_splits, values
from crosslabel.lab.published import Published, Ratio
from crosslabel.lab.quantities import QUANTITIES
from crosslabel.lab.spec import Spec

COMPARED = {
    "above": "at or above the published value",
    "within": "below by at most one standard deviation",
    "below": "below by more than one standard deviation",
}
WORDS = COMPARED | {
    "missing": "not measured yet",
    "unpublished": "no published value is known",
}


@dataclass(frozen=True)
class Verdict:
    """Ours beside the published value.

    Attributes
    ----------
    word : str
        A key of `WORDS`. For times, "above" means as fast or faster.
    ours, published, difference : float
        `difference` is ours − published.
    deviation : float
        The deviation that "within" refers to; NaN where there is none.
    whose : {"published", "ours", ""}
        Whose deviation it is: ours where the paper's is not known.
    reason : str
        Why, where the word is "within" or "below", as far as it is known.
    """

    word: str
    ours: float
    published: float = math.nan
    difference: float = math.nan
    deviation: float = math.nan
    whose: str = ""
    reason: str = ""

    def __str__(self) -> str:
        return WORDS[self.word]


def judge(measured: Measured, published: Published | None, reason: str = "") -> Verdict:
    """Say whether ours is above the published value, within one deviation of it, or below.

    Parameters
    ----------
    measured : Measured
    published : Published or None
    reason : str, default=""
        As of `Spec.reason`.

    Returns
    -------
    Verdict
    """
    ours = measured.value
    if published is None:
        return Verdict("unpublished", ours)
    if measured.n == 0:
        return Verdict("missing", ours, published.value)
    spread, whose = published.deviation, "published"
    if spread is None:
        spread, whose = measured.deviation, "ours"
    difference = ours - published.value
    shortfall = difference if QUANTITIES[measured.quantity].is_time else -difference
    if shortfall <= 0:
        word, why = "above", ""
    elif shortfall <= spread:
        word, why = "within", reason
    else:
        word, why = "below", reason or "The reason is not known."
    return Verdict(word, ours, published.value, difference, spread, whose, why)


def verdicts(
    spec: Spec, records: Records, quantity: str = "accuracy"
) -> dict[tuple[str, str], Verdict]:
    """A verdict for every method at every setting.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record
    quantity : str, default="accuracy"

    Returns
    -------
    dict of (method, setting) to Verdict
    """
    said = spec.said(quantity)
    return {
        place: judge(measured, said.get(place), spec.reason(*place))
        for place, measured in over_splits(spec, records, quantity).items()
    }


@dataclass(frozen=True)
class TimesAsLong:
    """A ratio of times: ours, and the one of the paper's times.

    Attributes
    ----------
    ratio : Ratio
    ours : float
        Median over the splits that both methods have; NaN where there are none.
    published : float
        NaN where the paper lacks one of the times.
    """

    ratio: Ratio
    ours: float
    published: float

    @property
    def reached(self) -> bool | None:
        """Whether ours is at least the paper's; None where one of the two is not known."""
        if math.isnan(self.ours) or math.isnan(self.published):
            return None
        return self.ours >= self.published


def ratios(spec: Spec, records: Records) -> list[TimesAsLong]:
    """Every ratio of times that a spec asks for.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record

    Returns
    -------
    list of TimesAsLong
    """
    results = []
    for ratio in spec.ratios:
        names = (ratio.slow, ratio.fast)
        slow, fast = (values(records, name, ratio.setting, ratio.quantity) for name in names)
        shared = slow.keys() & fast.keys()
        ours = float(np.median([slow[s] / fast[s] for s in shared])) if shared else math.nan
        said = [spec.said(ratio.quantity).get((name, ratio.setting)) for name in names]
        theirs = said[0].value / said[1].value if said[0] and said[1] else math.nan
        results.append(TimesAsLong(ratio, ours, theirs))
    return results
