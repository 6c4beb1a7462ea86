import pytest

from crosslabel.datasets import load_ucf50


def test_ucf50_has_groups(tmp_path):
    for name in ("v_Biking_g01_c01", "v_Biking_g25_c02"):
        (tmp_path / "UCF50" / "Biking").mkdir(parents=True, exist_ok=True)
        (tmp_path / "UCF50" / "Biking" / f"{name}.avi").write_bytes(b"x")
    assert load_ucf50(tmp_path).groups.tolist() == [1, 25]
    (tmp_path / "UCF50" / "Biking" / "strange.avi").write_bytes(b"x")
    with pytest.raises(ValueError, match="_g<group>"):
        load_ucf50(tmp_path)
