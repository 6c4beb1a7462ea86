"""Real broken files, made here."""

import io
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from PIL import Image, ImageOps

from crosslabel.media import images
from crosslabel.media.images import image_suffixes, read_image
from crosslabel.media.unreadable import UnreadableFile
from tests.limited import child

GRADIENT = np.linspace(0, 255, 20 * 30).reshape(20, 30).astype(np.uint8)

NOISE = np.random.default_rng(0).integers(0, 256, (200, 200), dtype=np.uint8)


def jpeg(pixels=GRADIENT, **options):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "jpeg", quality=95, **options)
    return buffer.getvalue()


def test_plain_gray(tmp_path):
    Image.fromarray(GRADIENT).save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), GRADIENT)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"these are words, not pixels" * 40, "no image of a known format"),
        (jpeg()[:200], "damaged|no image"),
        (
            jpeg(np.random.default_rng(0).integers(0, 256, (200, 200), dtype=np.uint8))[:-3000],
            "damaged",
        ),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "damaged|no image"),
    ],
    ids=["zero-byte", "text", "head-only", "truncated", "broken-png"],
)
def test_damaged_files_are_named_with_a_reason(tmp_path, content, reason):
    file = tmp_path / "photo of ä dög.v2.jpg"
    file.write_bytes(content)
    with pytest.raises(UnreadableFile, match=reason) as caught:
        read_image(file)
    assert str(file) in str(caught.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(UnreadableFile, match="no such file"):
        read_image(tmp_path / "absent.png")


def test_sixteen_bits_keep_their_depth(tmp_path):
    deep = GRADIENT.astype(np.uint16) * 257
    Image.fromarray(deep).save(tmp_path / "deep.png")
    image = read_image(tmp_path / "deep.png")
    assert image.dtype == np.uint16
    np.testing.assert_array_equal(image, deep)


def test_cmyk_and_palette_become_gray(tmp_path):
    Image.fromarray(GRADIENT).convert("CMYK").save(tmp_path / "cmyk.jpg", quality=100)
    np.testing.assert_allclose(read_image(tmp_path / "cmyk.jpg"), GRADIENT.astype(float), atol=6)
    Image.fromarray(GRADIENT).convert("P").save(tmp_path / "palette.png")
    np.testing.assert_allclose(read_image(tmp_path / "palette.png"), GRADIENT, atol=6)


def test_transparent_parts_lie_on_white(tmp_path):
    colour = np.zeros((4, 4, 4), np.uint8)
    colour[:2, :, 3] = 255
    Image.fromarray(colour).save(tmp_path / "alpha.png")
    image = read_image(tmp_path / "alpha.png")
    assert (image[:2] == 0).all()
    assert (image[2:] == 255).all()
    palette = Image.fromarray(np.array([[0, 1]], np.uint8)).convert("P")
    palette.save(tmp_path / "p.png", transparency=bytes([0, 255]))
    assert read_image(tmp_path / "p.png")[0, 0] == 255


def test_the_cameras_orientation_is_applied(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: rows run to the left
    (tmp_path / "turned.jpg").write_bytes(jpeg(exif=exif))
    image = read_image(tmp_path / "turned.jpg")
    np.testing.assert_allclose(image, np.rot90(GRADIENT, -1), atol=6)


def test_floats_and_bits(tmp_path):
    Image.fromarray(GRADIENT.astype(np.float32)).save(tmp_path / "float.tiff")
    image = read_image(tmp_path / "float.tiff")
    np.testing.assert_allclose(image, GRADIENT / 255, atol=1e-6)
    Image.fromarray(GRADIENT > 100).save(tmp_path / "bits.png")
    np.testing.assert_array_equal(read_image(tmp_path / "bits.png"), (GRADIENT > 100) * 255)


READ_AND_REPORT = """
import resource, sys
from crosslabel.media import images
from crosslabel.media.images import read_image
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
shape = read_image(sys.argv[1]).shape
print(max(shape), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.parametrize(
    ("mode", "suffix", "limit"),
    [("RGB", "jpg", 100), ("RGB", "png", 600), ("1", "png", 400), ("I;16", "png", 700)],
)
def test_a_hundred_megapixels_are_shrunk_in_bounded_memory(tmp_path, mode, suffix, limit):
    file = tmp_path / f"huge.{suffix}"
    Image.new(mode, (10_000, 10_000), 1).save(file, compress_level=1)
    command = [sys.executable, "-c", READ_AND_REPORT, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    side, megabytes = map(float, done.stdout.split())
    assert side <= 2048
    assert megabytes < limit


def test_larger_than_the_limit_is_refused(tmp_path):
    file = tmp_path / "vast.png"
    Image.new("1", (16_000, 10_000)).save(file)
    with pytest.raises(
        UnreadableFile, match=r"16000×10000 pixels takes 160 M pixels.*CROSSLABEL_BUDGET=pixels"
    ):
        read_image(file)


def test_rare_formats_are_not_decoded(tmp_path):
    file = tmp_path / "drawing.png"  # whatever its name says
    Image.fromarray(np.zeros((4, 4), np.uint8)).save(file, format="PCX")
    with pytest.raises(UnreadableFile, match=r"no image of a known format \(.*JPEG, .*PNG"):
        read_image(file)
    assert ".psd" not in image_suffixes()
    assert {".jpg", ".png", ".pgm", ".bmp", ".tif"} <= image_suffixes()


def test_threads_that_read_leave_warnings_as_they_were(tmp_path):
    """Entered and left in turns, as threads do: the filters come back when the last has left."""
    before = list(warnings.filters)
    first, second = threading.Event(), threading.Event()

    def read():
        with images._SILENCE:
            first.set()
            second.wait(10)

    thread = threading.Thread(target=read)
    thread.start()
    assert first.wait(10)
    Image.fromarray(GRADIENT).save(tmp_path / "a.png")
    read_image(tmp_path / "a.png")
    second.set()
    thread.join()
    assert warnings.filters == before


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_camera_may_be_held_in_eight_ways(tmp_path, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(GRADIENT).save(tmp_path / "a.png", exif=exif)
    with Image.open(tmp_path / "a.png") as image:
        expected = np.asarray(ImageOps.exif_transpose(image))
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), expected)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "LA", "1", "I;16", "F", "CMYK"])
@pytest.mark.parametrize("side", [2048, 64])
def test_bands_give_what_the_whole_gives(tmp_path, monkeypatch, mode, side):
    monkeypatch.setattr(images, "MAX_SIDE", side)
    image = Image.fromarray(NOISE).convert("L" if mode == "I;16" else mode).convert(mode)
    image.save(tmp_path / "a.tif")
    whole = read_image(tmp_path / "a.tif", colour=True)
    monkeypatch.setattr(images, "BAND", 4000)
    np.testing.assert_array_equal(read_image(tmp_path / "a.tif", colour=True), whole)


VAST = """
from concurrent.futures import ThreadPoolExecutor
from PIL import Image
from crosslabel.media.images import read_image
for name in "abcd":
    image = Image.new("P" if name == "a" else "RGBA", (10_900, 10_900))
    image.save(Path(sys.argv[1]) / f"{name}.png", compress_level=1, transparency=0)
    del image
files = sorted(Path(sys.argv[1]).glob("*.png"))
with ThreadPoolExecutor(4) as pool:
    list(pool.map(len, files[:0]))
    limit(700)
    print([pixels.shape for pixels in pool.map(read_image, files)])
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_four_vast_images_at_once_take_no_more_than_one(tmp_path):
    assert child(VAST, tmp_path).strip() == str([(1817, 1817)] * 4)
