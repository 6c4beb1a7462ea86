import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslabel.lab.climb import climb


def bowl(**tops):
    """A score whose only summit is at these values, in logarithms."""
    return lambda values: -sum(math.log(values[k] / top) ** 2 for k, top in tops.items())


def test_a_climb_reaches_the_summit_and_has_tried_both_sides_of_it():
    found = climb(bowl(a=1e-4, b=300.0), {"a": 1e-2, "b": 3.0}, {"a": 10.0, "b": 10.0})
    assert found.settled
    assert found.values == pytest.approx({"a": 1e-4, "b": 300.0})
    for name in ("a", "b"):
        others = {tried[name] for tried, _ in found.tried}
        assert min(others) < found.values[name] < max(others)


@given(st.integers(-6, 6), st.integers(-6, 6))
def test_from_any_start_no_neighbour_of_the_best_is_better(first, second):
    score = bowl(a=10.0**first, b=2.0**second)
    found = climb(score, {"a": 1.0, "b": 1.0}, {"a": 10.0, "b": 2.0})
    assert found.settled
    assert found.values == pytest.approx({"a": 10.0**first, "b": 2.0**second})
    assert len({tuple(tried.values()) for tried, _ in found.tried}) == len(found.tried)


def test_whole_numbers_stay_whole_and_at_least_one():
    found = climb(lambda values: -values["k"], {"k": 9}, {"k": 3.0})
    assert found.values == {"k": 1}
    assert found.settled
    assert all(isinstance(tried["k"], int) for tried, _ in found.tried)


def test_a_plateau_is_not_climbed():
    found = climb(lambda values: 1.0, {"a": 0.5}, {"a": 2.0})
    assert found.values == {"a": 0.5}
    assert [tried["a"] for tried, _ in found.tried] == [0.5, 1.0, 0.25]


def test_scores_that_rise_for_ever_are_given_up():
    found = climb(lambda values: values["a"], {"a": 1.0}, {"a": 2.0}, most=5)
    assert not found.settled
    assert len(found.tried) == 5
    assert found.values == {"a": 16.0}
