import numpy as np
import pytest
from PIL import Image

from crosslabel.media.colour import square_picture

RNG = np.random.default_rng(0)
PHOTO = RNG.integers(0, 256, (30, 48, 3), dtype=np.uint8)


def test_the_square_in_the_middle():
    upright = PHOTO.transpose(1, 0, 2)
    np.testing.assert_array_equal(square_picture(PHOTO, 30, whole=False), PHOTO[:, 9:39])
    np.testing.assert_array_equal(square_picture(upright, 30, whole=False), upright[9:39])


def test_the_whole_image_is_squeezed():
    """Each column of a wide picture of flat columns is still there, in order."""
    columns = np.repeat(np.arange(0, 240, 40, dtype=np.uint8), 20)
    found = square_picture(np.tile(columns, (30, 1)), 60)
    assert found.shape == (60, 60, 3)
    middles = found[30, 5::10, 0]
    assert np.abs(middles - np.arange(0, 240, 40)).max() <= 2


def test_shrinking_does_not_alias():
    stripes = np.zeros((400, 400), np.uint8)
    stripes[:, ::2] = 255
    assert np.ptp(square_picture(stripes, 40)[5:-5, 5:-5].astype(int)) <= 4


def test_whatever_holds_the_same_picture_gives_the_same(tmp_path):
    expected = square_picture(PHOTO, 20)
    Image.fromarray(PHOTO).save(tmp_path / "a.png")
    Image.fromarray(PHOTO).save(tmp_path / "a.tiff")
    alpha = np.dstack([PHOTO, np.full(PHOTO.shape[:2], 255, np.uint8)])
    Image.fromarray(alpha).save(tmp_path / "alpha.png")
    turned = Image.fromarray(np.rot90(PHOTO))
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held so that rows are columns
    turned.save(tmp_path / "exif.png", exif=exif)
    same = [
        *(str(tmp_path / "a.png"), tmp_path / "a.tiff", tmp_path / "alpha.png"),
        *(tmp_path / "exif.png", alpha, PHOTO.astype(np.uint16) * 257, PHOTO / 255, PHOTO.tolist()),
    ]
    for image in same[:-1]:
        np.testing.assert_array_equal(square_picture(image, 20), expected)


def test_gray_is_three_equal_colours(tmp_path):
    gray = PHOTO[..., 0]
    deep = Image.fromarray(gray.astype(np.uint16) * 257)
    deep.save(tmp_path / "deep.png")
    for image in (gray, gray[..., None], tmp_path / "deep.png", gray.astype(np.uint16) * 257):
        found = square_picture(image, 30, whole=False)
        np.testing.assert_array_equal(found, np.repeat(gray[:, 9:39, None], 3, axis=2))
    assert square_picture(np.eye(4, dtype=bool), 4)[0, :2, 0].tolist() == [255, 0]


def test_transparent_parts_are_white_and_cmyk_is_colour(tmp_path):
    clear = np.zeros((8, 8, 4), np.uint8)
    Image.fromarray(clear).save(tmp_path / "clear.png")
    assert (square_picture(tmp_path / "clear.png", 8) == 255).all()
    Image.new("CMYK", (8, 8), (0, 255, 255, 0)).save(tmp_path / "red.jpg")
    red, green, blue = square_picture(tmp_path / "red.jpg", 8)[4, 4]
    assert red > 200
    assert green < 60
    assert blue < 60


def test_a_large_jpeg_is_the_small_picture(tmp_path):
    """It is decoded at a smaller size; what the network sees is the same."""
    large = Image.fromarray(PHOTO).resize((1920, 1200), Image.Resampling.BICUBIC)
    large.save(tmp_path / "large.jpg", quality=95)
    expected = square_picture(np.asarray(large), 60).astype(float)
    assert np.abs(square_picture(tmp_path / "large.jpg", 60) - expected).mean() < 3


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((3, 4, 2)), r"shape is \(3, 4, 2\)"),
        (np.zeros((0, 4)), r"shape is \(0, 4\)"),
        (np.zeros(5), r"shape is \(5,\)"),
        (np.full((4, 4), 254.0), r"holds 254 to 254. Divide"),
        (np.full((4, 4), np.nan), "in \\[0, 1\\]"),
        (-np.ones((4, 4)), "holds -1 to -1"),
        (np.full((4, 4), "a"), "must be numbers"),
    ],
)
def test_what_is_no_picture(image, message):
    with pytest.raises(ValueError, match=message):
        square_picture(image, 4)
