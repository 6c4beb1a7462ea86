import struct
import zlib

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.media.unreadable import UnreadableFile
from crosslabel.studio.studio import MOST_PIXELS, Studio, checked
from tests.studio.conftest import added, drawing, look_at_all


def bomb(side):
    """A PNG that says it has side × side pixels, and holds next to nothing."""

    def chunk(kind, content):
        return (
            struct.pack(">I", len(content))
            + kind
            + content
            + struct.pack(">I", zlib.crc32(kind + content))
        )

    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    data = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_a_change_is_in_the_folder_in_the_model_and_told(studio, root):
    before = studio.version
    said = added(studio, 0, 70, "ball", "Tom.jpeg")
    assert (root / "ball" / "Tom.png").read_bytes() == drawing(0, 70)
    assert said["version"] == before + 1
    assert said["undo"] == said["what"] == "Added 1 picture to ball"
    assert list(said["shelves"]) == ["ball"]
    assert studio.told[-1] == {"event": "changed", **said}
    assert len(studio.teacher.learnt) == 19
    assert studio.undo()["what"] == "Undone: Added 1 picture to ball"
    assert len(studio.teacher.learnt) == 18
    studio.redo()
    assert (root / "ball" / "Tom.png").exists()
    with pytest.raises(ValueError, match="nothing"):
        studio.redo()


def test_a_rename_costs_the_model_nothing(studio):
    lesson = studio.teacher.lesson
    said = studio.change({"do": "rename", "class": "ball", "name": "disc"})
    assert said["order"] == ["corner", "cross", "disc"]
    assert studio.teacher.lesson is lesson
    asked = studio.ask(drawing(0, 80))
    assert "disc" in {one["name"] for one in asked["classes"]}
    studio.undo()
    assert studio.teacher.lesson is lesson
    assert "ball" in {one["name"] for one in studio.answer(asked["asked"])["classes"]}


def test_an_answer_follows_the_model(studio):
    asked = studio.ask(drawing(2, 81))
    first = studio.answer(asked["asked"])
    studio.change({"do": "remove-class", "class": "cross"})
    then = studio.answer(asked["asked"])
    assert "cross" in {one["name"] for one in first["classes"]}
    assert "cross" not in {one["name"] for one in then["classes"]}
    studio.undo()
    again = studio.answer(asked["asked"])
    assert_allclose(
        [one["probability"] for one in again["classes"]],
        [one["probability"] for one in first["classes"]],
        atol=1e-8,
    )
    with pytest.raises(KeyError, match="Ask again"):
        studio.answer("nothing")


def test_what_others_do_to_the_folder_is_seen(studio, root):
    assert studio.look() is None
    (root / "ball" / "0.png").unlink()
    said = studio.look()
    assert len(said["shelves"]["ball"]) == 5
    assert len(studio.teacher.learnt) == 17


def test_what_is_no_picture_leaves_nothing_behind(studio, root):
    kept = list((root / ".crosslabel" / "staged").iterdir())
    for content in (b"", b"no", b"<svg/>", bomb(30_000), drawing(0, 1)[:200]):
        for take in (studio.stage, studio.ask):
            with pytest.raises(ValueError, match=r"image|pixels|damaged|empty"):
                take(content)
    assert list((root / ".crosslabel" / "staged").iterdir()) == kept


def test_uploads_that_nobody_places_make_room_for_others(studio, root, monkeypatch):
    monkeypatch.setattr("crosslabel.studio.studio.MOST_WAITING", 2)
    names = [studio.stage(drawing(0, 200 + n))["staged"] for n in range(3)]
    assert list(studio.uploads) == names[1:]
    assert sorted(p.name for p in (root / ".crosslabel" / "staged").iterdir()) == sorted(names[1:])


def test_pixels_are_counted_before_they_are_made(tmp_path):
    (tmp_path / "bomb").write_bytes(bomb(int(MOST_PIXELS**0.5) + 2))
    with pytest.raises(UnreadableFile, match="too many"):
        checked(tmp_path / "bomb")
    (tmp_path / "good").write_bytes(drawing(0, 1, "JPEG"))
    assert checked(tmp_path / "good") == ".jpg"


def test_pictures_without_a_class_come_by_what_they_teach(studio, root):
    (root / "loose.png").write_bytes(drawing(1, 90))
    random = np.random.default_rng(0)
    from PIL import Image

    Image.fromarray(random.integers(0, 255, (24, 24), dtype=np.uint8)).save(root / "noise.png")
    studio.look()
    assert studio.unsorted() == []
    look_at_all(studio)
    found = studio.unsorted()
    assert {one["name"] for one in found} == {"loose.png", "noise.png"}
    assert found[0]["teaches"] >= found[1]["teaches"]
    assert next(one["guess"] for one in found if one["name"] == "loose.png") == "corner"
    assert len(studio.teacher.learnt) == 18


def test_a_new_studio_knows_what_the_last_one_saw(root):
    first = Studio(root, "pixels")
    look_at_all(first)
    first.close()
    second = Studio(root, "pixels")
    assert second.teacher.unseen(second.stock) == []
    assert len(second.teacher.learnt) == 18
    second.close()
