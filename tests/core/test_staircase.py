import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core import staircase


def stepped(n_rows, n_features):
    """Rows of which each has one more value than the one before."""
    return np.tril(np.random.default_rng(n_rows).normal(size=(n_rows, n_features)))


@pytest.mark.parametrize(("n_rows", "n_features"), [(5, 9), (9, 9), (10, 8), (11, 8)])
def test_rows_lie_in_as_many_axes_as_there_are_rows_before_them(n_rows, n_features):
    rows = np.random.default_rng(0).normal(size=(n_rows, n_features))
    axes = staircase.stairs(rows)
    if n_rows > 1.25 * n_features:
        assert axes is None
        return
    assert_allclose(axes @ axes.T, np.eye(n_features), atol=1e-14)
    coordinates = rows @ axes.T
    assert_allclose(coordinates, np.tril(coordinates), atol=1e-13)


def test_steps_cover_the_rows_and_end_where_these_do():
    rows = stepped(600, 700)
    assert staircase.steps(rows) == [
        (slice(0, 256), 256), (slice(256, 512), 512), (slice(512, 600), 600)
    ]  # fmt: skip
    rows[300] = 0
    rows[511] = 0
    rows[0] = 0
    assert [end for _, end in staircase.steps(rows)] == [256, 511, 600]
    rows[0, 690] = 1
    assert staircase.steps(rows) == [(slice(0, 600), 700)]


@pytest.mark.parametrize(
    "rows",
    [
        stepped(600, 700),
        stepped(700, 600),
        stepped(40, 50),
        np.zeros((300, 20)),
        np.ones((300, 20)),
        stepped(300, 400)[::-1],
    ],
)
def test_products_are_those_with_the_zeros(rows):
    rng = np.random.default_rng(1)
    M, X = rng.normal(size=(7, rows.shape[1])), rng.normal(size=(len(rows), 7))
    assert_allclose(staircase.times(rows, M), rows @ M.T, atol=1e-11)
    assert_allclose(staircase.moment(X, rows), X.T @ rows, atol=1e-11)


def test_products_skip_the_zeros():
    """What a row would be multiplied with after its end has no say, whatever it is."""
    rows, M = stepped(512, 512), np.ones((2, 512))
    M[:, 256:] = np.nan
    assert np.isfinite(staircase.times(rows, M)[:256]).all()
