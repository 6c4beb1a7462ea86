"""What a lift does to rows, against the formula written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.intake.lift import KERNELS, KernelMap, Lift, kernel_values, standard


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(9, 4)) + np.array([1, 0, 2, 0])


def test_each_step_in_its_turn(rows):
    center, spread = np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 1, 4])
    found = Lift(center, spread, offset=3.0)(rows)
    expected = np.array([[*((row - center) / spread), 3.0] for row in rows])
    assert_allclose(found, [row / np.linalg.norm(row) for row in expected])
    assert_allclose(Lift(center, spread, offset=3.0, unit=False)(rows), expected)


def test_a_plain_lift_is_the_unit_norm_alone(rows):
    assert_allclose(Lift()(rows), [row / np.linalg.norm(row) for row in rows])
    assert_array_equal(Lift(unit=False)(rows), rows)
    assert Lift().is_plain
    assert not Lift(offset=1.0).is_plain
    assert not Lift(np.zeros(4), np.ones(4)).is_plain


def test_features_are_kept_without_unit_norm_and_kernel(rows):
    table = Lift(np.zeros(4), np.ones(4), 2.0, unit=False)
    assert table.keeps_features
    assert not Lift(np.zeros(4), np.ones(4), 2.0).keeps_features
    assert not Lift(unit=False).keeps_features
    kernel = KernelMap.fit("rbf", rows, 1.0)
    assert not Lift(np.zeros(4), np.ones(4), unit=False, kernel=kernel).keeps_features


def test_a_row_of_zeros_stays_zero_and_the_input_is_left_alone(rows):
    rows[0] = 0
    before = rows.copy()
    assert not Lift()(rows)[0].any()
    assert_array_equal(rows, before)


def test_values_out_of_range_are_refused_where_nothing_scales_them(rows):
    with pytest.raises(ValueError, match="leaves the range of float64"):
        Lift(unit=False)(rows * 1e200)
    assert_allclose(Lift()(rows * 1e200), Lift()(rows))


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_a_row_beyond_the_range_when_standardised_is_told_in_words(rows, kind):
    """It would become infinite, with a warning, and then have no direction."""
    rows, spread = rows.astype(kind), np.full(4, 10 * np.finfo(kind).tiny, kind)
    with pytest.raises(ValueError, match=f"beyond the range of {rows.dtype}"):
        Lift(np.zeros(4, kind), spread)(rows * 100)
    assert np.isfinite(Lift(np.zeros(4, kind), spread)(rows * spread[0])).all()


def test_standard_is_the_weighted_mean_and_deviation(rows):
    weights = np.arange(1.0, 10)
    center, spread = standard(rows, weights)
    repeated = np.repeat(rows, np.arange(1, 10), axis=0)
    assert_allclose(center, repeated.mean(axis=0))
    assert_allclose(spread, repeated.std(axis=0))


@pytest.mark.parametrize("value", [7.0, 0.1, 1e300])
def test_a_constant_feature_is_its_own_mean_and_keeps_its_scale(rows, value):
    """However its weighted sum is rounded: a spread of rounding would blow it up."""
    rows[:, 2] = value
    for seed in range(20):
        weights = np.random.default_rng(seed).uniform(0.5, 2, len(rows))
        center, spread = standard(rows, weights)
        assert (center[2], spread[2]) == (value, 1)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_products_of_coordinates_are_kernel_values(rows, kernel):
    lift = Lift(kernel=KernelMap.fit(kernel, Lift()(rows), 0.7))
    unit = Lift()(rows)
    exact = kernel_values(kernel, 0.7, unit, unit)
    assert_allclose(lift(rows) @ lift(rows).T, exact, atol=1e-8)
    naive = {
        "rbf": lambda x, z: np.exp(-0.7 * np.sum((x - z) ** 2)),
        "poly": lambda x, z: (0.7 * x @ z + 1) ** 3,
    }[kernel]
    assert_allclose(exact, [[naive(x, z) for z in unit] for x in unit])


def test_a_callable_and_a_precomputed_kernel(rows):
    found = KernelMap.fit(lambda X, Y: X @ Y.T, rows, 1.0)
    assert_allclose(found(rows) @ found(rows).T, rows @ rows.T, atol=1e-8)
    gram = rows @ rows.T
    given = KernelMap.fit("precomputed", gram, 1.0)
    assert_allclose(given(gram) @ given(gram).T, gram, atol=1e-8)


def test_a_kernel_that_is_not_positive_semidefinite_is_reported_with_its_least_eigenvalue(rows):
    gram = np.diag([3.0, 1.0, -2.0])
    with pytest.raises(ValueError, match=r"least eigenvalue is -2 .* largest of 3"):
        KernelMap.fit("precomputed", gram, 1.0)
    with pytest.raises(ValueError, match="square matrix"):
        KernelMap.fit(lambda X, Y: np.ones((2, 3)), rows, 1.0)


def test_the_rounding_of_single_precision_is_no_fault_of_a_kernel():
    rng = np.random.default_rng(0)
    unit = Lift()(np.abs(rng.normal(size=(120, 600))) + 3).astype(np.float32)
    double = unit.astype(np.float64)
    exact = KERNELS["rbf"](double, double, 40.0)
    # So far off are values in single precision; on some processors they are not symmetric either.
    assert np.abs(KERNELS["rbf"](unit, unit, 40.0) - exact).max() > 1e-6
    found = KernelMap.fit("rbf", unit, 40.0)
    assert_allclose(found(unit) @ found(unit).T, exact, atol=1e-4)
    assert found(unit).dtype == np.float32


def test_a_kernel_that_is_not_symmetric_is_refused(rows):
    with pytest.raises(ValueError, match="symmetric positive semi-definite"):
        KernelMap.fit(lambda X, Y: X @ Y.T + 1e-3 * X[:, :1], rows, 1.0)


def test_fewer_landmarks_are_nystroems_map(rows):
    some = KernelMap.fit("rbf", rows[:4], 0.3)
    K = KERNELS["rbf"](rows, rows[:4], 0.3)
    expected = K @ np.linalg.pinv(KERNELS["rbf"](rows[:4], rows[:4], 0.3)) @ K.T
    assert_allclose(some(rows) @ some(rows).T, expected, atol=1e-8)


@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_state_holds_all_of_a_lift(rows, kernel):
    found = None if kernel is None else KernelMap.fit(kernel, rows, 0.3)
    lift = Lift(*standard(rows, np.ones(9)), offset=0.0, unit=False, kernel=found)
    assert_array_equal(Lift.from_state(lift.to_state())(rows), lift(rows))


def test_tensors_are_lifted_as_arrays_are(rows):
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    center, spread = standard(rows, np.ones(9))
    for lift in (
        Lift(),
        Lift(center, spread, 2.0),
        Lift(unit=False),
        Lift(kernel=KernelMap.fit("rbf", Lift()(rows), 0.5)),
    ):
        assert_allclose(lift(torch.as_tensor(rows)).numpy(), lift(rows), atol=1e-12)
    with pytest.raises(ValueError, match="leaves the range"):
        Lift(unit=False)(torch.as_tensor(rows * 1e200))


def test_precision_stays(rows):
    single = rows.astype(np.float32)
    assert Lift(*standard(single, np.ones(9)), 2.0)(single).dtype == np.float32


def test_the_width_of_lifted_rows_is_known_beforehand(rows):
    kernel = KernelMap.fit("rbf", rows[:4], 0.3)
    for lift in (Lift(), Lift(offset=2.0), Lift(unit=False, kernel=kernel)):
        assert lift.width(rows.shape[1]) == lift(rows).shape[1]
