import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crosslabel.lab.significance import against_best, paired

from .test_measured import OURS, THEIRS, records, records_at_10  # noqa: F401
from .test_records import record_of


def test_paired_comparison_against_hand_values_and_scipy(records):  # noqa: F811
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
    half = stats.t.ppf(0.975, 2) * math.sqrt((1 / 3 + 100 / 50) * pair.deviation**2)
    assert (pair.low, pair.high) == (
        pytest.approx(pair.difference - half), pytest.approx(pair.difference + half),
    )  # fmt: skip


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


def test_equal_methods_do_not_differ(records):  # noqa: F811
    pair = paired(records, "global", "global", "10")
    assert pair.p == 1.0
    assert pair.difference == 0.0


def test_two_shared_splits_are_needed(records):  # noqa: F811
    one = {cell: record for cell, record in records.items() if cell.split == 0}
    assert paired(one, "global", "CRC", "10") is None


def test_a_constant_difference_is_certain(spec):
    pair = paired(records_at_10(spec, (0.5, 0.75, 0.25), (0.25, 0.5, 0.0)), "global", "CRC", "10")
    assert pair.deviation == 0.0
    assert (pair.difference, pair.low, pair.high) == (25.0, 25.0, 25.0)
    assert (pair.p, pair.p_plain) == (0.0, 0.0)


def test_the_correction_is_by_the_sizes_at_the_same_setting(spec, records):  # noqa: F811
    elsewhere = {
        cell: replace(record_of(cell), extra={"n_samples": 25, "n_test": 1000})
        for cell in spec.cells()
        if cell.setting.name == "5"
    }
    alone = paired(records, "global", "CRC", "10")
    assert paired(elsewhere | records, "global", "CRC", "10") == alone
    assert paired(records | elsewhere, "global", "CRC", "10") == alone


def test_only_splits_that_both_have_are_compared(records):  # noqa: F811
    some = {c: r for c, r in records.items() if not (c.method.name == "CRC" and c.split == 0)}
    pair = paired(some, "global", "CRC", "10")
    assert pair.n == 2
    assert pair.difference == pytest.approx(2.0)  # of 0 and 4
    assert (pair.first, pair.second, pair.setting) == ("global", "CRC", "10")


def test_the_best_is_compared_with_every_other(spec, records):  # noqa: F811
    assert [(p.first, p.second) for p in against_best(spec, records, "10")] == [("global", "CRC")]
    assert against_best(spec, records, "5") == []
    turned = records_at_10(spec, THEIRS, OURS)
    assert [(p.first, p.second) for p in against_best(spec, turned, "10")] == [("CRC", "global")]
