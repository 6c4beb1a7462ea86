import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import CrossLabelClassifier
from crosslabel.features import LBPTOP, ClipSubspace
from crosslabel.features.clip_subspace import HORIZON, SPANS
from tests.features.test_region_covariance import clips_and_speeds


def projection(basis):
    return basis @ basis.T


@pytest.mark.parametrize("span", SPANS)
def test_rows_are_orthonormal_bases(span):
    clips = np.random.default_rng(0).random((2, 36, 21, 22))
    rows = ClipSubspace(2, span).fit_transform(clips)
    for row in rows:
        U = row.reshape(-1, 2)
        assert_allclose(U.T @ U, np.eye(2), atol=1e-10)


def test_frames_span_the_best_approximation_of_themselves():
    clip = np.random.default_rng(1).random((6, 5, 4))
    U = ClipSubspace(3, "frames").basis(clip).reshape(20, 3)
    Y = np.array([frame.ravel() for frame in clip.astype(np.float32)]).T
    left = np.linalg.eigh(Y @ Y.T)[1][:, -3:]  # of the largest eigenvalues
    assert_allclose(projection(U), projection(left), atol=1e-5)


def test_dynamics_span_the_observability_of_a_linear_system():
    rng = np.random.default_rng(2)
    C = np.linalg.qr(rng.normal(size=(12, 2)))[0]
    A = 0.99 * np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    states = [np.array([1.0, 0.5])]
    for _ in range(60):
        states.append(A @ states[-1])
    states = np.array(states) - np.mean(states, axis=0)
    clip = (states @ C.T).reshape(-1, 3, 4)
    U = ClipSubspace(2, "dynamics").basis(clip).reshape(-1, 2)
    blocks = [C @ np.linalg.matrix_power(A, k) for k in range(HORIZON)]
    expected = np.linalg.qr(np.concatenate(blocks))[0]
    assert_allclose(projection(U), projection(expected), atol=0.02)


def test_patterns_span_histograms_of_bricks():
    clip = np.random.default_rng(3).random((20, 35, 36)).astype(np.float32)
    U = ClipSubspace(4).basis(clip).reshape(177, 4)
    corners = [(0, 0), (0, 15), (15, 0), (15, 15)]
    bricks = [clip[:20, r : r + 20, c : c + 20] for r, c in corners]
    H = LBPTOP().fit_transform(bricks).T
    assert_allclose(projection(U) @ H, H, atol=1e-8)


@pytest.mark.parametrize("kernel", ["projection", "projection-rbf"])
def test_speeds_are_told_apart_by_the_kernels_of_subspaces(kernel):
    clips, y = clips_and_speeds()
    X = ClipSubspace(1).fit_transform(clips)
    model = CrossLabelClassifier(kernel=kernel, random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) >= 0.8


def test_clips_that_do_not_go_together_are_refused():
    rng = np.random.default_rng(4)
    with pytest.raises(ValueError, match="spans 3 dimensions at most"):
        ClipSubspace(4, "frames").fit_transform([rng.random((3, 5, 5))])
    with pytest.raises(ValueError, match="unlike sizes"):
        ClipSubspace(2, "frames").fit_transform([rng.random((3, 5, 5)), rng.random((3, 6, 5))])
