import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.app.occlusion import LONGEST, handy, occlusion_map


def test_the_map_is_that_of_a_score_that_adds_up_pixels():
    """Of a linear score each window loses what its pixels differ from the mean by."""
    rng = np.random.default_rng(0)
    picture, weights = rng.random((24, 32)), rng.random((24, 32))
    cells, (high, wide) = 4, (6, 8)
    lost = weights * (picture - picture.mean())
    parts = lost.reshape(cells, high, cells, wide).sum(axis=(1, 3))
    windows = np.zeros((cells + 1, cells + 1))
    for row in range(cells + 1):
        for column in range(cells + 1):
            windows[row, column] = parts[
                max(0, row - 1) : row + 1, max(0, column - 1) : column + 1
            ].sum()
    expected = [[windows[r : r + 2, c : c + 2].mean() for c in range(cells)] for r in range(cells)]
    found = occlusion_map(
        lambda pictures: np.array([np.sum(weights * one) for one in pictures]), picture, cells=cells
    )
    assert_allclose(found, expected)


@pytest.mark.parametrize("shape", [(40, 30), (40, 30, 3), (7, 40, 30)])
def test_only_the_part_that_the_score_sees_matters(shape):
    picture = np.random.default_rng(1).integers(0, 255, shape, dtype=np.uint8)
    part = slice(10), slice(7)
    corner = part if shape[0] == 40 else (slice(None), *part)
    kept = picture[corner].astype(float)

    def score(pictures):
        return np.array([-np.abs(one[corner].astype(float) - kept).sum() for one in pictures])

    found = occlusion_map(score, picture, cells=4)
    assert found.shape == (4, 4)
    assert found[0, 0] == found.max() > 0
    assert found[3, 3] == found[0, 3] == found[3, 0] == 0


def test_large_pictures_are_made_handy():
    assert handy(np.zeros((3000, 1500, 3), np.uint8)).shape == (LONGEST, LONGEST // 2, 3)
    for picture in (np.zeros((40, 30), np.uint8), np.zeros((900, 40, 30), np.uint8)):
        assert handy(picture) is picture
