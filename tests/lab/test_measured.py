import math
import statistics
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslabel.lab.measured import over_splits, ranking, rankings, values

from .conftest import SMALL, read_text
from .test_records import record_of

TABLE = read_text(SMALL)
OURS, THEIRS = (0.91, 0.93, 0.95), (0.90, 0.93, 0.91)


@pytest.fixture
def records(spec):
    """Accuracies at setting 10: ours on all splits, CRC on all splits; nothing at setting 5."""
    return records_at_10(spec, OURS, THEIRS)


def records_at_10(spec, ours, theirs):
    scores = {"global": ours, "CRC": theirs}
    found = {}
    for cell in spec.cells():
        if cell.setting.name == "10":
            record = record_of(cell, scores[cell.method.name][cell.split])
            slow = 3.0 if cell.method.name == "global" else 2.0
            times = {"fit_seconds": slow * (cell.split + 1) ** 2, "query_seconds": slow / 1000}
            found[cell] = replace(record, mean_per_class=record.accuracy / 2, **times)
    return found


def test_values_are_in_the_units_of_tables_by_split(records):
    assert values(records, "global", "10", "accuracy") == pytest.approx({0: 91, 1: 93, 2: 95})
    assert values(records, "CRC", "10", "mean_per_class") == pytest.approx(
        {0: 45, 1: 46.5, 2: 45.5}
    )
    assert values(records, "CRC", "10", "fit_seconds") == {0: 2.0, 1: 8.0, 2: 18.0}
    assert values(records, "global", "5", "accuracy") == {}


def test_mean_and_sample_deviation_in_per_cent(spec, records):
    measured = over_splits(spec, records)["global", "10"]
    assert measured.value == pytest.approx(93.0)
    assert measured.deviation == pytest.approx(2.0)  # √((4 + 0 + 4) / 2)
    assert (measured.n, measured.wanted, measured.complete) == (3, 3, True)
    assert (measured.method, measured.setting, measured.quantity) == ("global", "10", "accuracy")


@given(st.lists(st.integers(0, 100), min_size=3, max_size=3))
def test_against_the_standard_library(scores):
    found = records_at_10(TABLE, [s / 100 for s in scores], THEIRS)
    measured = over_splits(TABLE, found)["global", "10"]
    assert measured.value == pytest.approx(statistics.mean(scores))
    assert measured.deviation == pytest.approx(statistics.stdev(scores), abs=1e-9)


def test_times_are_medians_with_their_deviation(spec, records):
    measured = over_splits(spec, records, "fit_seconds")["global", "10"]
    assert measured.value == 12.0  # of 3, 12, 27: the mean is 14
    assert measured.deviation == pytest.approx(statistics.stdev([3, 12, 27]))


def test_what_is_not_done_has_no_value(spec, records):
    measured = over_splits(spec, records)["global", "5"]
    assert measured.n == 0
    assert math.isnan(measured.value)
    assert not measured.complete


def test_one_split_has_no_deviation(spec, records):
    one = {cell: record for cell, record in records.items() if cell.split == 0}
    measured = over_splits(spec, one)["global", "10"]
    assert measured.value == pytest.approx(91.0)
    assert math.isnan(measured.deviation)


def test_two_splits_have_one(spec, records):
    two = {cell: record for cell, record in records.items() if cell.split < 2}
    measured = over_splits(spec, two)["global", "10"]
    assert measured.deviation == pytest.approx(math.sqrt(2))  # of 91 and 93
    assert (measured.n, measured.complete) == (2, False)


def test_ranking_is_by_accuracy_among_the_same_size(spec, records):
    assert [m.method for m in ranking(spec, records, "10", same_size=False)] == ["global", "CRC"]
    assert [m.method for m in ranking(spec, records, "10")] == ["global"]
    assert ranking(spec, records, "5") == []
    other = records_at_10(spec, THEIRS, OURS)
    assert [m.method for m in ranking(spec, other, "10", same_size=False)] == ["CRC", "global"]


def test_rankings_are_of_columns_with_something_to_rank(write_spec, spec, records):
    assert list(rankings(spec, records)) == []
    both = write_spec(('estimator = "CRC"', 'estimator = "CRC"\nsame_size = true'))
    ((setting, order),) = rankings(both, records_at_10(both, OURS, THEIRS))
    assert setting.name == "10"
    assert [measured.method for measured in order] == ["global", "CRC"]
