import os
import stat

import pytest

from crosslabel.files.whole import write_whole


def test_a_failed_write_leaves_the_old_file(tmp_path):
    place = tmp_path / "file"
    place.write_bytes(b"old")

    def fail(file):
        file.write(b"half of the new")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(place, fail)
    assert place.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [place]


def test_permissions_are_those_of_any_new_file_and_then_stay(tmp_path):
    usual = tmp_path / "usual"
    usual.touch()
    place = tmp_path / "below" / "file"
    write_whole(place, lambda file: file.write(b"first"))
    assert stat.S_IMODE(place.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    place.chmod(0o640)
    write_whole(place, lambda file: file.write(b"second"))
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    assert place.read_bytes() == b"second"
    assert os.listdir(place.parent) == ["file"]
