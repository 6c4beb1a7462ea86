from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosslabel.studio.names import MOST_CHARACTERS, class_name, picture_name


@pytest.mark.parametrize("name", ["cats", " böse Ecke ", "x.cross", "猫", "a&b"])
def test_good_names_stay(name):
    assert class_name(name) == name.strip()


@pytest.mark.parametrize(
    "name",
    ["", "  ", ".", "..", ".hidden", "a/b", "../a", "a\\b", "C:", "a\0", "a\nb", "con", "NUL.txt",
     "a.", "x" * (MOST_CHARACTERS + 1), "‮gpj", "\ud800", None, 7, ["a"], "<img src=x onerror=y>"],
)  # fmt: skip
def test_bad_names_are_refused(name):
    with pytest.raises(ValueError, match="name"):
        class_name(name)


@given(st.text() | st.none() | st.integers())
def test_a_class_is_one_folder_below_the_root(said):
    try:
        name = class_name(said)
    except ValueError:
        return
    assert PurePosixPath(name).parts == (name,)
    assert name not in (".", "..")
    assert class_name(name) == name
    assert len(name.encode()) <= 200


@given(st.text() | st.none(), st.sets(st.text(max_size=5), max_size=3))
def test_a_picture_always_has_a_free_name_in_its_folder(said, taken):
    taken = {name.lower() for name in taken}
    for _ in range(3):
        name = picture_name(said, ".jpg", taken)
        assert PurePosixPath(name).parts == (name,)
        assert "\\" not in name
        assert name.endswith(".jpg")
        assert not name.startswith(".")
        assert name.lower() not in taken
        assert len(name.encode()) < 255
        taken.add(name.lower())


def test_names_of_pictures_are_kept_as_far_as_can_be():
    assert picture_name("C:\\photos\\Tom.JPEG", ".jpg", ()) == "Tom.jpg"
    assert picture_name("../../etc/passwd", ".png", ()) == "passwd.png"
    assert picture_name("a.b.png", ".png", {"a.b.png", "a.b (2).png"}) == "a.b (3).png"
    assert picture_name("<x>.png", ".png", ()) == "_x_.png"
    assert picture_name("", ".png", ()) == "picture.png"
