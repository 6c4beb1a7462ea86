import shutil

import numpy as np
import pytest

from crosslabel.app.audit import audit_source

from .conftest import CLASSES


@pytest.fixture(scope="module")
def mess(photos, tmp_path_factory):
    """The pictures, of which some lie in a wrong folder and one is there three times."""
    root = tmp_path_factory.mktemp("mess") / "photos"
    shutil.copytree(photos, root)
    (root / CLASSES[0] / "3.png").rename(root / CLASSES[2] / "strayed.png")
    shutil.copy(root / CLASSES[1] / "5.png", root / CLASSES[1] / "again.png")
    shutil.copy(root / CLASSES[1] / "5.png", root / CLASSES[0] / "and again.png")
    return root


@pytest.fixture(scope="module")
def found(mess):
    return audit_source(mess, features="pixels")


def test_what_lies_in_a_wrong_folder_stands_first(mess, found):
    worst = {one.file: one for one in found.suspects[:4]}
    strayed = worst[str(mess / CLASSES[2] / "strayed.png")]
    assert (strayed.label, strayed.looks_like) == (CLASSES[2], CLASSES[0])
    assert strayed.probability < strayed.looks_probability
    assert str(mess / CLASSES[0] / "and again.png") in worst
    chances = [one.probability for one in found.suspects]
    assert chances == sorted(chances)


def test_copies_are_told_once(mess, found):
    copies = [
        mess / CLASSES[0] / "and again.png",
        mess / CLASSES[1] / "5.png",
        mess / CLASSES[1] / "again.png",
    ]
    assert found.equal == [[str(place) for place in copies]]
    assert not any({pair.first, pair.second} <= set(found.equal[0]) for pair in found.near)


def test_files_of_other_bytes_and_equal_pixels_are_copies_too(photos, tmp_path):
    from PIL import Image

    root = tmp_path / "photos"
    shutil.copytree(photos, root)
    with Image.open(root / CLASSES[0] / "0.png") as image:
        image.save(root / CLASSES[1] / "same.bmp")
    (group,) = audit_source(root, features="pixels").equal
    assert group == [str(root / CLASSES[0] / "0.png"), str(root / CLASSES[1] / "same.bmp")]


def test_rows_of_features(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 15)
    X = 5 * np.eye(3, 8)[np.arange(45) // 15] + random.normal(size=(45, 8))
    y[20] = "c"
    X[40] = X[41]
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    told = audit_source(tmp_path / "rows.npz").as_dict()
    assert told["suspects"][0]["file"] == f"{tmp_path / 'rows.npz'}[20]"
    assert told["suspects"][0]["looks_like"] == "b"
    assert told["duplicates"] == [[f"{tmp_path / 'rows.npz'}[{n}]" for n in (40, 41)]]


def test_a_line_says_which_features_were_taken(clips):
    told = []
    assert audit_source(clips, tell=told.append).features == "lbptop"
    assert told == ["Features: lbptop, for clips."]
