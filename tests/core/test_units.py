import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.moments import Moments, Scatter
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


@pytest.mark.parametrize("is_factor", [True, False])
@pytest.mark.parametrize(("size", "exponent"), [(3e8, 28), (-3e8, 28), (3e-8, -25), (-3e-8, -25)])
@pytest.mark.parametrize("where", ["mean", "scatter"])
def test_the_unit_is_the_power_of_two_below_the_largest_value(is_factor, size, exponent, where):
    means, array = np.zeros((1, 2)), np.zeros((2, 2))
    if where == "mean":
        means[0, 1] = size
    else:
        array[0, 1] = size if is_factor else np.sign(size) * size**2
    found, unit = in_own_unit(Moments(np.ones(1), means, (Scatter(array, is_factor),)))
    assert unit == 4.0**exponent
    assert_allclose(found.means, means / 2.0**exponent, rtol=0)
    scale = 2.0**exponent if is_factor else 4.0**exponent
    assert_allclose(found.scatters[0].array, array / scale, rtol=0)


@pytest.mark.parametrize(("size", "left"), [(20, True), (-20, True), (20.1, False), (-20.1, False)])
def test_what_is_ordinary_ends_at_a_million(size, left):
    means = np.array([[2.0**size, 0.0]])
    found, unit = in_own_unit(Moments(np.ones(1), means, (Scatter(np.zeros((2, 2)), True),)))
    assert (unit == 1.0) is left
    assert (found.means is means) is left
