import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from tests.core.gpu.triton_in_numpy import stand_in


@pytest.fixture
def kernel(monkeypatch):
    with stand_in(monkeypatch, "jacobi_kernel") as [module]:
        yield module


def turned(kernel, matrices):
    rows, rotations = kernel.orthogonal_rows(torch.as_tensor(matrices))
    return rows.numpy(), rotations.numpy()


@pytest.mark.parametrize(
    "shape", [(1, 1), (2, 2), (5, 5), (6, 6), (7, 40), (33, 9), (4, 3), (32, 40)]
)
def test_rotations_make_the_rows_orthogonal(kernel, shape):
    matrices = np.random.default_rng(0).standard_normal((3, *shape))
    rows, rotations = turned(kernel, matrices)
    for A, WA, W in zip(matrices, rows, rotations):
        assert_allclose(W @ W.T, np.eye(len(A)), atol=1e-12)
        assert_allclose(W @ A, WA, atol=1e-12)
        products = WA @ WA.T
        assert_allclose(products, np.diag(np.diag(products)), atol=1e-12 * len(A))
        found = np.sort(np.sqrt(np.diag(products)))[::-1][: min(shape)]
        assert_allclose(found, np.linalg.svd(A, compute_uv=False), atol=1e-12)


def test_rows_of_rounding_are_left_alone(kernel):
    low = np.random.default_rng(0).standard_normal((9, 2))
    matrices = np.stack([np.zeros((9, 9)), low @ low.T, np.ones((9, 9))])
    rows, rotations = turned(kernel, matrices)
    assert not rows[0].any()
    assert_allclose(rotations[0], np.eye(9))
    lengths = np.linalg.norm(rows, axis=2)
    assert [int((one > 1e-10).sum()) for one in lengths] == [0, 2, 1]
    whole = rotations @ rotations.transpose(0, 2, 1)
    assert_allclose(whole, np.broadcast_to(np.eye(9), (3, 9, 9)), atol=1e-12)


def test_a_limit_ends_what_does_not_converge(kernel, monkeypatch):
    monkeypatch.setattr(kernel, "SWEEPS", 0)
    matrix = np.random.default_rng(0).standard_normal((1, 4, 4))
    rows, rotations = turned(kernel, matrix)
    assert_allclose(rows, matrix)
    assert_allclose(rotations[0], np.eye(4))


def test_the_matrices_stay_as_they_are(kernel):
    matrix = torch.ones(1, 3, 3).double()
    kernel.orthogonal_rows(matrix)
    assert (matrix == 1).all()


def pairs_of_a_turn(n_rows, turn):
    """As in a tournament: the last stays, the others go round."""
    last = n_rows + n_rows % 2 - 1
    pairs = [(turn % last, last)] + [
        ((turn + k) % last, (turn - k) % last) for k in range(1, last // 2 + 1)
    ]
    return [(a, b) for a, b in pairs if b < n_rows]


def swept(A, stop, sweeps):
    """Rows of A and of the identity after so many sweeps of plain rotations at the most."""
    rows = np.concatenate([A, np.eye(len(A))], axis=1)
    floor = (len(A) * np.finfo(float).eps) ** 2 * (A**2).sum(axis=1).max()
    for _ in range(sweeps):
        worst = 0.0
        for turn in range(len(A) + len(A) % 2 - 1):
            for i, j in pairs_of_a_turn(len(A), turn):
                x, y = rows[i].copy(), rows[j].copy()
                a, b = x[: A.shape[1]], y[: A.shape[1]]
                if a @ b == 0 or a @ a <= floor or b @ b <= floor:
                    continue
                worst = max(worst, abs(a @ b) / np.sqrt((a @ a) * (b @ b)))
                double = np.arctan2(2 * (a @ b), b @ b - a @ a)  # of the angle
                angle = double / 2 if b @ b >= a @ a else (double - np.copysign(np.pi, double)) / 2
                rows[i] = np.cos(angle) * x - np.sin(angle) * y
                rows[j] = np.sin(angle) * x + np.cos(angle) * y
        if worst <= stop:
            break
    return rows[:, : A.shape[1]], rows[:, A.shape[1] :]


@pytest.mark.parametrize("stop", [0.0, 0.6, 0.05])
@pytest.mark.parametrize("sweeps", [1, 2, 3, 4])
@pytest.mark.parametrize("n_rows", [2, 5, 6])
def test_each_sweep_turns_every_pair_by_the_smaller_angle(
    kernel, monkeypatch, stop, sweeps, n_rows
):
    monkeypatch.setattr(kernel, "STOP", stop)
    monkeypatch.setattr(kernel, "SWEEPS", sweeps)
    matrices = np.random.default_rng(0).standard_normal((4, n_rows, 7))
    matrices[1, 0], matrices[1, 1] = [1, 2, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0, 0]  # as long
    matrices *= np.array([1, 1, 1e-20, 1e20])[:, None, None]
    for A, rows, rotations in zip(matrices, *turned(kernel, matrices)):
        expected, W = swept(A, stop, sweeps)
        assert_allclose(rows, expected, atol=1e-9 * np.abs(A).max())
        assert_allclose(rotations, W, atol=1e-9)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("longest", [1e-3, 7.0])
@pytest.mark.parametrize(("of_floor", "turns"), [(0.9, False), (1.1, True)])
def test_rows_are_zero_up_to_so_many_roundings_of_the_longest_as_they_are(
    kernel, place, longest, of_floor, turns
):
    """Of 16 rows the others are zero."""
    matrix = np.zeros((1, 16, 2))
    matrix[0, 1 - place] = longest, 0
    matrix[0, place] = of_floor * 16 * np.finfo(float).eps * longest * np.array([0.6, 0.8])
    rotations = turned(kernel, matrix)[1]
    assert (np.abs(rotations[0] - np.eye(16)).max() > 0) == turns
