import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.features import Pixels
from crosslabel.media.unreadable import UnreadableFile
from crosslabel.studio.sight import ENDS, SIDE, SIGHTS, Sight, key_of, sight_named


def test_a_key_is_of_the_content_alone(tmp_path):
    contents = [b"a", b"b", b"x" * ENDS, b"x" * (ENDS + 1), b"x" * 3 * ENDS, b"x" * 3 * ENDS + b"y"]
    keys = []
    for number, content in enumerate(contents):
        for name in (f"{number}", f"again {number}"):
            (tmp_path / name).write_bytes(content)
        keys.append(key_of(tmp_path / f"{number}"))
        assert key_of(tmp_path / f"again {number}") == keys[-1]
    assert len(set(keys)) == len(contents)


def test_what_was_seen_is_kept_for_the_next_start(root, tmp_path):
    place, picture = tmp_path / "features.npz", root / "ball" / "0.png"
    sight, key = Sight("pixels", place), key_of(picture)
    row = sight.see(picture, key)
    assert_allclose(row, Pixels((SIDE, SIDE)).fit_transform([picture])[0], rtol=1e-6)
    sight.see(root / "ball" / "1.png", "gone")
    sight.keep([key])
    again = Sight("pixels", place)
    assert list(again.rows) == [key]
    picture.unlink()
    assert_allclose(again.see(picture, key), row)
    again.keep([key])  # nothing is new: the file stays as it is
    place.write_bytes(b"half a file")
    assert Sight("pixels", place).rows == {}


def test_features_of_another_kind_are_not_taken_over(root, tmp_path):
    place = tmp_path / "features.npz"
    np.savez(place, name=np.array("embed"), keys=np.array(["k"]), rows=np.ones((1, 3)))
    assert Sight("pixels", place).rows == {}


def test_no_picture(tmp_path):
    (tmp_path / "x.png").write_bytes(b"no")
    with pytest.raises(UnreadableFile):
        Sight("pixels", tmp_path / "f.npz").see(tmp_path / "x.png", "k")


def test_auto_is_one_of_the_sights():
    assert sight_named("auto") in SIGHTS
    assert sight_named("pixels") == "pixels"
