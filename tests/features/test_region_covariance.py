import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.ndimage import gaussian_filter
from sklearn.pipeline import make_pipeline

import crosslabel
from crosslabel import CrossLabelClassifier
from crosslabel.features import RegionCovariance


def slope(pixels, place, axis):
    """Central difference, one-sided at the border."""
    ahead, behind = list(place), list(place)
    ahead[axis] = min(place[axis] + 1, pixels.shape[axis] - 1)
    behind[axis] = max(place[axis] - 1, 0)
    return (pixels[tuple(ahead)] - pixels[tuple(behind)]) / (ahead[axis] - behind[axis])


def by_hand(pixels, scales, position):
    """Pixel by pixel: intensity, sizes of the derivatives, then the covariance over pixels."""
    columns = []
    for scale in scales:
        smooth = gaussian_filter(pixels, scale) if scale else pixels
        places = list(np.ndindex(pixels.shape))
        first = []
        columns.append([smooth[place] for place in places])
        for axis in range(pixels.ndim):
            values = np.array([slope(smooth, place, axis) for place in places])
            first.append(values.reshape(pixels.shape))
            columns.append(np.abs(values))
        for a in range(pixels.ndim):
            for b in range(a, pixels.ndim):
                columns.append([abs(slope(first[a], place, b)) for place in places])
    if position:
        for axis, length in enumerate(pixels.shape):
            columns.append([place[axis] / (length - 1) for place in np.ndindex(pixels.shape)])
    centred = np.array(columns) - np.mean(columns, axis=1, keepdims=True)
    return centred @ centred.T / (centred.shape[1] - 1)


@pytest.mark.parametrize("position", [False, True])
@pytest.mark.parametrize(("of", "shape"), [("images", (7, 5)), ("clips", (4, 5, 6))])
def test_the_matrix_is_the_covariance_of_pixel_features(of, shape, position):
    pixels = np.random.default_rng(0).random((2, *shape)).astype(np.float32)
    model = RegionCovariance(of, scales=(0, 1.5), position=position, ridge=1e-3, output="matrix")
    found = model.fit_transform(pixels)
    d = int(np.sqrt(found.shape[1]))
    expected = [by_hand(item, (0, 1.5), position) + 1e-3 * np.eye(d) for item in pixels]
    assert_allclose(found, np.reshape(expected, (2, -1)), atol=1e-6)
    assert len(model.get_feature_names_out()) == d * d


def test_bytes_are_intensities_and_sizes_may_differ():
    rng = np.random.default_rng(1)
    images = [rng.integers(0, 255, (9, 8), dtype=np.uint8), rng.integers(0, 255, (5, 12, 3))]
    images[1] = images[1].astype(np.uint8)
    rows = RegionCovariance().fit_transform(images)
    assert rows.shape == (2, 18 * 19 // 2)
    assert_allclose(rows[0], RegionCovariance().fit_transform([images[0] / 255])[0], atol=1e-3)


def test_flat_images_have_a_matrix_too():
    row = RegionCovariance(scales=(0,), ridge=1e-4).fit_transform(np.full((1, 5, 5), 0.3))
    assert_allclose(row[0], [np.log(1e-4) * (a == b) for a in range(6) for b in range(a, 6)])


def moving(speed, seed):
    """A clip of waves that move at some speed, with noise."""
    t, r, c = np.meshgrid(*[np.arange(12.0)] * 3, indexing="ij")
    phase = np.random.default_rng(seed).random() * 6
    noise = np.random.default_rng(seed).normal(size=(12, 12, 12))
    return 0.5 + 0.2 * np.sin(0.8 * (r + c) - speed * t + phase) + 0.02 * noise


def clips_and_speeds():
    clips = np.array([moving(speed, seed) for speed in (0.2, 1.0) for seed in range(8)])
    return clips, np.repeat(["slow", "fast"], 8)


@pytest.mark.parametrize("kernel", ["auto", "log-euclidean", "stein"])
def test_speeds_are_told_apart_by_every_kernel_of_covariances(kernel):
    clips, y = clips_and_speeds()
    output = "log" if kernel == "auto" else "matrix"
    X = RegionCovariance("clips", scales=(0,), output=output).fit_transform(clips)
    model = CrossLabelClassifier(kernel=kernel, random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) == 1


def test_senseless_scales_and_single_rows_are_refused():
    with pytest.raises(ValueError, match="scales must be"):
        RegionCovariance(scales=()).fit([])
    with pytest.raises(ValueError, match=r"\(1, 5\): it has no derivatives"):
        RegionCovariance().fit_transform([np.ones((1, 5))])


def test_a_model_on_a_manifold_is_saved_and_opened(tmp_path):
    clips, y = clips_and_speeds()
    steps = RegionCovariance("clips", scales=(0,), output="matrix")
    model = make_pipeline(steps, CrossLabelClassifier(kernel="stein", random_state=0))
    model.fit(clips, y)
    crosslabel.save(model, tmp_path / "m.skops")
    opened = crosslabel.load(tmp_path / "m.skops")
    assert_allclose(opened.predict_proba(clips), model.predict_proba(clips), atol=1e-9)
