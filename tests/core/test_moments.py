import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core.moments import (
    ClassMoments,
    ImpossibleRemovalError,
    Moments,
    Scatter,
    _check_semidefinite,
    _energy,
    check_digits,
    moments,
    together,
    within_scatter,
    without,
)
from tests.core.problems import samples


def literal(X, labels, n_classes, weights=None):
    """Count, mean and scatter by their definitions."""
    weights = np.ones(len(X)) if weights is None else weights
    for c in range(n_classes):
        w, Y = weights[labels == c], X[labels == c]
        mean = w @ Y / w.sum()
        yield w.sum(), mean, ((Y - mean).T * w) @ (Y - mean)


def of_pairs(join, a, b):
    """Statistics of each class in two sets of samples, by a function of the two."""
    counts, means, scatters = zip(*map(join, a.by_class(), b.by_class()))
    return Moments(np.array(counts), np.array(means), scatters)


def assert_same(statistics, expected, atol=1e-10):
    for c, (count, mean, scatter) in enumerate(expected):
        assert_allclose(statistics.counts[c], count, atol=atol)
        assert_allclose(statistics.means[c], mean, atol=atol)
        assert_allclose(statistics.scatters[c].matrix(), scatter, atol=atol)
        factor = statistics.scatters[c].factor()
        assert_allclose(factor.T @ factor, scatter, atol=atol)


@st.composite
def labelled(draw):
    n_features = draw(st.integers(1, 8))
    sizes = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(len(labels), n_features)), labels, len(sizes), rng


@given(labelled())
def test_statistics_are_count_mean_and_scatter(data):
    X, labels, n_classes, rng = data
    weights = rng.uniform(0.1, 3, len(X))
    assert_same(
        Moments.from_samples(X, labels, n_classes, weights),
        literal(X, labels, n_classes, weights),
    )


@given(labelled())
def test_any_batching_gives_the_same_statistics(data):
    X, labels, n_classes, rng = data
    statistics = Moments.empty(n_classes, X.shape[1], X.dtype)
    for batch in np.array_split(rng.permutation(len(X)), 3):
        more = Moments.from_samples(X[batch], labels[batch], n_classes)
        statistics = of_pairs(together, statistics, more)
    assert_same(statistics, literal(X, labels, n_classes))


@given(labelled())
def test_removal_undoes_addition(data):
    X, labels, n_classes, rng = data
    gone = rng.random(len(X)) < 0.4
    gone[[np.flatnonzero(labels == c)[0] for c in range(n_classes)]] = False
    parts = (Moments.from_samples(X[k], labels[k], n_classes) for k in (slice(None), gone))
    rest = of_pairs(without, *parts)
    assert_same(rest, literal(X[~gone], labels[~gone], n_classes), atol=1e-7)


def test_removing_a_whole_class_leaves_it_empty():
    X, labels = np.random.default_rng(0).normal(size=(9, 4)), np.repeat([0, 1, 2], 3)
    parts = (Moments.from_samples(X[k], labels[k], 3) for k in (slice(None), labels == 1))
    rest = of_pairs(without, *parts)
    assert rest.counts.tolist() == [3, 0, 3]
    assert not rest.means[1].any()
    assert len(rest.scatters[1].array) == 0


@pytest.mark.parametrize("n_samples", [4, 40])  # kept as factor, kept as matrix
def test_removing_what_was_never_added_is_detected(n_samples):
    X = np.random.default_rng(0).normal(size=(n_samples, 8))
    total = moments(X, np.ones(n_samples))
    with pytest.raises(ImpossibleRemovalError, match="vary more"):
        without(total, moments(10 * X[:2] + 5, np.ones(2)))
    with pytest.raises(ImpossibleRemovalError, match="has"):
        without(total, moments(np.tile(X, (2, 1)), np.ones(2 * n_samples)))


@given(labelled())
@settings(max_examples=30)
def test_integer_weights_equal_repetition(data):
    X, labels, n_classes, rng = data
    weights = rng.integers(1, 4, len(X))
    repeated = Moments.from_samples(
        np.repeat(X, weights, axis=0), np.repeat(labels, weights), n_classes
    )
    weighted = Moments.from_samples(X, labels, n_classes, weights)
    assert_same(
        weighted, literal(np.repeat(X, weights, axis=0), np.repeat(labels, weights), n_classes)
    )
    assert_allclose(weighted.counts, repeated.counts)


def test_targets_sum_to_the_second_moment():
    X, labels = np.random.default_rng(0).normal(size=(10, 6)), np.repeat([0, 1], [3, 7])
    targets = Moments.from_samples(X, labels, 2).targets()
    assert_allclose(targets.rows.T @ targets.rows, X.T @ X)
    # A class of n samples needs one row for its mean and n − 1 for its scatter.
    assert targets.starts.tolist() == [2, 4, 10]
    for c, (n, mean, scatter) in enumerate(literal(X, labels, 2)):
        assert_allclose(targets.rows[c], np.sqrt(n) * mean)
        factor = targets.rows[targets.starts[c] : targets.starts[c + 1]]
        assert_allclose(factor.T @ factor, scatter, atol=1e-12)


def test_memory_stops_growing_with_the_number_of_samples():
    X = np.random.default_rng(0).normal(size=(1000, 5))
    statistics = Moments.from_samples(X, np.zeros(1000, int), 1)
    assert statistics.scatters[0].array.shape == (5, 5)


def test_projection_on_an_orthonormal_basis_keeps_the_second_moment():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4, 9))
    basis = np.linalg.qr(X.T)[0].T
    projected = Moments.from_samples(X, np.zeros(4, int), 1).project(basis)
    rows = projected.targets().rows @ basis
    assert_allclose(rows.T @ rows, X.T @ X, atol=1e-12)


@given(labelled())
def test_samples_are_scaled_class_by_class_and_summed_in_double_precision(data):
    X, labels, n_classes, _ = data
    single, before, seen = X.astype(np.float32), X.astype(np.float32), []

    def scale(rows):
        seen.append(len(rows))
        return 3 * rows + 1

    double = np.dtype(np.float64)
    found = Moments.from_samples(single, labels, n_classes, None, double, scale)
    assert seen == np.bincount(labels).tolist()
    assert np.array_equal(single, before)
    assert {part.dtype for part in (found.means, *(s.array for s in found.scatters))} == {double}
    assert_same(found, literal(3.0 * before + 1, labels, n_classes), atol=1e-3)


def test_float32_stays_float32():
    X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    targets = Moments.from_samples(X, np.repeat([0, 1], 10), 2).targets()
    assert targets.rows.dtype == np.float32


def as_factor(rows):
    return Scatter(rows, True)


def as_matrix(rows):
    return Scatter(rows.T @ rows, False)


@pytest.mark.parametrize("n_features", [6, 130, 300])  # one outer product at a time, and several
@pytest.mark.parametrize("mine", [as_factor, as_matrix])
@pytest.mark.parametrize("other", [as_factor, as_matrix])
def test_scatters_add_up_in_either_form(n_features, mine, other):
    rng = np.random.default_rng(0)
    F, G, row = (
        rng.normal(size=(3, n_features)),
        rng.normal(size=(4, n_features)),
        rng.normal(size=n_features),
    )
    before = F.T @ F
    left = mine(F)
    total = left.plus(other(G), row)
    assert_allclose(total.matrix(), before + G.T @ G + np.outer(row, row), atol=1e-12)
    assert_allclose(left.matrix(), before, atol=1e-12)


@pytest.mark.parametrize(("n_features", "is_factor"), [(9, True), (8, False), (7, False)])
def test_a_factor_becomes_a_matrix_when_it_has_as_many_rows_as_features(n_features, is_factor):
    rng = np.random.default_rng(0)
    F, G, row = (
        rng.normal(size=(3, n_features)),
        rng.normal(size=(4, n_features)),
        rng.normal(size=n_features),
    )
    total = Scatter(F, True).plus(Scatter(G, True), row)
    assert total.is_factor == is_factor
    assert total.array.shape == (8 if is_factor else n_features, n_features)


@pytest.mark.parametrize(
    ("n_samples", "shape"), [(4, (3, 5)), (5, (4, 5)), (6, (5, 5)), (1, (0, 5))]
)
def test_a_scatter_takes_the_smaller_form(n_samples, shape):
    X = np.random.default_rng(0).normal(size=(n_samples, 5))
    found = moments(X, np.ones(n_samples))
    assert found.scatter.array.shape == shape
    assert found.scatter.is_factor == (n_samples <= 5)
    assert_allclose(
        found.scatter.matrix(), (X - X.mean(axis=0)).T @ (X - X.mean(axis=0)), atol=1e-12
    )


@pytest.mark.parametrize("n_samples", [3, 9])
def test_working_memory_is_used_only_where_it_may_be(n_samples):
    X = np.random.default_rng(0).normal(size=(n_samples, 5))
    weights, before = np.linspace(0.5, 2, n_samples), X.copy()
    plain = moments(X, weights)
    assert_allclose(X, before, atol=0)
    spent = moments(X, weights, overwrite=True)
    assert_allclose(spent.mean, plain.mean)
    assert_allclose(spent.scatter.matrix(), plain.scatter.matrix())


def test_sums_of_float32_samples_are_kept_in_float64_where_asked():
    X = (1000 + np.random.default_rng(0).normal(size=(5000, 2))).astype(np.float32)
    found = moments(X, np.ones(5000), np.dtype(np.float64))
    assert found.mean.dtype == found.scatter.array.dtype == np.float64
    assert_allclose(found.mean, X.astype(float).mean(axis=0), rtol=1e-9)
    assert moments(X[:0], np.zeros(0)).mean.dtype == np.float32


def test_no_weight_is_no_sample():
    found = moments(np.ones((3, 4)), np.zeros(3))
    assert (found.n, found.mean.tolist(), found.scatter.array.shape) == (0.0, [0.0] * 4, (0, 4))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("floor", [0.0, 0.5])
def test_what_is_below_zero_by_rounding_is_let_pass(scale, floor):
    """A millionth of the whole scatter, and the floor."""
    _check_semidefinite(np.array([3.0, -0.99e-6 * scale - floor]), scale, floor)
    with pytest.raises(ImpossibleRemovalError, match="vary more"):
        _check_semidefinite(np.array([3.0, -1.01e-6 * scale - floor]), scale, floor)
    _check_semidefinite(np.array([]), scale, floor)


def test_nothing_is_left_of_zero_scatter():
    _check_semidefinite(np.array([0.0]), 0.0, 0.0)
    with pytest.raises(ImpossibleRemovalError):
        _check_semidefinite(np.array([-1e-300]), 0.0, 0.0)


def one(n, mean=(1.0, 2.0)):
    mean = np.array(mean)
    return ClassMoments(n, mean, Scatter(np.zeros((0, len(mean))), True))


@pytest.mark.parametrize("n", [1.0, 1e6])
def test_more_than_all_cannot_leave_but_for_rounding(n):
    assert without(one(n), one(n * (1 + 0.9e-9))).n == 0.0
    assert without(one(n), one(n * (1 - 0.9e-9))).n == 0.0
    assert without(one(n), one(n * (1 - 1.2e-9))).n > 0
    with pytest.raises(ImpossibleRemovalError, match="were to be removed, but it has"):
        without(one(n), one(n * (1 + 1.2e-9)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_samples_can_leave_one_by_one(dtype):
    """Their scatter is that of rounding, in either direction."""
    X = np.full((50, 7), 0.1, dtype) * np.linspace(1, 3, 7).astype(dtype)
    rest, single = moments(X, np.ones(50)), moments(X[:1], np.ones(1))
    for _ in range(48):
        rest = without(rest, single)
    assert_allclose(rest.n, 2)
    assert_allclose(rest.mean, X[0], rtol=100 * np.finfo(dtype).eps)
    assert np.abs(rest.scatter.matrix()).max() < 1e4 * np.finfo(dtype).eps


@pytest.mark.parametrize("n_samples", [5, 40])
def test_the_moments_of_two_sets_by_their_definition(n_samples):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(n_samples, 8)), 2 + rng.normal(size=(3, 8))
    v, w = rng.uniform(0.5, 2, n_samples), rng.uniform(0.5, 2, 3)
    a, b = moments(X, v), moments(Y, w)
    [expected] = literal(np.concatenate([X, Y]), np.zeros(n_samples + 3), 1, np.concatenate([v, w]))
    found = together(a, b)
    for part, exact in zip((found.n, found.mean, found.scatter.matrix()), expected):
        assert_allclose(part, exact, atol=1e-12)
    back = without(found, b)
    for part, exact in zip(
        (back.n, back.mean, back.scatter.matrix()), (a.n, a.mean, a.scatter.matrix())
    ):
        assert_allclose(part, exact, atol=1e-10)
    nothing = moments(X[:0], v[:0])
    assert together(a, nothing) is a
    assert together(nothing, b) is b
    assert without(a, nothing) is a


def test_another_precision_and_another_order():
    X, labels = np.random.default_rng(0).normal(size=(12, 4)), np.repeat([0, 1, 2], [3, 4, 5])
    found = Moments.from_samples(X, labels, 3)
    small = found.astype(np.dtype(np.float32))
    assert {part.dtype for part in (small.means, *(s.array for s in small.scatters))} == {
        np.dtype(np.float32)
    }
    turned = found.reordered(np.array([2, 0, 1]))
    assert_same(turned, literal(X, np.array([1, 2, 0])[labels], 3))


def test_what_lies_outside_the_span_of_a_factor_cannot_leave_it():
    """By its whole energy, 0.04 + 0.01, against the floor."""
    S = Scatter(np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]), True)
    gone, row = Scatter(np.array([[0.0, 0.0, 0.2, 0.0]]), True), np.array([0.0, 0.0, 0.0, 0.1])
    with pytest.raises(ImpossibleRemovalError, match="vary more"):
        S.minus(gone, row, 0.045)
    assert_allclose(S.minus(gone, row, 0.055).matrix(), S.matrix(), atol=1e-12)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_factor_of_dependent_rows_is_lowered_like_any_other(scale):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(3, 20))
    F = scale * rng.normal(size=(9, 3)) @ rows
    gone, row = 0.3 * F[:2] + 0.2 * F[5:7], 0.5 * F[3]
    rest = Scatter(F, True).minus(Scatter(gone, True), row)
    expected = F.T @ F - gone.T @ gone - np.outer(row, row)
    assert rest.is_factor
    assert len(rest.array) == 3
    assert_allclose(rest.matrix(), expected, atol=1e-10 * scale**2)


def test_a_deficit_of_the_least_number_there_is_passes():
    _check_semidefinite(np.array([-np.finfo(float).tiny]), 0.0, 0.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_floor_of_a_removal_is_the_rounding_of_the_second_moment(monkeypatch, dtype):
    """A thousand eps of n‖ȳ‖², the rounding of a mean of n samples."""
    floors = []

    def spy(scatter, other, row, floor):
        floors.append(floor)
        return scatter

    monkeypatch.setattr(Scatter, "minus", spy)
    mean = np.array([3.0, 4.0], dtype)
    nothing = Scatter(np.zeros((0, 2), dtype), True)
    without(ClassMoments(50.0, mean, nothing), ClassMoments(2.0, mean, nothing))
    assert_allclose(floors, [1e3 * np.finfo(dtype).eps * 50 * 25], rtol=1e-6)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_large_samples_leave_no_digits_behind(unit):
    X = unit * np.random.default_rng(0).normal(size=(20, 5))
    for scale, fits in [(1.0, True), (1e3, True), (1e5, False), (1e9, False)]:
        large = unit * scale * np.ones((1, 5))
        total = moments(np.concatenate([X, large]), np.ones(21))
        gone = moments(large, np.ones(1))
        if fits:
            check_digits(total, gone)
            assert_allclose(without(total, gone).mean, X.mean(axis=0), atol=1e-9 * unit)
        else:
            with pytest.raises(ImpossibleRemovalError, match="rounding of their sums"):
                check_digits(total, gone)
    check_digits(total, total)  # nothing stays, so that nothing is lost


@pytest.mark.parametrize("sizes", [(3, 4, 1), (3, 40, 5), (9, 9, 9)])
@pytest.mark.parametrize("n_features", [6, 30])
def test_the_scatter_within_classes_is_the_sum_over_centred_samples(sizes, n_features):
    X, labels = samples(np.random.default_rng(0), sizes, n_features)
    W = within_scatter(Moments.from_samples(X, labels, 3))
    centred = X - np.array([X[labels == c].mean(axis=0) for c in range(3)])[labels]
    assert_allclose(W.matrix(), centred.T @ centred, atol=1e-12)
    assert W.is_factor == (len(W.array) < n_features and len(W.array) == sum(sizes) - 3)


@pytest.mark.parametrize("n_samples", [4, 9])  # a factor, a matrix
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tensors_have_the_moments_of_arrays(n_samples, dtype):
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    rng = np.random.default_rng(0)
    X, weights = (100 + rng.normal(size=(n_samples, 5))).astype(dtype), rng.uniform(1, 2, n_samples)
    found = moments(torch.as_tensor(X), weights)
    [(n, mean, scatter)] = literal(X.astype(float), np.zeros(n_samples), 1, weights)
    assert found.mean.dtype == found.scatter.array.dtype == dtype
    exact = dtype == np.float64
    assert_allclose(found.n, n)
    assert_allclose(found.mean, mean, rtol=1e-12 if exact else 1e-7)
    assert_allclose(found.scatter.matrix(), scatter, atol=1e-9 if exact else 1e-2)
    labels = rng.integers(0, 2, n_samples)
    there = Moments.from_samples(torch.as_tensor(X), labels, 2, weights)
    assert_same(there, literal(X, labels, 2, weights), atol=1e-9 if exact else 1e-2)


def test_all_samples_may_leave_whatever_digits_they_leave_behind():
    """All of them but for rounding of their weight."""
    total = one(1e6)
    check_digits(total, one(1e6 * (1 - 0.9e-9)))
    with pytest.raises(ImpossibleRemovalError, match="rounding of their sums"):
        check_digits(total, one(1e6 * (1 - 1.1e-9)))


@pytest.mark.parametrize("n_samples", [4, 9])  # a factor, a matrix
def test_the_energy_of_samples_is_the_sum_of_their_squares(n_samples):
    X = np.random.default_rng(0).normal(size=(n_samples, 5)) + 1
    weights = np.random.default_rng(1).uniform(1, 2, n_samples)
    assert_allclose(_energy(moments(X, weights)), weights @ (X**2).sum(axis=1))
