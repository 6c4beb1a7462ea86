"""Lifts that are tried: which, and with what constants."""

import numpy as np
import pytest

from crosslabel.core.manifolds import MANIFOLDS
from crosslabel.flagship.lifts import default_lift, is_comparable, lift_named, lifts
from crosslabel.flagship.problem import Settings, Wish

WISH = Wish(Settings())
TABLE = "standard, offset", "standard"


def table(n=12, m=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, m)) * [1, 2, 1, 0.5, 1] + 3


def tried(X, **changed):
    return lifts(X, np.ones(len(X)), Wish(Settings(), **changed))


def test_linear_lifts_have_unit_norm_and_the_offset_is_their_last_coordinate():
    X = table()
    for name, plan in tried(X).items():
        if plan.kernel is None:
            rows = plan.lift(X)
            if name != "standard":
                assert np.allclose(np.linalg.norm(rows, axis=1), 1)
            assert rows.shape[1] == X.shape[1] + (name != "unit")
    offset = tried(X)["unit, offset"].lift.offset
    assert offset == pytest.approx(np.sqrt(np.mean(np.sum(X**2, axis=1))))
    row = tried(X)["unit, offset"].lift(X[:1])[0]
    assert np.allclose(row[:-1] / row[-1], X[0] / offset)
    assert tried(X)["standard, offset"].lift.offset == pytest.approx(np.sqrt(5))


def test_the_features_of_a_table_are_tried_as_they_are_if_few():
    X = table()
    rows = tried(X)["standard"].lift(X)
    assert np.allclose(rows[:, :5], (X - X.mean(axis=0)) / X.std(axis=0))
    assert np.allclose(rows[:, 5], np.sqrt(5))
    wide = np.random.default_rng(0).normal(size=(12, 101))
    assert "standard" not in tried(wide)
    assert "standard" in tried(wide[:, :100])


def test_gamma_is_one_over_the_variance_of_the_scaled_rows():
    X = table()
    for name in ("rbf, unit", "rbf, standard"):
        plan = tried(X)[name]
        assert plan.gamma == pytest.approx(1 / plan.lift(X).var(axis=0).sum())


def test_tables_of_unlike_units_are_standardised():
    X = table()
    assert is_comparable(X)
    X[:, 0] *= 1e4
    assert not is_comparable(X)
    assert set(tried(X)) == {"standard, offset", "standard", "rbf, standard"}
    assert is_comparable(1e200 * table())
    assert is_comparable(-1e200 * np.abs(table()) * [1, 1, 1, 1, 0])
    assert not is_comparable(table()[:, :1])


def test_rows_of_zeros_and_constant_features_do_no_harm():
    X = table()
    X[0], X[:, 2] = 0, 0
    for plan in tried(X).values():
        assert np.isfinite(plan.settled(X, None)(X)).all()
    assert np.array_equal(tried(X)["unit"].lift(X)[0], np.zeros(5))


@pytest.mark.parametrize(
    ("wish", "names"),
    [
        ({"kernel": "linear"}, {"unit", "unit, offset", *TABLE}),
        ({"kernel": "linear", "offset": 0}, {"unit", *TABLE}),
        ({"kernel": "linear", "offset": 2.0}, {"unit, offset", *TABLE}),
        ({"kernel": "poly"}, {"unit", "unit, offset", *TABLE}),
        ({"rule": "local"}, {"named"}),
        ({"scale": "unit"}, {"named"}),
    ],
)
def test_what_is_named_is_not_tried(wish, names):
    found = tried(table(), **wish)
    assert set(found) == names
    kernel = wish.get("kernel", "linear")
    assert all(plan.kernel == (None if kernel == "linear" else kernel) for plan in found.values())


def test_a_dictionary_that_is_given_fixes_the_lift():
    wish = Wish(Settings(init=np.ones((2, 5))))
    X = table() * [1e4, 1, 1, 1, 1]
    assert lifts(X, np.ones(12), wish)["named"].lift.is_plain
    assert default_lift(X, wish).is_plain


def test_a_named_lift_is_the_one_that_was_named():
    X, ones = table(), np.ones(12)
    unit = lift_named(X, ones, Wish(Settings(), rule="local")).lift
    assert unit.is_plain
    assert unit.unit
    assert not lift_named(X, ones, Wish(Settings(), scale="none")).lift.unit
    standard = lift_named(X, ones, Wish(Settings(), scale="standard", offset=0)).lift
    expected = (X - X.mean(axis=0)) / X.std(axis=0)
    assert np.allclose(standard(X), expected / np.linalg.norm(expected, axis=1, keepdims=True))


def test_a_kernel_at_some_landmarks_is_exact_there():
    X = table()
    lift = lift_named(X, np.ones(12), Wish(Settings(), kernel="rbf")).settled(X, 6)
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    rows, some = rows[::2], lift(X[::2])  # of twelve, from the first to the last
    exact = np.exp(-lift.kernel.gamma * ((rows[:, None] - rows) ** 2).sum(axis=2))
    assert np.allclose(some @ some.T, exact, atol=1e-8)


def test_landmarks_of_samples_that_come_class_by_class_are_of_every_class():
    X = np.repeat(np.eye(5), 8, axis=0) + 0.01 * np.random.default_rng(0).normal(size=(40, 5))
    lift = lift_named(X, np.ones(40), Wish(Settings(), kernel="rbf")).settled(X, 7)
    assert len(lift.kernel.landmarks) == 7
    assert set(lift.kernel.landmarks.argmax(axis=1)) == set(range(5))


def test_the_lift_of_a_stream_follows_its_first_samples():
    X = table()
    assert default_lift(X, WISH).is_plain
    X[:, 0] *= 1e4
    assert default_lift(X, WISH).center is not None
    assert default_lift(X, Wish(Settings(), rule="local")).is_plain
    with pytest.raises(ValueError, match="Begin with a batch of samples"):
        default_lift(X[:0], Wish(Settings(), scale="standard"))


@pytest.mark.parametrize("kernel", MANIFOLDS)
def test_points_of_a_manifold_are_not_scaled(kernel):
    factors = np.random.default_rng(0).normal(size=(9, 4, 4))
    points = factors @ factors.transpose(0, 2, 1)
    if kernel.startswith("projection"):
        points = np.linalg.qr(factors)[0][:, :, :2]
    X = points.reshape(9, -1)
    wish = Wish(Settings(), kernel=kernel)
    (plan,) = lifts(X, np.ones(9), wish).values()
    np.testing.assert_array_equal(plan.lift(X), X)
    assert plan.gamma == MANIFOLDS[kernel].gamma(X)
    Z = plan.settled(X, None)(X)
    K = MANIFOLDS[kernel].values(X, X, plan.gamma)
    np.testing.assert_allclose(Z @ Z.T, K, atol=1e-8)
    assert default_lift(X, wish)(X).shape == Z.shape


def ruling(X):
    """How many features make up the norms: (Σv)²/Σv² of second moments v."""
    v = [sum(x * x for x in column) / len(column) for column in X.T.tolist()]
    return sum(v) ** 2 / sum(one * one for one in v)


def test_features_rule_the_norms_if_two_make_them_up():
    found = set()
    for seed, spread in enumerate(np.linspace(0.3, 1.5, 40)):
        X = np.random.default_rng(seed).normal(size=(9, 3)) * [1, spread, spread**2]
        assert is_comparable(X) == (ruling(X) >= 2)
        assert is_comparable(-(X**2)) == (ruling(X**2) >= 2)
        found.add(is_comparable(X))
    assert found == {True, False}
    assert is_comparable(np.array([[1.0, -1.0], [-1.0, 1.0]]))  # two of them, just so
    assert is_comparable(np.zeros((3, 2)))


@pytest.mark.parametrize("scale", [1e-200, -1e-200, 1e200, -1e200])
def test_neither_large_nor_small_samples_lose_their_norms(scale):
    X = np.abs(table())
    assert is_comparable(scale * X)
    assert not is_comparable(scale * X * [100, 1, 1, 1, 1])
    expected = abs(scale) * np.sqrt(np.mean(np.sum(X**2, axis=1)))
    found = tried(scale * X, kernel="linear")
    assert found["unit, offset"].lift.offset == pytest.approx(expected)


def test_offsets_of_features_that_do_not_vary():
    X = table()
    X[:, 2] = 7
    assert tried(X)["standard, offset"].lift.offset == pytest.approx(2)
    constant = tried(np.full((4, 5), 3.0), kernel="linear")
    assert constant["standard, offset"].lift.offset == 1
    assert tried(np.zeros((4, 5)), kernel="linear")["unit, offset"].lift.offset == 1


def test_a_named_standard_lift_has_the_offset_of_its_features():
    X, ones = table(), np.ones(12)
    named = lift_named(X, ones, Wish(Settings(), scale="standard", offset="auto")).lift
    assert named.offset == pytest.approx(np.sqrt(5))


def test_gamma_where_nothing_varies_or_nothing_is_reckoned():
    X, ones = np.ones((4, 3)), np.ones(4)
    assert lift_named(X, ones, Wish(Settings(), kernel="rbf")).gamma == 1
    assert lift_named(X, ones, Wish(Settings(), kernel="precomputed")).gamma == 1


def test_gamma_is_finite_where_the_variance_is_below_the_range_of_numbers():
    X = np.array([[1.0, 2.0e-160], [1.0, 6.7e-161]])
    assert 0 < X.var(axis=0).sum() < 1e-300
    plan = lift_named(X, np.ones(2), Wish(Settings(), kernel="rbf"))
    assert np.isfinite(plan.values(X, X)).all()


def test_one_sample_says_nothing_of_units_and_two_do():
    X = table() * [1e4, 1, 1, 1, 1]
    assert default_lift(X[:1], WISH).is_plain
    assert default_lift(X[:2], WISH).center is not None
