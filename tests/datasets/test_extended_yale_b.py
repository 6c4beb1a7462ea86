from crosslabel.datasets import load_extended_yale_b
from tests.datasets.pictures import save


def test_extended_yale_b_leaves_out_ambient_and_bad(tmp_path):
    folder = tmp_path / "extended_yale_b" / "CroppedYale"
    for name in ("yaleB01_P00A+000E+00", "yaleB01_P00_Ambient", "yaleB01_P00A+005E+10"):
        save(folder / "yaleB01" / f"{name}.pgm")
    (folder / "yaleB01" / "yaleB01_P00A+110E+15.pgm.bad").write_bytes(b"")
    save(folder / "yaleB39" / "yaleB39_P00A+000E+00.pgm")
    data = load_extended_yale_b(tmp_path)
    assert data.target.tolist() == [0, 0, 1]
