import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core import rotation as module
from crosslabel.core.rotation import cosines, exemplars, nearest, procrustes, unit_atoms, unit_norms


@st.composite
def spread(draw):
    """Energies with sum k on orthonormal axes, some of them zero, and a generator."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_atoms, n_classes = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    n_features = draw(st.integers(1, 10))
    n_axes = draw(st.integers(1, min(n_atoms, n_features)))
    q = rng.exponential(size=(n_classes, n_axes)) ** 3
    q[:, draw(st.integers(1, n_axes)) :] = 0
    q *= n_atoms / q.sum(axis=1, keepdims=True)
    frames = np.linalg.qr(rng.normal(size=(n_classes, n_features, n_features)))[0]
    return q, frames[:, :n_axes], n_atoms, rng


@given(spread(), st.booleans())
def test_atoms_have_unit_norm_and_the_given_moment(data, alike):
    q, axes, n_atoms, rng = data
    means = rng.normal(size=(len(q), axes.shape[2]))
    likeness = rng.normal(size=(len(q), n_atoms, axes.shape[2])) if alike else None
    D = unit_atoms(q, axes, n_atoms, means, likeness)
    assert D.shape == (len(q), n_atoms, axes.shape[2])
    assert_allclose(np.linalg.norm(D, axis=2), 1, rtol=1e-14)
    moments = axes.transpose(0, 2, 1) * q[:, None, :] @ axes
    assert_allclose(D.transpose(0, 2, 1) @ D, moments, atol=1e-10)
    points_to = means[:, None] if likeness is None else likeness
    assert (np.sum(D * points_to, axis=2) >= -1e-12).all()


@given(spread())
def test_atoms_that_can_be_had_are_found(data):
    """Rows that are a rotation of the axes, and of unit norm already, come out as they are."""
    q, axes, n_atoms, rng = data
    zero = np.zeros((len(q), axes.shape[2]))
    random = np.linalg.qr(rng.normal(size=(len(q), n_atoms, n_atoms)))[0][..., : q.shape[1]]
    wanted = unit_norms(random * np.sqrt(q)[:, None, :]) @ axes
    assert_allclose(unit_atoms(q, axes, n_atoms, zero, wanted), wanted, atol=1e-5)


def test_atoms_are_nearer_to_what_they_shall_look_like():
    rng = np.random.default_rng(0)
    q, axes = np.array([3.0, 1.0, 0.6, 0.4]), np.linalg.qr(rng.normal(size=(9, 9)))[0][:4]
    random = np.linalg.qr(rng.normal(size=(5, 5)))[0][:, :4]
    likeness = unit_norms(random * np.sqrt(q)) @ axes + 0.05 * rng.normal(size=(5, 9))
    D = unit_atoms(q, axes, 5, likeness.sum(axis=0), likeness)
    assert np.linalg.norm(D - likeness) < 0.6
    assert np.linalg.norm(unit_atoms(q, axes, 5, likeness.sum(axis=0)) - likeness) > 1.0


@given(spread())
def test_turning_rows_to_unit_norm_is_a_rotation(data):
    q, _, n_atoms, rng = data
    random = np.linalg.qr(rng.normal(size=(len(q), n_atoms, n_atoms)))[0][..., : q.shape[1]]
    rows = random * np.sqrt(q)[:, None, :]
    turned = unit_norms(rows)
    assert_allclose(np.linalg.norm(turned, axis=2), 1, rtol=1e-7)
    gram = rows.transpose(0, 2, 1) @ rows
    assert_allclose(turned.transpose(0, 2, 1) @ turned, gram, atol=1e-10 * n_atoms)


@pytest.mark.parametrize("n_rows", [2, 5, 6, 40])
def test_rounding_does_not_choose_between_rows_of_one_norm(n_rows):
    """The cosine transform is symmetric: its rows come in pairs of one norm."""
    rng = np.random.default_rng(n_rows)
    q = np.sort(rng.exponential(size=n_rows))[::-1]
    rows = cosines(n_rows, n_rows) * np.sqrt(q * n_rows / q.sum())
    expected = unit_norms(rows)
    for _ in range(20):
        moved = rows * (1 + 4e-16 * rng.choice([-1, 0, 1], rows.shape))
        assert_allclose(unit_norms(moved), expected, atol=1e-12)


def test_rows_of_unit_norm_stay():
    rows = np.random.default_rng(0).normal(size=(5, 3))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    assert_allclose(unit_norms(rows), rows, atol=1e-7)


@pytest.mark.parametrize("product", [0.6, -0.6])
def test_the_smaller_of_two_angles_is_taken(product):
    a, b = np.array([np.sqrt(0.8), 0.0]), np.array([product / np.sqrt(0.8), 0.0])
    b[1] = np.sqrt(1.2 - b[0] ** 2)
    turned = unit_norms(np.array([a, b]))
    angles = np.linspace(-np.pi / 2, np.pi / 2, 200001)
    norms = np.linalg.norm(np.cos(angles)[:, None] * a + np.sin(angles)[:, None] * b, axis=1)
    close = angles[np.abs(norms - 1) < 1e-5]
    angle = close[np.abs(close).argmin()]
    assert_allclose(turned[0], np.cos(angle) * a + np.sin(angle) * b, atol=1e-4)
    assert_allclose(turned[1], np.cos(angle) * b - np.sin(angle) * a, atol=1e-4)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_cosines_are_orthonormal_and_share_the_first_axis_equally(n):
    R = cosines(n, n)
    assert_allclose(R.T @ R, np.eye(n), atol=1e-12)
    assert_allclose(R[:, 0], 1 / np.sqrt(n))
    assert_allclose(cosines(n, 1), R[:, :1])


def test_procrustes_is_the_best_of_many():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(3, 7)), rng.normal(size=(5, 7))
    R = procrustes(B @ A.T)
    assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
    best = np.linalg.norm(B - R @ A)
    for _ in range(200):
        assert best <= np.linalg.norm(B - np.linalg.qr(rng.normal(size=(5, 3)))[0] @ A)


def test_weights_bring_norms_nearer_to_one():
    rng = np.random.default_rng(0)
    aims, roots = rng.normal(size=(3, 6, 4)), np.sqrt([[3.0, 1.5, 1.0, 0.5]])
    roots = np.broadcast_to(roots, (3, 1, 4))
    rows, plain = nearest(aims, roots), procrustes(aims * roots) * roots
    gram = rows.transpose(0, 2, 1) @ rows
    assert_allclose(gram, np.tile(np.diag([3.0, 1.5, 1.0, 0.5]), (3, 1, 1)), atol=1e-12)

    def far(rows):
        return np.abs(np.sum(rows**2, axis=2) - 1).max(axis=1)

    assert (far(rows) < 0.7 * far(plain)).all()
    turned, plainly = (np.sum(unit_norms(r) * aims) for r in (rows, plain))
    assert turned > plainly


def naive_exemplars(X, n_rows):
    """The row whose direction takes most of the energy, then the same with what it leaves."""
    rest, chosen = X.copy(), []
    for _ in range(n_rows):
        norms = np.linalg.norm(rest, axis=1)
        u = rest / np.where(norms > 1e-6, norms, np.inf)[:, None]
        chosen.append(int(np.argmax(np.sum((rest @ u.T) ** 2, axis=0))))
        rest = rest - (rest @ u[chosen[-1]])[:, None] * u[chosen[-1]]
    return chosen


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(2, 6))
def test_exemplars_explain_the_most(seed, n_samples, n_features):
    X = np.random.default_rng(seed).normal(size=(2, n_samples, n_features))
    n_rows = min(n_samples, n_features - 1)  # along one last direction all rows do as well
    chosen = exemplars(X, n_rows)
    assert chosen.tolist() == [naive_exemplars(x, n_rows) for x in X]
    assert exemplars(X[1], n_rows).tolist() == chosen[1].tolist()


def test_exemplars_come_again_where_there_are_too_few():
    X = np.array([[1.0, 0, 0], [0, 2.0, 0], [1.0, 0, 0], [0, 0, 0]])
    chosen = exemplars(X, 5)
    assert chosen.tolist() in ([1, 0, 1, 0, 1], [1, 2, 1, 2, 1])
    assert exemplars(np.zeros((2, 3)), 3).tolist() == [0, 0, 0]


def test_small_samples_have_the_exemplars_of_large_ones():
    X = np.random.default_rng(0).normal(size=(7, 6))
    assert exemplars(1e-3 * X, 5).tolist() == exemplars(X, 5).tolist() == naive_exemplars(X, 5)


def test_norms_are_one_even_where_axes_are_not_quite_orthonormal():
    rng = np.random.default_rng(0)
    axes = (1 + 1e-6) * np.linalg.qr(rng.normal(size=(5, 5)))[0][:3]
    D = unit_atoms(np.array([2.0, 1.5, 0.5]), axes, 4, rng.normal(size=5))
    assert_allclose(np.linalg.norm(D, axis=1), 1, rtol=1e-14)


def naive_unit_norms(rows):
    """By the definition: of the shortest and the longest row the one nearer to norm one gets it."""
    rows, open_ = rows.copy(), set(range(len(rows)))
    for _ in range(len(rows) - 1):
        by_norm = sorted(open_, key=lambda k: rows[k] @ rows[k])
        low, high = by_norm[0], by_norm[-1]
        is_low = 1 - rows[low] @ rows[low] <= rows[high] @ rows[high] - 1
        one, other = (low, high) if is_low else (high, low)
        angles = np.linspace(-np.pi / 2, np.pi / 2, 2_000_001)
        a, b = rows[one], rows[other]
        squares = (
            np.cos(angles) ** 2 * (a @ a) + np.sin(angles) ** 2 * (b @ b)
            + 2 * np.sin(angles) * np.cos(angles) * (a @ b)
        )  # fmt: skip
        crossings = np.flatnonzero(np.diff(np.sign(squares - 1)))
        angle = min(angles[crossings], key=abs)
        rows[one], rows[other] = (
            np.cos(angle) * a + np.sin(angle) * b,
            np.cos(angle) * b - np.sin(angle) * a,
        )
        open_.remove(one)
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_the_row_nearer_to_norm_one_gets_it(seed):
    rows = np.random.default_rng(seed).normal(size=(4, 5))
    rows *= 2 / np.linalg.norm(rows)
    assert_allclose(unit_norms(rows), naive_unit_norms(rows), atol=1e-5)


def test_of_samples_along_one_direction_one_stands_for_all():
    rng = np.random.default_rng(0)
    X = np.outer([0.0, 2.0, -1.0, 0.5], rng.normal(size=5))
    assert exemplars(X, 4).tolist() in ([k] * 4 for k in (1, 2, 3))


@pytest.mark.parametrize("unit", [1.0, 1e-6])
def test_what_rounding_leaves_of_dependent_samples_is_no_exemplar(unit):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(6, 2)) @ rng.normal(size=(2, 8)), np.zeros((1, 8))])
    chosen = exemplars(unit * X, 5).tolist()
    assert chosen == [chosen[k % 2] for k in range(5)]
    assert len(set(chosen)) == 2


def test_orthonormal_rows_stay():
    assert_allclose(unit_norms(np.eye(3)), np.eye(3))


def test_without_weights_the_nearest_rows_are_those_of_procrustes(monkeypatch):
    monkeypatch.setattr(module, "_ROUNDS", 1)
    rng = np.random.default_rng(0)
    aims, roots = rng.normal(size=(4, 3)), np.sqrt([[2.5, 1.0, 0.5]])
    left, _, right = np.linalg.svd(aims @ np.diag(roots[0]), full_matrices=False)
    assert_allclose(nearest(aims, roots), left @ right @ np.diag(roots[0]), atol=1e-12)


def test_rows_that_are_turned_to_unit_norm_stay_as_they_were():
    rows = np.diag([0.5, 1.0, np.sqrt(1.75)])
    before = rows.copy()
    unit_norms(rows)
    assert_allclose(rows, before, atol=0)
