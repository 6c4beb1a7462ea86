import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from crosslabel.core.wilson import Z, wilson_interval


@given(st.integers(1, 500), st.data())
def test_the_ends_are_where_the_score_test_just_rejects(total, data):
    successes = data.draw(st.integers(0, total))
    for p in wilson_interval(successes, total):
        if 0 < p < 1:
            score = abs(successes / total - p) / np.sqrt(p * (1 - p) / total)
            assert score == pytest.approx(Z, rel=1e-6)


def test_the_interval_stays_within_zero_and_one():
    assert wilson_interval(0, 5)[0] == 0
    assert wilson_interval(5, 5)[1] == 1


@given(st.integers(1, 500), st.data())
def test_the_ends_are_the_roots_of_the_quadratic(total, data):
    """(p̂ − p)² = z² p(1 − p)/n."""
    successes = data.draw(st.integers(0, total))
    share, z = successes / total, Z**2 / total
    roots = np.sort(np.roots([1 + z, -(2 * share + z), share**2]))
    assert wilson_interval(successes, total) == pytest.approx(roots, rel=1e-6, abs=1e-9)


def test_each_end_is_passed_by_one_in_forty():
    assert norm.sf(Z) == pytest.approx(1 / 40, rel=1e-6)
