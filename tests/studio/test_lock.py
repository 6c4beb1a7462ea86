import pytest

from crosslabel.studio.lock import Lock


def test_one_at_a_time(tmp_path):
    place = tmp_path / ".crosslabel" / "lock"
    place.parent.mkdir()
    first = Lock(place)
    with pytest.raises(ValueError, match="Another studio has"):
        Lock(place)
    first.release()
    Lock(place).release()
