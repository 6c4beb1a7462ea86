import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crosslabel.lab.published import Published
from crosslabel.lab.significance import (
    Summary,
    against_best,
    judge,
    paired,
    ranking,
    ratios,
    summarise,
    targets,
    verdicts,
)

from .test_records import record_of

OURS, THEIRS = (0.91, 0.93, 0.95), (0.90, 0.93, 0.91)


@pytest.fixture
def records(spec):
    """Accuracies at setting 10: ours on all splits, CRC on all splits; nothing at setting 5."""
    scores = {"global": OURS, "CRC": THEIRS}
    found = {}
    for cell in spec.cells():
        if cell.setting.name == "10":
            record = record_of(cell, scores[cell.method.name][cell.split])
            slow = 3.0 if cell.method.name == "global" else 2.0
            found[cell] = replace(record, fit_seconds=slow * (cell.split + 1))
    return found


def test_summary_is_mean_and_sample_deviation_in_per_cent(spec, records):
    summary = summarise(spec, records)["global", "10"]
    assert summary.value == pytest.approx(93.0)
    assert summary.deviation == pytest.approx(2.0)  # √((4 + 0 + 4) / 2)
    assert (summary.n, summary.wanted, summary.complete) == (3, 3, True)


def test_times_are_medians(spec, records):
    assert summarise(spec, records, "fit_seconds")["global", "10"].value == 6.0


def test_what_is_not_done_has_no_value(spec, records):
    summary = summarise(spec, records)["global", "5"]
    assert summary.n == 0
    assert math.isnan(summary.value)
    assert not summary.complete


def test_one_split_has_no_deviation(spec, records):
    one = {cell: record for cell, record in records.items() if cell.split == 0}
    assert math.isnan(summarise(spec, one)["global", "10"].deviation)


def summary_of(value, deviation=0.5, quantity="accuracy", n=10):
    return Summary("global", "10", quantity, n, 10, value, deviation)


def said(value, deviation=None, quantity="accuracy"):
    return Published("global", "10", quantity, value, deviation, "measured")


@pytest.mark.parametrize(
    ("ours", "published", "deviation", "word"),
    [
        (98.62, 98.62, 0.3, "above"),
        (98.70, 98.62, 0.3, "above"),
        (98.40, 98.62, 0.3, "within"),
        (98.31, 98.62, 0.3, "below"),
        (98.20, 98.62, None, "within"),  # the paper's is not known: ours, 0.5, is taken
        (98.00, 98.62, None, "below"),
    ],
)
def test_verdict(ours, published, deviation, word):
    verdict = judge(summary_of(ours), said(published, deviation), "Because.")
    assert verdict.word == word
    assert verdict.whose == ("ours" if deviation is None else "published")
    assert verdict.difference == pytest.approx(ours - published)
    assert verdict.reason == ("" if word == "above" else "Because.")


def test_a_time_is_better_when_it_is_shorter():
    assert (
        judge(summary_of(1.0, 0.1, "fit_seconds"), said(12.7, None, "fit_seconds")).word == "above"
    )
    assert (
        judge(summary_of(20.0, 0.1, "fit_seconds"), said(12.7, None, "fit_seconds")).word == "below"
    )


def test_below_without_a_known_reason_says_so():
    assert judge(summary_of(10.0), said(90.0)).reason == "The reason is not known."


def test_nothing_measured_and_nothing_published():
    assert judge(summary_of(math.nan, n=0), said(90.0)).word == "missing"
    assert judge(summary_of(90.0), None).word == "unpublished"
    assert str(judge(summary_of(90.0), None)) == "no published value is known"


def test_one_split_can_be_below_but_not_within():
    assert judge(summary_of(89.9, math.nan), said(90.0)).word == "below"


def test_verdicts_of_a_table(spec, records):
    found = verdicts(spec, records)
    assert found["global", "10"].word == "above"
    assert found["global", "10"].mark == "measured"
    assert found["CRC", "10"].word == "unpublished"
    assert found["global", "5"].word == "unpublished"


def test_paired_comparison_against_hand_values_and_scipy(records):
    pair = paired(records, "global", "CRC", "10")
    differences = 100 * (np.array(OURS) - np.array(THEIRS))  # 1, 0, 4
    assert pair.difference == pytest.approx(5 / 3)
    assert pair.deviation == pytest.approx(differences.std(ddof=1))
    assert (pair.wins, pair.ties, pair.losses) == (2, 1, 0)
    assert pair.p_plain == pytest.approx(stats.ttest_rel(OURS, THEIRS).pvalue)
    # Nadeau and Bengio: the variance of the mean is (1/n + test/train) s².
    t = pair.difference / math.sqrt((1 / 3 + 100 / 50) * pair.deviation**2)
    assert pair.p == pytest.approx(2 * stats.t.sf(t, 2))
    assert pair.p > pair.p_plain
    assert pair.low < pair.difference < pair.high


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=2, max_size=30))
def test_paired_is_antisymmetric_and_counts_every_split(scores):
    first, second = _two(scores), _two([(b, a) for a, b in scores])
    assert first.n == first.wins + first.ties + first.losses == len(scores)
    assert first.difference == -second.difference
    assert (first.wins, first.losses) == (second.losses, second.wins)
    assert first.p == pytest.approx(second.p)
    assert 0 <= first.p <= 1
    # The interval leaves zero out exactly where p is below one in twenty.
    if first.deviation > 0 and abs(first.p - 0.05) > 1e-9:
        assert (first.low > 0 or first.high < 0) == (first.p < 0.05)


def _two(scores):
    class Named:
        def __init__(self, name):
            self.name = name

    class Place:
        def __init__(self, method, split):
            self.method, self.setting, self.split = Named(method), Named("s"), split

    class Score:
        extra = {"n_samples": 10, "n_test": 10}  # noqa: RUF012

        def __init__(self, accuracy):
            self.accuracy = accuracy / 100

    found = {}
    for split, pair in enumerate(scores):
        for method, accuracy in zip("ab", pair):
            found[Place(method, split)] = Score(accuracy)
    return paired(found, "a", "b", "s")


def test_equal_methods_do_not_differ(records):
    pair = paired(records, "global", "global", "10")
    assert pair.p == 1.0
    assert pair.difference == 0.0


def test_two_shared_splits_are_needed(records):
    one = {cell: record for cell, record in records.items() if cell.split == 0}
    assert paired(one, "global", "CRC", "10") is None


def test_ranking_is_by_accuracy_among_the_same_size(spec, records):
    assert [s.method for s in ranking(spec, records, "10", same_size=False)] == ["global", "CRC"]
    assert [s.method for s in ranking(spec, records, "10")] == ["global"]
    assert ranking(spec, records, "5") == []
    assert [(p.first, p.second) for p in against_best(spec, records, "10")] == [("global", "CRC")]
    assert against_best(spec, records, "5") == []


def test_targets_and_ratios(spec, records):
    (target,), (ratio,) = targets(spec, records), ratios(spec, records)
    assert (target.value, target.met) == (pytest.approx(93.0), True)
    assert (ratio.value, ratio.met) == (pytest.approx(1.5), True)
    assert targets(spec, {})[0].met is None
    assert ratios(spec, {})[0].met is None
