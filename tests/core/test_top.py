import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from crosslabel.core.top import best


def by_sorting(scores, k):
    """A stable sort of each row, from high to low."""
    places = [sorted(range(len(row)), key=lambda c, row=row: -row[c])[:k] for row in scores]
    return np.array(places), np.take_along_axis(scores, np.array(places), 1)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 9), st.sampled_from([2, 5, 10**6]))
def test_the_best_are_those_of_a_stable_sort(seed, n_rows, n_columns, n_values):
    """Few values make many ties, within the best and at their end."""
    rng = np.random.default_rng(seed)
    scores = -rng.integers(0, n_values, (n_rows, n_columns)).astype(float)
    for k in range(1, n_columns + 1):
        for mine, naive in zip(best(scores, k), by_sorting(scores, k)):
            assert_array_equal(mine, naive)


def test_tensors_give_the_same():
    torch = pytest.importorskip("torch", reason="needs crosslabel[gpu]")
    rng = np.random.default_rng(0)
    for n_values in (2, 5, 10**6):
        scores = rng.integers(0, n_values, (30, 12)).astype(np.float32)
        for k in (1, 3, 12):
            for tensor, naive in zip(best(torch.as_tensor(scores), k), by_sorting(scores, k)):
                assert_array_equal(tensor.numpy(), naive)
