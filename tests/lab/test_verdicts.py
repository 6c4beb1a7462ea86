import math
from dataclasses import replace

import pytest

from crosslabel.lab.measured import Measured
from crosslabel.lab.published import Published
from crosslabel.lab.verdicts import COMPARED, WORDS, judge, ratios, verdicts

from .test_measured import records  # noqa: F401


def measured_of(value, deviation=0.5, quantity="accuracy", n=10):
    return Measured("global", "10", quantity, n, 10, value, deviation)


def said(value, deviation=None, quantity="accuracy"):
    return Published("global", "10", quantity, value, deviation)


@pytest.mark.parametrize(
    ("ours", "published", "deviation", "word"),
    [
        (98.62, 98.62, 0.3, "above"),
        (98.70, 98.62, 0.3, "above"),
        (98.40, 98.62, 0.3, "within"),
        (98.00, 98.50, 0.5, "within"),  # by exactly one deviation
        (98.31, 98.62, 0.3, "below"),
        (98.20, 98.62, None, "within"),  # the paper's is not known: ours, 0.5, is taken
        (98.00, 98.62, None, "below"),
    ],
)
def test_verdict(ours, published, deviation, word):
    verdict = judge(measured_of(ours), said(published, deviation), "Because.")
    assert verdict.word == word
    assert verdict.whose == ("ours" if deviation is None else "published")
    assert verdict.deviation == (0.5 if deviation is None else deviation)
    assert (verdict.ours, verdict.published) == (ours, published)
    assert verdict.difference == pytest.approx(ours - published)
    assert verdict.reason == ("" if word == "above" else "Because.")
    assert str(verdict) == COMPARED[word]


@pytest.mark.parametrize(("ours", "word"), [(1.0, "above"), (12.75, "within"), (20.0, "below")])
def test_a_time_is_better_when_it_is_shorter(ours, word):
    quantity = "fit_seconds"
    assert judge(measured_of(ours, 0.1, quantity), said(12.7, None, quantity)).word == word


def test_below_without_a_known_reason_says_so():
    assert judge(measured_of(10.0), said(90.0)).reason == "The reason is not known."


def test_nothing_measured_and_nothing_published():
    missing = judge(measured_of(math.nan, n=0), said(90.0))
    assert (missing.word, missing.published) == ("missing", 90.0)
    unpublished = judge(measured_of(90.0), None)
    assert (unpublished.word, unpublished.ours) == ("unpublished", 90.0)
    assert math.isnan(unpublished.published)
    assert str(unpublished) == "no published value is known"
    assert set(WORDS) - set(COMPARED) == {"missing", "unpublished"}


def test_one_split_can_be_below_but_not_within():
    assert judge(measured_of(89.9, math.nan), said(90.0)).word == "below"


def test_verdicts_of_a_table(spec, records):  # noqa: F811
    found = verdicts(spec, records)
    assert found["global", "10"].word == "above"
    assert found["CRC", "10"].word == "unpublished"
    assert found["global", "5"].word == "unpublished"


def with_times(write_spec):
    return write_spec(
        ('deviation = { "10" = 1.5 }', 'deviation = { "10" = 1.5 }\nfit_seconds = { "10" = 7.0 }'),
        ("[[ratio]]", '[published.CRC]\nfit_seconds = { "10" = 2.0 }\n\n[[ratio]]'),
    )


def test_a_ratio_is_the_median_over_shared_splits_beside_that_of_the_papers_times(
    write_spec, records  # noqa: F811
):  # fmt: skip
    (one,) = ratios(with_times(write_spec), records)
    assert one.ours == pytest.approx(3.0 / 2.0)
    assert one.published == pytest.approx(7.0 / 2.0)
    assert one.reached is False
    assert replace(one, ours=3.5).reached is True
    assert replace(one, ours=4.0).reached is True


@pytest.mark.parametrize("said_of", ["global", "CRC"])
def test_one_published_time_gives_no_ratio(write_spec, records, said_of):  # noqa: F811
    words = f'[published.{said_of}]\nfit_seconds = {{ "10" = 2.0 }}\n\n[[ratio]]'
    drop = ('[published.global]\naccuracy = { "10" = 90.0 }\ndeviation = { "10" = 1.5 }\n', "")
    (one,) = ratios(write_spec(drop, ("[[ratio]]", words)), records)
    assert math.isnan(one.published)
    assert one.reached is None


def test_only_splits_that_both_have_count(write_spec, records):  # noqa: F811
    uneven = {c: r for c, r in records.items() if not (c.method.name == "CRC" and c.split == 2)}
    for cell, record in uneven.items():
        if cell.split == 2:
            uneven[cell] = replace(record, fit_seconds=1e9)
    (one,) = ratios(with_times(write_spec), uneven)
    assert one.ours == pytest.approx(1.5)


def test_a_ratio_that_lacks_a_side_is_not_judged(spec, write_spec, records):  # noqa: F811
    (unsaid,) = ratios(spec, records)  # the spec publishes no times
    assert unsaid.ours == pytest.approx(1.5)
    assert math.isnan(unsaid.published)
    assert unsaid.reached is None
    (unmeasured,) = ratios(with_times(write_spec), {})
    assert math.isnan(unmeasured.ours)
    assert unmeasured.reached is None
