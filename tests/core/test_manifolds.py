import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import logm

from crosslabel.core import manifolds
from crosslabel.core.manifolds import (
    MANIFOLDS,
    covariances,
    from_log_coordinates,
    log_coordinates,
    logarithms,
    overlaps,
    stein_divergences,
    subspaces,
)


def matrices(n=6, d=4, seed=0):
    factors = np.random.default_rng(seed).normal(size=(n, d, d + 2))
    return factors @ factors.transpose(0, 2, 1)


def bases(n=6, M=7, p=3, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n, M, p)))[0]


def rows(points):
    return points.reshape(len(points), -1)


def test_logarithms_are_those_of_matrices():
    C = matrices()
    assert_allclose(logarithms(rows(C)), rows(np.array([logm(c) for c in C])), atol=1e-9)


def test_coordinates_keep_the_distance_of_logarithms():
    C = matrices()
    Z = log_coordinates(rows(C))
    assert Z.shape == (6, 10)
    for a, z in zip(C, Z):
        for b, w in zip(C, Z):
            apart = np.linalg.norm(logm(a) - logm(b), "fro")
            assert_allclose(np.linalg.norm(z - w), apart, atol=1e-8)


@pytest.mark.parametrize("d", [*range(1, 8), 20])
def test_coordinates_lead_back_to_the_matrix(d):
    C = matrices(d=d)
    assert_allclose(from_log_coordinates(log_coordinates(rows(C))), rows(C), atol=1e-9)


def test_the_log_euclidean_kernel():
    A, B = matrices(3, seed=1), matrices(4, seed=2)
    expected = [
        [np.exp(-0.2 * np.linalg.norm(logm(a) - logm(b), "fro") ** 2) for b in B] for a in A
    ]
    assert_allclose(MANIFOLDS["log-euclidean"].values(rows(A), rows(B), 0.2), expected, atol=1e-9)


def divergence(a, b):
    det = np.linalg.det
    return np.log(det((a + b) / 2)) - 0.5 * np.log(det(a @ b))


@pytest.mark.parametrize("pairs", [1, 2**16])
def test_stein_divergences_and_kernel(monkeypatch, pairs):
    monkeypatch.setattr(manifolds, "_PAIRS", pairs)
    A, B = matrices(3, seed=1), matrices(4, seed=2)
    expected = np.array([[divergence(a, b) for b in B] for a in A])
    assert_allclose(stein_divergences(rows(A), rows(B)), expected, atol=1e-9)
    values = MANIFOLDS["stein"].values(rows(A), rows(B), 1.5)
    assert_allclose(values, np.exp(-1.5 * expected), atol=1e-9)


def test_the_projection_kernels():
    U, V = bases(3, seed=1), bases(4, seed=2)
    products = np.array([[np.trace(u @ u.T @ v @ v.T) / 3 for v in V] for u in U])
    assert_allclose(overlaps(rows(U), rows(V)), products, atol=1e-12)
    assert_allclose(MANIFOLDS["projection"].values(rows(U), rows(V), 9.0), products, atol=1e-12)
    apart = np.array(
        [[np.linalg.norm(u @ u.T - v @ v.T, "fro") ** 2 / (2 * 3) for v in V] for u in U]
    )
    values = MANIFOLDS["projection-rbf"].values(rows(U), rows(V), 0.7)
    assert_allclose(values, np.exp(-0.7 * apart), atol=1e-12)


@pytest.mark.parametrize("name", MANIFOLDS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), d=st.integers(1, 4), spread=st.floats(0.01, 3))
def test_kernels_are_positive_semidefinite_with_their_own_gamma(name, seed, d, spread):
    if name in ("log-euclidean", "stein"):
        points = rows(np.eye(d) + spread * matrices(9, d, seed))
    else:
        start = bases(1, d + 2, d, seed)
        noise = np.random.default_rng(seed).normal(size=(9, d + 2, d))
        points = rows(np.linalg.qr(start + spread * noise)[0])
    kernel = MANIFOLDS[name]
    K = kernel.values(points, points, kernel.gamma(points))
    assert_allclose(K, K.T, atol=1e-9)
    assert_allclose(np.diag(K), 1, atol=1e-6)
    assert np.linalg.eigvalsh((K + K.T) / 2)[0] > -1e-8


def test_a_basis_may_be_turned_within_its_subspace():
    U = bases()
    turned = U @ np.linalg.qr(np.random.default_rng(3).normal(size=(6, 3, 3)))[0]
    assert_allclose(overlaps(rows(U), rows(turned)), overlaps(rows(U), rows(U)), atol=1e-12)


def test_a_common_change_of_coordinates_leaves_stein_divergences():
    C = matrices()
    change = np.random.default_rng(4).normal(size=(4, 4))
    moved = change @ C @ change.T
    same = stein_divergences(rows(C), rows(C))
    assert_allclose(stein_divergences(rows(moved), rows(moved)), same, atol=1e-8)


def test_gamma_of_the_log_euclidean_kernel_is_one_over_the_variance():
    C = matrices()
    logs = np.array([logm(c) for c in C])
    variance = np.mean([np.linalg.norm(log - logs.mean(axis=0), "fro") ** 2 for log in logs])
    assert_allclose(MANIFOLDS["log-euclidean"].gamma(rows(C)), 1 / variance)


@pytest.mark.parametrize("spread", [0.01, 0.1, 1.0, 10.0])
def test_gamma_of_the_stein_kernel_is_near_one_over_the_mean_and_allowed(spread):
    C = np.eye(4) + spread * matrices()
    usual = 1 / np.mean([[divergence(a, b) for b in C] for a in C])
    gamma = MANIFOLDS["stein"].gamma(rows(C))
    if usual >= 1.5:
        assert_allclose(gamma, usual, rtol=1e-6)
    else:
        assert gamma in (0.5, 1.0, 1.5)
        assert abs(gamma - usual) <= 0.25 or (gamma == 0.5 and usual < 0.5)


def test_gamma_of_the_projection_kernel_is_one_over_the_mean_distance():
    U = bases()
    mean = np.mean([[1 - np.trace(u @ u.T @ v @ v.T) / 3 for v in U] for u in U])
    assert_allclose(MANIFOLDS["projection-rbf"].gamma(rows(U)), 1 / mean)


def test_equal_points_have_a_gamma_of_one():
    same = np.repeat(matrices(1), 4, axis=0)
    assert MANIFOLDS["log-euclidean"].gamma(rows(same)) == 1


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (np.ones((2, 5)), "5, which is no square"),
        (np.array([[1.0, 2, 3, 4]]), "Row 0 is no symmetric matrix"),
        (np.array([[1.0, 0, 0, 1], [1, 2, 2, 1]]), "Row 1 is no positive definite matrix"),
    ],
)
def test_rows_that_are_no_covariances_are_refused(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        logarithms(bad)


def test_rows_that_are_no_bases_are_refused():
    U = rows(bases())
    with pytest.raises(ValueError, match=r"squared norms from 12 to 12"):
        subspaces(2 * U)
    with pytest.raises(ValueError, match="Row 0 is no orthonormal basis"):
        subspaces(np.array([[1.0, 1.0, 0, 0], [1.0, 0, 0, 1.0]]))
    with pytest.raises(ValueError, match="3 and of 2 dimensions"):
        overlaps(rows(bases(M=6)), rows(bases(M=9, p=2)))


def test_shapes_come_back():
    C, U = matrices(), bases()
    assert_allclose(covariances(rows(C)), C)
    assert_allclose(subspaces(rows(U)), U)


def test_more_columns_than_rows_are_no_subspace():
    """A row of squared norm 40,000 would ask for a product of 13 GB."""
    with pytest.raises(ValueError, match="40000 values and squared norms from 4e\\+04"):
        subspaces(np.ones((1, 40_000)))


@pytest.mark.parametrize("order", [1, -1])
def test_bases_of_unlike_sizes_are_refused_by_their_norms(order):
    one, other = rows(bases(1, 6, 2)), rows(bases(1, 4, 3))
    with pytest.raises(ValueError, match="squared norms from 2 to 3"):
        subspaces(np.concatenate([one, other][::order]))


@pytest.mark.parametrize("product", [0.6, -0.6])
def test_columns_that_are_not_orthogonal_are_refused(product):
    with pytest.raises(ValueError, match=r"product of its columns is off by 0\.6"):
        subspaces(np.array([[1.0, product, 0.0, 0.8]]))


def test_no_rows_are_lines():
    assert subspaces(np.zeros((0, 7))).shape == (0, 7, 1)


@pytest.mark.parametrize("products", [1, 30])
def test_products_are_summed_some_at_a_time(monkeypatch, products):
    monkeypatch.setattr(manifolds, "_PRODUCTS", products)
    U, V = bases(5, seed=1), bases(4, seed=2)
    expected = [[np.linalg.norm(u.T @ v) ** 2 for v in V] for u in U]
    assert_allclose(manifolds.squared_products(U, V), expected)


def test_a_width_just_above_the_allowed_multiples_is_taken_as_it_is():
    """Matrices of size four: all γ from 1.5 on make the Stein kernel positive."""
    taken = []
    for spread in np.geomspace(0.01, 10, 40):
        C = np.eye(4) + spread * matrices()
        usual = 1 / np.mean([[divergence(a, b) for b in C] for a in C])
        if usual >= 1.5:
            taken.append(usual)
            assert_allclose(MANIFOLDS["stein"].gamma(rows(C)), usual, rtol=1e-6)
    assert min(taken) < 2


def test_points_that_differ_by_more_than_rounding_have_a_width():
    assert_allclose(manifolds._reciprocal(1e-10), 1e10)
    assert manifolds._reciprocal(1e-13) == 1


def test_small_matrices_are_as_symmetric_as_large_ones():
    skew = np.array([[1.0, 0.5, 0.4, 1.0]])
    for scale in (1e-8, 1.0, 1e8):
        with pytest.raises(ValueError, match="Row 0 is no symmetric matrix"):
            logarithms(scale * skew)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_entries_may_differ_by_rounding_of_the_largest(scale):
    skew = scale * np.array([[2.0, 0.5, 0.5, 1.0]])
    assert covariances(skew + scale * np.array([[0, 1e-5, 0, 0]])).shape == (1, 2, 2)
    with pytest.raises(ValueError, match="Row 0 is no symmetric matrix"):
        covariances(skew + scale * np.array([[0, 3e-5, 0, 0]]))
    with pytest.raises(ValueError, match="Row 0 is no positive definite matrix"):
        logarithms(-skew - scale * np.array([[0, 1e-5, 0, 0]]))


def test_a_singular_matrix_has_no_logarithm():
    with pytest.raises(ValueError, match="Row 0 is no positive definite matrix"):
        logarithms(np.array([[1.0, 0, 0, 0]]))


def test_gamma_of_the_stein_kernel_is_a_half_at_the_least():
    found = []
    for spread in np.geomspace(0.3, 10, 30):
        C = np.exp(spread * np.arange(-2.0, 3))[:, None, None] * np.eye(4)
        usual = 1 / np.mean([[divergence(a, b) for b in C] for a in C])
        expected = usual if usual >= 1.5 else max(0.5, round(2 * usual) / 2)
        assert_allclose(MANIFOLDS["stein"].gamma(rows(C)), expected, rtol=1e-6)
        found.append(expected)
    assert {0.5, 1.0, 1.5} < set(found)
