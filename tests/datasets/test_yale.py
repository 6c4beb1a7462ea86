import zipfile

import numpy as np

from crosslabel.datasets import load_yale
from tests.datasets.pictures import FACE, save


def test_yale_as_distributed(tmp_path):
    for name in ("subject01.glasses", "subject01.gif", "subject02.happy"):
        save(tmp_path / "yale" / "yalefaces" / name, kind="gif")
    (tmp_path / "yale" / "yalefaces" / "Readme.txt").write_text("read me")
    data = load_yale(tmp_path)
    assert data.images.shape == (3, 9, 7)
    assert data.target.tolist() == [0, 0, 1]
    assert sorted(data.conditions) == ["centerlight", "glasses", "happy"]


def test_yale_crops_zipped(tmp_path):
    save(tmp_path / "a.bmp")
    (tmp_path / "yale").mkdir()
    with zipfile.ZipFile(tmp_path / "yale" / "yalefaces_100x100.zip", "w") as archive:
        for name in ("yalefaces/01/s1.bmp", "yalefaces/02/s1.bmp"):
            archive.write(tmp_path / "a.bmp", name)
    data = load_yale(tmp_path, crops=True)
    assert data.target_names.tolist() == ["01", "02"]
    np.testing.assert_array_equal(data.images[0], FACE)
