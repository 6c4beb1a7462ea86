import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.moments import Moments
from crosslabel.core.units import in_own_unit
from tests.core.problems import problem


def statistics(scale, dtype=np.float64):
    X, labels, layout, _ = problem(per_class=(2, 4, 3))
    return Moments.from_samples((X * scale).astype(dtype), labels, layout.n_classes)


def test_ordinary_samples_are_left_alone():
    found = statistics(1.0)
    assert in_own_unit(found) == (found, 1.0)


@pytest.mark.parametrize(("scale", "dtype"), [(1e80, "f8"), (1e-90, "f8"), (1e12, "f4")])
def test_the_samples_are_divided_by_a_power_of_two(scale, dtype):
    given = statistics(scale, dtype)
    found, unit = in_own_unit(given)
    s = np.sqrt(unit)
    assert s == 2.0 ** round(np.log2(s))
    assert 0.5 <= max(abs(found.means).max(), *(abs(f.array).max() for f in found.scatters)) <= 4
    assert_allclose(found.means * s, given.means, rtol=0)
    for a, b in zip(found.scatters, given.scatters):
        assert_allclose(a.array * (s if a.is_factor else unit), b.array, rtol=0)


def test_nothing_is_divided_by_nothing():
    found = Moments.empty(2, 3, np.dtype(float))
    assert in_own_unit(found)[1] == 1.0
