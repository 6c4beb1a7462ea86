import pickle

import numpy as np
import pytest
from PIL import Image
from sklearn.utils.estimator_checks import parametrize_with_checks

from crosslabel.features import Pixels


@parametrize_with_checks([Pixels()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


IMAGES = np.random.default_rng(0).integers(0, 256, (5, 12, 10), dtype=np.uint8)


def test_rows_are_unit_norm_pixels():
    X = Pixels().fit_transform(IMAGES)
    expected = IMAGES.reshape(5, -1) / 255
    np.testing.assert_allclose(X, expected / np.linalg.norm(expected, axis=1)[:, None], rtol=1e-5)


def test_log_turns_a_factor_of_brightness_into_a_constant():
    bright = np.linspace(0.2, 0.9, 120).reshape(1, 12, 10)
    rows = [Pixels(log=True, normalize=False).fit_transform(bright * f)[0] for f in (1, 0.5)]
    difference = rows[0] - rows[1]
    np.testing.assert_allclose(difference, np.log(2), atol=0.03)


def test_resizing_keeps_constants_and_means():
    flat = Pixels((6, 5), normalize=False).fit_transform(np.full((1, 12, 10), 0.25))
    np.testing.assert_allclose(flat, 0.25, rtol=1e-6)
    smooth = np.outer(np.sin(np.linspace(0, 3, 48)), np.cos(np.linspace(0, 1, 40)))[None]
    small = Pixels((12, 10), normalize=False).fit_transform(smooth)
    assert abs(small.mean() - smooth.mean()) < 3e-3


def test_images_of_any_size_arrays_or_paths(tmp_path):
    Image.fromarray(IMAGES[0]).save(tmp_path / "a.png")
    images = [IMAGES[0], IMAGES[1, :8], str(tmp_path / "a.png"), tmp_path / "a.png"]
    X = Pixels((6, 6)).fit_transform(images)
    assert X.shape == (4, 36)
    np.testing.assert_array_equal(X[0], X[2])
    np.testing.assert_array_equal(X[0], X[3])


def test_without_a_size_all_must_have_one():
    with pytest.raises(ValueError, match=r"\(12, 10\) of the first, but one has \(8, 10\)"):
        Pixels().fit([IMAGES[0]]).transform([IMAGES[1, :8]])


def test_names_inverse_and_pickling():
    pixels = Pixels((6, 5)).fit(IMAGES)
    X = pixels.transform(IMAGES)
    assert pixels.inverse_transform(X).shape == (5, 6, 5)
    assert pixels.get_feature_names_out()[7] == "pixel_1_2"
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(pixels)).transform(IMAGES), X)


def test_a_black_image_stays_zero():
    assert not Pixels(log=True).fit_transform(np.zeros((1, 4, 4))).any()


@pytest.mark.parametrize("size", [(0, 3), (3,), (2, 3, 4)])
def test_bad_size(size):
    with pytest.raises(ValueError, match="height, width"):
        Pixels(size).fit(IMAGES)


def test_log_of_negative_values():
    with pytest.raises(ValueError, match="needs intensities from 0 to"):
        Pixels(log=True).fit_transform(-np.ones((1, 3, 3)))


def test_log_of_values_that_would_overflow():
    rows = np.array([[1.0, 1e308]])
    with pytest.raises(ValueError, match=r"holds values from 1 to 1e\+308"):
        Pixels(log=True).fit(rows).transform(rows)
