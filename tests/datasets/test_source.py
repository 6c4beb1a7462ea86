import numpy as np
import pytest

from crosslabel.datasets.source import load_source
from tests.datasets.pictures import save


def test_a_folder_of_images(tmp_path):
    for name in ("a/1.png", "a/2.png", "b/1.png", "b/2.png"):
        save(tmp_path / name)
    data = load_source(tmp_path)
    assert (data.kind, data.target.tolist(), data.train) == ("images", [0, 0, 1, 1], None)
    assert data.samples == data.filenames


def test_a_folder_of_clips_is_known_by_its_first_file(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "read me.txt").write_text("no clip")
        for number in range(2):
            np.save(tmp_path / name / f"{number}.npy", np.zeros((3, 4, 4), np.uint8))
    assert load_source(tmp_path).kind == "clips"


def test_a_file_of_features(tmp_path):
    np.savez(tmp_path / "f.npz", X=np.eye(4), y=[0, 0, 1, 1])
    data = load_source(tmp_path / "f.npz")
    assert data.kind == "features"
    np.testing.assert_array_equal(data.samples, np.eye(4))


def test_other_paths(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        load_source(tmp_path / "absent")
    (tmp_path / "a.txt").touch()
    with pytest.raises(ValueError, match="neither a folder"):
        load_source(tmp_path / "a.txt")
