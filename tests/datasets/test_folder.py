import os

import numpy as np
import pytest
from PIL import Image

from crosslabel import progress_bar
from crosslabel.datasets import UnreadableFile, load_clip_folder, load_image_folder
from crosslabel.datasets.folder import named_suffixes
from tests.datasets.pictures import save


@pytest.fixture
def photos(tmp_path):
    """Two good classes with awkward names, and much that is broken."""
    root = tmp_path / "photos"
    random = np.random.default_rng(0)
    for name in ("katzen & hünde", "v1.2 final"):
        (root / name).mkdir(parents=True)
        for number in range(3):
            pixels = random.integers(0, 256, (8, 9), dtype=np.uint8)
            Image.fromarray(pixels).save(root / name / f"bild {number} ß.v2.png")
    (root / "v1.2 final" / "zero.jpg").write_bytes(b"")
    (root / "v1.2 final" / "words.jpg").write_text("hello")
    (root / "v1.2 final" / "notes.txt").write_text("not an image, and not named as one")
    (root / "none").mkdir()
    (root / "one").mkdir()
    Image.new("L", (5, 5)).save(root / "one" / "single.png")
    return root


def test_the_good_is_loaded_and_the_bad_named(photos):
    data = load_image_folder(photos)
    assert data.target_names.tolist() == ["katzen & hünde", "v1.2 final"]
    assert data.target.tolist() == [0, 0, 0, 1, 1, 1]
    assert all(os.path.exists(name) for name in data.filenames)
    reasons = {item.path.name: item.reason for item in data.skipped}
    assert set(reasons) == {"zero.jpg", "words.jpg", "none", "one"}
    assert "0 usable images" in reasons["none"]
    assert "1 usable image and" in reasons["one"]
    assert "4 left out" in data.DESCR


def test_strict_raises_and_names_the_file(photos):
    with pytest.raises(UnreadableFile, match="none"):
        load_image_folder(photos, strict=True)


def test_symlink_loops_end(photos):
    (photos / "v1.2 final" / "loop").symlink_to(photos / "v1.2 final", target_is_directory=True)
    (photos / "v1.2 final" / "up").symlink_to(photos, target_is_directory=True)
    data = load_image_folder(photos)
    assert len(set(data.filenames)) == len(data.filenames)
    assert "v1.2 final" in data.target_names


def test_nothing_usable_is_an_error_that_shows_why(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.png").write_bytes(b"")
    with pytest.raises(ValueError, match=r"usable images[\s\S]*x.png: the file is empty"):
        load_image_folder(tmp_path)
    with pytest.raises(NotADirectoryError, match="is no folder"):
        load_image_folder(tmp_path / "absent")


def test_clips(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for number in range(2):
            np.save(tmp_path / name / f"{number}.npy", np.ones((3, 4, 5), np.uint8))
    (tmp_path / "b" / "bad.avi").write_text("no video")
    data = load_clip_folder(tmp_path)
    assert len(data.filenames) == 4
    assert data.kind == "clips"
    assert [item.path.name for item in data.skipped] == ["bad.avi"]


def test_images_that_lie_directly_in_the_folder_are_noticed(tmp_path):
    for number in range(3):
        save(tmp_path / "pets" / f"{number}.png")
    with pytest.raises(ValueError, match=r"3 images lie directly in .*as pets/cats and pets/dogs"):
        load_image_folder(tmp_path / "pets")
    for number in range(2):
        save(tmp_path / "pets" / "cats" / f"{number}.png")
    data = load_image_folder(tmp_path / "pets")
    assert [str(one) for one in data.skipped] == [
        f"{tmp_path / 'pets'}: 3 images lie directly in the folder, in no class; left out"
    ]


def test_errors_name_what_most_people_have_first(tmp_path):
    (tmp_path / "cats").mkdir()
    with pytest.raises(ValueError, match=r"files ending in \.jpg, \.png, \.jpeg, .* …"):
        load_image_folder(tmp_path)
    assert named_suffixes({".tiff", ".png"}) == ".png, .tiff"


def test_a_bar_counts_the_files(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(progress_bar, "PATIENCE", 0)
    for number in range(4):
        save(tmp_path / "cats" / f"{number}.png")
    load_image_folder(tmp_path, progress=True)
    told = capsys.readouterr().err
    assert "reading images" in told
    assert "4/4" in told


@pytest.mark.parametrize("name", [b"caf\xe9", b"a\x1b[2J"])
def test_a_class_whose_name_no_file_can_hold_is_left_out(photos, name):
    folder = os.path.join(os.fsencode(photos), name)
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("this file system has no such names")
    for number in range(3):
        path = os.path.join(folder, b"%d.png" % number)
        Image.fromarray(np.zeros((4, 4), np.uint8)).save(os.fsdecode(path))
    data = load_image_folder(photos)
    assert data.target_names.tolist() == ["katzen & hünde", "v1.2 final"]
    assert any("rename it" in item.reason for item in data.skipped)
