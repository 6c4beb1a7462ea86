import numpy as np
import pytest
from PIL import Image

from crosslabel.media.gray import gray_clip, gray_image, resized


def test_integers_are_divided_by_the_largest_value_of_their_type():
    for kind in (np.uint8, np.uint16):
        pixels = np.array([[0, np.iinfo(kind).max]], dtype=kind)
        np.testing.assert_array_equal(gray_image(pixels), [[0, 1]])


def test_floats_are_taken_as_they_are():
    pixels = np.random.default_rng(0).random((3, 4))
    np.testing.assert_allclose(gray_image(pixels), pixels, rtol=1e-6)


def test_colour_agrees_with_pillow():
    colour = np.random.default_rng(0).integers(0, 256, (9, 7, 3), dtype=np.uint8)
    expected = np.asarray(Image.fromarray(colour).convert("L"))
    np.testing.assert_allclose(gray_image(colour) * 255, expected, atol=0.51)
    alpha = np.dstack([colour, np.arange(63, dtype=np.uint8).reshape(9, 7)])
    # Products over memory that is laid out otherwise: equal to rounding.
    np.testing.assert_allclose(gray_image(alpha), gray_image(colour), rtol=1e-6)


def test_a_path_is_read(tmp_path):
    pixels = np.arange(12, dtype=np.uint8).reshape(3, 4)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    np.testing.assert_array_equal(gray_image(tmp_path / "a.png"), gray_image(pixels))
    np.save(tmp_path / "clip.npy", np.ones((2, 3, 4), np.uint8))
    assert gray_clip(tmp_path / "clip.npy").shape == (2, 3, 4)


@pytest.mark.parametrize(
    ("pixels", "message"),
    [
        (np.ones((2, 2, 2)), "shape is"),
        (np.ones((0, 3)), "shape is"),
        ([["a", "b"]], "must be numbers"),
        ([[np.nan, 1.0]], "NaN"),
    ],
)
def test_what_is_no_image_is_refused(pixels, message):
    with pytest.raises(ValueError, match=message):
        gray_image(pixels)


def test_a_clip_has_three_axes():
    with pytest.raises(ValueError, match="frames, height, width"):
        gray_clip(np.ones((3, 3)))


def test_the_longest_side_is_what_was_asked_for(tmp_path):
    smooth = np.outer(np.sin(np.linspace(0, 3, 60)), np.cos(np.linspace(0, 1, 90))).astype("f4")
    for side, shape in ((30, (20, 30)), (180, (120, 180)), (90, (60, 90))):
        found = gray_image(smooth, side)
        assert found.shape == shape
        assert abs(found.mean() - smooth.mean()) < 5e-3
        assert gray_image(smooth.T, side).shape == shape[::-1]
    assert gray_image(np.ones((2, 500)), 50).shape == (1, 50)
    large = Image.fromarray((255 * smooth.clip(0)).astype(np.uint8)).resize((1800, 1200))
    large.save(tmp_path / "large.jpg", quality=95)
    found = gray_image(tmp_path / "large.jpg", 90)
    np.testing.assert_allclose(found, smooth.clip(0), atol=0.03)


def test_resizing_keeps_to_the_values_that_were_there():
    edges = np.zeros((20, 20), np.float32)
    edges[:, 10:] = 1
    found = resized(edges, (33, 47))
    assert (found.min(), found.max()) == (0, 1)
    assert resized(edges, (20, 20)) is edges
