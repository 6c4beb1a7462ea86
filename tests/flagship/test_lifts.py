"""Lifts of rows against lifts of their inner products, and the exact kernel."""

import numpy as np
import pytest

from crosslabel.flagship.lift import Lift, comparable, lifts, squared_distances


def table(n=12, m=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, m)) * [1, 2, 1, 0.5, 1] + 3


def test_linear_lifts_have_unit_norm_and_the_offset_is_their_last_coordinate():
    X = table()
    for name, lift in lifts(X).items():
        if not lift.gamma:
            rows = lift(X)
            assert np.allclose(np.linalg.norm(rows, axis=1), 1)
            assert rows.shape[1] == X.shape[1] + ("offset" in name)
    offset = lifts(X)["unit, offset"].offset
    assert offset == pytest.approx(np.sqrt(np.mean(np.sum(X**2, axis=1))))
    row = lifts(X)["unit, offset"](X[:1])[0]
    assert np.allclose(row[:-1] / row[-1], X[0] / offset)


def test_a_kernel_at_all_samples_is_exact_for_new_rows_too():
    X, Z = table(), table(seed=1)
    for name in ("rbf, unit", "rbf, standard"):
        lift = lifts(X)[name].with_landmarks(X)
        exact = np.exp(-lift.gamma * squared_distances(lift.scaled(Z), lift.scaled(X)))
        assert np.allclose(lift(Z) @ lift(X).T, exact, atol=1e-6)
    with pytest.raises(ValueError, match="landmarks"):
        lifts(X)["rbf, unit"](X)


def test_gamma_is_one_over_the_variance_of_the_scaled_rows():
    X = table()
    for name in ("rbf, unit", "rbf, standard"):
        lift = lifts(X)[name]
        assert lift.gamma == pytest.approx(1 / lift.scaled(X).var(axis=0).sum())


def test_tables_of_unlike_units_are_standardised():
    X = table()
    assert comparable(X)
    X[:, 0] *= 1e4
    assert not comparable(X)
    assert set(lifts(X)) == {"standard, offset", "rbf, standard"}
    assert comparable(1e200 * table())
    assert not comparable(table()[:, :1])


def test_rows_of_zeros_and_constant_features_do_no_harm():
    X = table()
    X[0], X[:, 2] = 0, 0
    for lift in lifts(X).values():
        rows = lift.with_landmarks(X)(X) if lift.gamma else lift(X)
        assert np.isfinite(rows).all()
    assert np.array_equal(Lift()(X)[0], np.zeros(5))


def test_squared_distances_against_a_loop():
    X, Z = table(4), table(3, seed=2)
    expected = [[np.sum((x - z) ** 2) for z in Z] for x in X]
    assert np.allclose(squared_distances(X, Z), expected)
