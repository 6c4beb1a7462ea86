"""What a referee asks of a table: how sure is it, is the order of methods real, is it the paper's?

Accuracies are in per cent here, as tables print them; times are in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crosslabel.lab.published import Published, Ratio, Target
from crosslabel.lab.records import Record
from crosslabel.lab.spec import Cell, Setting, Spec

Records = Mapping[Cell, Record]
CONFIDENCE = 0.95
SCALES = {"accuracy": 100.0, "mean_per_class": 100.0, "fit_seconds": 1.0, "query_seconds": 1.0}
TIMES = ("fit_seconds", "query_seconds")
WORDS = {
    "above": "at or above the published value",
    "within": "below by no more than one standard deviation",
    "below": "below",
    "missing": "not measured yet",
    "unpublished": "no published value is known",
}


@dataclass(frozen=True)
class Summary:
    """One method at one setting over its splits.

    Attributes
    ----------
    method, setting, quantity : str
    n, wanted : int
        Splits that are done, and that the protocol has.
    value : float
        Mean of accuracies, median of times; NaN where nothing is done.
    deviation : float
        Standard deviation over the splits with n − 1 below the line, as the paper's MATLAB has it;
        NaN below two splits.
    """

    method: str
    setting: str
    quantity: str
    n: int
    wanted: int
    value: float
    deviation: float

    @property
    def complete(self) -> bool:
        """Whether every split is done."""
        return self.n >= self.wanted


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
    mark : {"measured", "quoted", ""}
        Of the published value.
    """

    word: str
    ours: float
    published: float
    difference: float
    deviation: float
    whose: str
    reason: str
    mark: str

    def __str__(self) -> str:
        return WORDS[self.word]


@dataclass(frozen=True)
class Paired:
    """Two methods on the same splits: first − second, in points.

    Attributes
    ----------
    n : int
        Splits that both have.
    difference, deviation : float
        Mean and standard deviation of the differences.
    low, high : float
        Confidence interval of the mean difference.
    p : float
        Two-sided, of the corrected resampled t-test (Nadeau and Bengio, 2003): the splits share
        training samples, so that the plain paired test is far too sure.
    p_plain : float
        Of the plain paired t-test, for comparison with papers that use it.
    wins, ties, losses : int
    """

    first: str
    second: str
    setting: str
    n: int
    difference: float
    deviation: float
    low: float
    high: float
    p: float
    p_plain: float
    wins: int
    ties: int
    losses: int


def values(records: Records, method: str, setting: str, quantity: str) -> dict[int, float]:
    """A quantity of one method at one setting by split, in the unit of tables."""
    return {
        cell.split: SCALES[quantity] * getattr(record, quantity)
        for cell, record in records.items()
        if cell.method.name == method and cell.setting.name == setting
    }


def summarise(
    spec: Spec, records: Records, quantity: str = "accuracy"
) -> dict[tuple[str, str], Summary]:
    """Mean (of times: median) and deviation of every method at every setting it runs at.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record
        As of `Store.found`.
    quantity : str, default="accuracy"

    Returns
    -------
    dict of (method, setting) to Summary
    """
    found = {}
    for method in spec.methods:
        for setting in filter(method.runs_at, spec.settings):
            place = (method.name, setting.name)
            own = list(values(records, *place, quantity).values())
            middle = np.median if quantity in TIMES else np.mean
            found[place] = Summary(
                *place,
                quantity,
                len(own),
                spec.splits,
                float(middle(own)) if own else math.nan,
                float(np.std(own, ddof=1)) if len(own) > 1 else math.nan,
            )
    return found


def judge(summary: Summary, published: Published | None, reason: str = "") -> Verdict:
    """Say whether ours is above the published value, within one deviation of it, or below.

    Parameters
    ----------
    summary : Summary
    published : Published or None
    reason : str, default=""
        As of `Spec.reason`.

    Returns
    -------
    Verdict
    """
    ours = summary.value
    if published is None:
        return Verdict("unpublished", ours, math.nan, math.nan, math.nan, "", "", "")
    if summary.n == 0:
        return Verdict("missing", ours, published.value, math.nan, math.nan, "", "", published.mark)
    spread, whose = published.deviation, "published"
    if spread is None:
        spread, whose = summary.deviation, "ours"
    difference = ours - published.value
    shortfall = difference if summary.quantity in TIMES else -difference
    if shortfall <= 0:
        word, why = "above", ""
    elif shortfall <= spread:
        word, why = "within", reason
    else:
        word, why = "below", reason or "The reason is not known."
    return Verdict(word, ours, published.value, difference, spread, whose, why, published.mark)


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
    said = {(p.method, p.setting): p for p in spec.published if p.quantity == quantity}
    return {
        place: judge(summary, said.get(place), spec.reason(*place))
        for place, summary in summarise(spec, records, quantity).items()
    }


def paired(records: Records, first: str, second: str, setting: str) -> Paired | None:
    """Compare two methods over the splits that both have done.

    Parameters
    ----------
    records : mapping of Cell to Record
    first, second : str
        Names of methods.
    setting : str

    Returns
    -------
    Paired or None
        None where they share fewer than two splits.
    """
    from scipy import stats

    ours, theirs = (values(records, name, setting, "accuracy") for name in (first, second))
    shared = sorted(ours.keys() & theirs.keys())
    n = len(shared)
    if n < 2:
        return None
    differences = np.array([ours[split] - theirs[split] for split in shared])
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    share = _test_share(records, first, setting)
    reach = deviation * math.sqrt(1 / n + share)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * reach
    return Paired(
        first,
        second,
        setting,
        n,
        mean,
        deviation,
        mean - half,
        mean + half,
        _two_sided(mean, reach, n - 1),
        _two_sided(mean, deviation / math.sqrt(n), n - 1),
        int((differences > 0).sum()),
        int((differences == 0).sum()),
        int((differences < 0).sum()),
    )


def _test_share(records: Records, method: str, setting: str) -> float:
    """Test samples for each training sample: the correction's measure of shared training sets."""
    for cell, record in records.items():
        if cell.method.name == method and cell.setting.name == setting:
            return float(record.extra["n_test"] / record.extra["n_samples"])
    return 0.0


def _two_sided(mean: float, reach: float, freedom: int) -> float:
    from scipy import stats

    if reach == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stats.t.sf(abs(mean / reach), freedom))


def against_best(spec: Spec, records: Records, setting: str) -> list[Paired]:
    """The most accurate method at a setting, compared with every other one.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record
    setting : str

    Returns
    -------
    list of Paired
        In the order of accuracy; empty where fewer than two methods are done.
    """
    order = ranking(spec, records, setting, same_size=False)
    pairs = (paired(records, order[0].method, other.method, setting) for other in order[1:])
    return [pair for pair in pairs if pair is not None]


def ranking(spec: Spec, records: Records, setting: str, *, same_size: bool = True) -> list[Summary]:
    """Methods at a setting, most accurate first.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record
    setting : str
    same_size : bool, default=True
        Only methods whose dictionary has the flagship's size.

    Returns
    -------
    list of Summary
    """
    found: Sequence[Summary] = [
        summary
        for (method, place), summary in summarise(spec, records).items()
        if place == setting and summary.n and (spec.method[method].same_size or not same_size)
    ]
    return sorted(found, key=lambda summary: -summary.value)


def rankings(spec: Spec, records: Records) -> Iterator[tuple[Setting, list[Summary]]]:
    """The ranking among methods of one size at each column that has something to rank.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record

    Yields
    ------
    Setting and list of Summary
    """
    for setting in spec.settings:
        order = ranking(spec, records, setting.name) if setting.x is None else []
        if len(order) > 1:
            yield setting, order


@dataclass(frozen=True)
class Reached:
    """A target or a ratio, what was measured, and whether that suffices (None: not measured)."""

    what: Target | Ratio
    value: float
    met: bool | None


def targets(spec: Spec, records: Records) -> list[Reached]:
    """Every target of a spec beside what was measured.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record

    Returns
    -------
    list of Reached
    """
    results = []
    for target in spec.targets:
        ours = summarise(spec, records, target.quantity)[target.method, target.setting]
        sign = -1 if target.quantity in TIMES else 1
        met = None if ours.n == 0 else sign * ours.value >= sign * target.value
        results.append(Reached(target, ours.value, met))
    return results


def ratios(spec: Spec, records: Records) -> list[Reached]:
    """Every ratio of times of a spec beside what was measured on the splits that both have.

    Parameters
    ----------
    spec : Spec
    records : mapping of Cell to Record

    Returns
    -------
    list of Reached
    """
    results = []
    for ratio in spec.ratios:
        slow, fast = (
            values(records, name, ratio.setting, ratio.quantity)
            for name in (ratio.slow, ratio.fast)
        )
        shared = slow.keys() & fast.keys()
        value = float(np.median([slow[s] / fast[s] for s in shared])) if shared else math.nan
        results.append(Reached(ratio, value, value >= ratio.at_least if shared else None))
    return results
