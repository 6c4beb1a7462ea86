from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from crosslabel.media.unreadable import UnreadableFile
from crosslabel.studio.thumbnails import SIDE, kept_thumbnail, thumbnail


def test_the_central_square_in_colour(tmp_path):
    pixels = np.zeros((100, 300, 3), np.uint8)
    pixels[:, 100:200, 0] = 255
    Image.fromarray(pixels).save(tmp_path / "a.png")
    small = np.asarray(Image.open(BytesIO(thumbnail(tmp_path / "a.png"))).convert("RGB")).astype(
        int
    )
    assert small.shape == (SIDE, SIDE, 3)
    assert (small[20:-20, 20:-20, 0] > 200).all()
    assert (small[20:-20, 20:-20, 1:] < 60).all()


def test_it_is_made_once(tmp_path, root):
    first = kept_thumbnail(root / "ball" / "0.png", "key", tmp_path / "kept")
    assert kept_thumbnail(root / "no such file", "key", tmp_path / "kept") == first


def test_no_picture(tmp_path):
    (tmp_path / "a.png").write_bytes(b"<svg onload=alert(1)>")
    with pytest.raises(UnreadableFile):
        thumbnail(tmp_path / "a.png")
