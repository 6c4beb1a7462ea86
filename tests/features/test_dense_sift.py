import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from crosslabel.features import DenseSIFT
from crosslabel.features.dense_sift import orientation_maps


@pytest.fixture
def image():
    noise = np.random.default_rng(0).random((45, 60))
    return gaussian_filter(noise, 2).astype(np.float32) * 4 % 1


def literal_descriptor(pixels, top, left, size):
    """Lowe's descriptor of one square, pixel by pixel, as the paper defines it."""
    height, width = pixels.shape
    histogram = np.zeros((4, 4, 8))
    middle = (size - 1) / 2
    for row in range(height):
        for column in range(width):
            up, down = pixels[max(row - 1, 0), column], pixels[min(row + 1, height - 1), column]
            left_, right = pixels[row, max(column - 1, 0)], pixels[row, min(column + 1, width - 1)]
            dy, dx = (down - up) / 2, (right - left_) / 2
            magnitude, angle = np.hypot(dy, dx), np.arctan2(dy, dx) % (2 * np.pi)
            y, x = row - top - middle, column - left - middle
            window = np.exp(-(y**2 + x**2) / (2 * (size / 2) ** 2))
            for i in range(4):
                for j in range(4):
                    wy = max(0, 1 - abs(y - (i - 1.5) * size / 4) / (size / 4))
                    wx = max(0, 1 - abs(x - (j - 1.5) * size / 4) / (size / 4))
                    for o in range(8):
                        turn = abs((angle / (np.pi / 4) - o + 4) % 8 - 4)
                        histogram[i, j, o] += magnitude * window * wy * wx * max(0, 1 - turn)
    vector = histogram.ravel()
    vector = np.minimum(vector / np.linalg.norm(vector), 0.2)
    return vector / np.linalg.norm(vector)


def test_it_is_lowes_descriptor(image):
    sift = DenseSIFT(step=9, patch_sizes=(16,), smoothing=0, contrast=0)
    values, centres = sift.describe(image)
    for number in (0, 5, len(values) - 1):
        top, left = centres[number] - 7.5
        expected = literal_descriptor(image, top, left, 16)
        np.testing.assert_allclose(values[number], expected, atol=2e-5)


def test_it_agrees_with_opencv_where_opencv_describes_the_same_patch():
    cv2 = pytest.importorskip("cv2")
    picture = gaussian_filter(np.random.default_rng(1).random((96, 128)), 3)
    picture = ((picture - picture.min()) / np.ptp(picture) * 255).astype(np.uint8)
    size = 24
    # OpenCV smooths to 1.6, counting 0.5 as the camera's, and has bins of 1.5 × the size given.
    sift = DenseSIFT(12, (size,), smoothing=np.sqrt(1.6**2 - 0.5**2) / (size / 4), contrast=0)
    values, centres = sift.describe(picture)
    keypoints = [cv2.KeyPoint(float(c), float(r), size / 6, 0) for r, c in centres]
    for point in keypoints:
        point.octave = 0
    _, theirs = cv2.SIFT_create().compute(picture, keypoints)
    # OpenCV counts angles the other way round.
    turned = values.reshape(-1, 4, 4, 8)[..., (-np.arange(8)) % 8].reshape(-1, 128)
    theirs = theirs / np.linalg.norm(theirs, axis=1, keepdims=True)
    cosine = (turned * theirs).sum(axis=1)
    assert np.median(cosine) > 0.97


def test_orientation_maps_share_out_the_whole_gradient(image):
    maps = orientation_maps(image, 0)
    dy, dx = np.gradient(image)
    inner = (slice(1, -1), slice(1, -1))
    np.testing.assert_allclose(maps.sum(2)[inner], np.hypot(dy, dx)[inner], atol=1e-5)
    assert ((maps > 0).sum(2) <= 2).all()


@pytest.mark.parametrize("angle", np.linspace(-np.pi, np.pi, 33))
def test_orientation_maps_know_every_angle(angle):
    row, column = np.mgrid[:5, :5]
    ramp = (np.sin(angle) * row + np.cos(angle) * column).astype(np.float32)
    found = orientation_maps(ramp, 0)[2, 2]
    turn = np.abs((angle / (np.pi / 4) - np.arange(8) + 4) % 8 - 4)
    np.testing.assert_allclose(found, np.maximum(0, 1 - turn), atol=2e-5)


def test_unit_norm_and_clipping(image):
    values = DenseSIFT(contrast=0).describe(image).values
    np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1, rtol=1e-5)
    assert (values >= 0).all()


def test_brightness_and_contrast_do_not_matter(image):
    sift = DenseSIFT(contrast=0)
    np.testing.assert_allclose(
        sift.describe(image).values, sift.describe(0.3 * image + 0.2).values, atol=1e-4
    )


def test_a_quarter_turn_moves_bins_and_orientations(image):
    sift = DenseSIFT(step=7, patch_sizes=(12,), contrast=0)
    values, _ = sift.describe(image[:40, :40])
    turned, _ = sift.describe(np.rot90(image[:40, :40]).copy())
    side = int(np.sqrt(len(values)))
    grid = values.reshape(side, side, 4, 4, 8)
    expected = np.rot90(np.rot90(grid, axes=(0, 1)), axes=(2, 3))
    expected = np.roll(expected, -2, axis=-1)  # rows run down: a turn to the left is −90°
    np.testing.assert_allclose(turned, expected.reshape(-1, 128), atol=1e-4)


def test_flat_patches_are_scaled_down_and_empty_ones_are_zero():
    flat = np.full((32, 32), 0.5, np.float32)
    assert not DenseSIFT().describe(flat).values.any()
    faint = flat + 1e-4 * np.random.default_rng(0).random((32, 32)).astype(np.float32)
    assert np.linalg.norm(DenseSIFT().describe(faint).values, axis=1).max() < 0.1


def test_one_array_for_images_of_one_size_and_a_list_otherwise(image):
    sift = DenseSIFT().fit([image])
    assert sift.transform(np.stack([image, image])).shape[2] == 128
    several = sift.transform([image, image[:33]])
    assert isinstance(several, list)
    assert len(sift.get_feature_names_out()) == several[0].shape[1]


def test_a_patch_larger_than_the_image_gives_nothing(image):
    assert DenseSIFT(patch_sizes=(64,)).describe(image).values.shape == (0, 128)


def test_a_patch_size_must_divide_into_bins(image):
    with pytest.raises(ValueError, match="multiple of 4 of at most 2048, but patch_sizes holds 18"):
        DenseSIFT(patch_sizes=(18,)).fit([image])
