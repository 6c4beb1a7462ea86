import base64
import re
from io import BytesIO
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from crosslabel.app.audit import Findings, Pair, Suspect
from crosslabel.app.audit_page import MOST, SIDE, draw_page


def findings(kind, suspects=(), near=(), equal=()):
    data = SimpleNamespace(kind=kind, DESCR="4 images of 2 classes.", skipped=[])
    return Findings(list(suspects), list(near), list(equal), data, "pixels", None)


def pictures(page):
    found = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', page)
    return [Image.open(BytesIO(base64.b64decode(one))) for one in found]


@pytest.fixture
def files(tmp_path):
    places = []
    for number, mode in enumerate(["L", "RGB", "RGB", "I;16"]):
        places.append(str(tmp_path / f"<script>alert({number})<.png"))
        Image.new(mode, (600, 300), number).save(places[-1])
    return places


def test_thumbnails_stand_with_the_class_they_look_like_worst_first(files):
    doubts = [
        Suspect(file, "<b>cats</b>", 0.01 * n, "dogs & co", 0.9) for n, file in enumerate(files)
    ]
    page = draw_page(findings("images", doubts))
    assert page.index("alert(0)") < page.index("alert(1)") < page.index("alert(3)")
    assert "dogs &amp; co (90%)" in page
    assert [one.size for one in pictures(page)] == [(SIDE, SIDE // 2)] * 4


def test_nothing_in_a_name_is_markup_and_no_network_is_needed(files):
    pairs = [Pair(files[0], "<i>a</i>", files[1], '"b"')]
    page = draw_page(findings("images", [], pairs, [files[:3]]))
    for text in ("<script>alert", "<i>a", "<b>"):
        assert text not in page
    assert "&lt;script&gt;alert(0)" in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "http" not in page
    assert len(pictures(page)) == 3  # both of a pair, and one for equal ones


def test_rows_have_no_pictures_and_clips_their_middle_frame(tmp_path):
    row = Suspect("t.npz[3]", "a", 0.1, "b", 0.8)
    page = draw_page(findings("features", [row]))
    assert "t.npz[3]" in page
    assert not pictures(page)
    clip = np.zeros((5, 30, 40), np.uint8)
    clip[2] = 200
    np.save(tmp_path / "c.npy", clip)
    (image,) = pictures(draw_page(findings("clips", [], [], [[str(tmp_path / "c.npy")] * 2])))
    assert np.asarray(image).mean() == pytest.approx(200, abs=3)


def test_a_long_list_is_cut_and_counted():
    rows = [Suspect(f"t[{n}]", "a", 0.1, "b", 0.8) for n in range(MOST + 7)]
    page = draw_page(findings("features", rows))
    assert f"Labels that are probably wrong: {MOST + 7}" in page
    assert "… and 7 more" in page
    assert f"t[{MOST}]" not in page
