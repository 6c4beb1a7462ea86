"""Is the order of two methods real? Paired comparisons over the splits that both have done."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from crosslabel.lab.measured import Records, ranking, values
from crosslabel.lab.spec import Spec

CONFIDENCE = 0.95


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
    ours, theirs = (values(records, name, setting, "accuracy") for name in (first, second))
    shared = sorted(ours.keys() & theirs.keys())
    n = len(shared)
    if n < 2:
        return None
    differences = np.array([ours[split] - theirs[split] for split in shared])
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    # The corrected variance of the mean: (1/n + n_test/n_train) s², in place of s²/n.
    error = deviation * math.sqrt(1 / n + _test_share(records, setting))
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    return Paired(
        first,
        second,
        setting,
        n,
        mean,
        deviation,
        mean - half,
        mean + half,
        _two_sided(mean, error, n - 1),
        _two_sided(mean, deviation / math.sqrt(n), n - 1),
        int((differences > 0).sum()),
        int((differences == 0).sum()),
        int((differences < 0).sum()),
    )


def _test_share(records: Records, setting: str) -> float:
    """Test samples for each training sample: the correction's measure of shared training sets."""
    sizes = next(record.extra for cell, record in records.items() if cell.setting.name == setting)
    return sizes["n_test"] / sizes["n_samples"]


def _two_sided(mean: float, error: float, freedom: int) -> float:
    """P(|T| ≥ |mean / error|) of Student's distribution."""
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stats.t.sf(abs(mean / error), freedom))


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
