import numpy as np
import pytest
import scipy.io

from crosslabel.datasets import load_dyntexpp


def test_dyntexpp_turns_time_to_the_front(tmp_path):
    clip = np.random.default_rng(0).integers(0, 256, (6, 7, 5), dtype=np.uint8)
    for name in ("c01", "c02"):
        (tmp_path / "dyntexpp" / name).mkdir(parents=True)
        scipy.io.savemat(tmp_path / "dyntexpp" / name / "1.mat", {"fg": clip})
    data = load_dyntexpp(tmp_path)
    assert data.images.shape == (2, 5, 6, 7)
    assert data.target.tolist() == [0, 1]


def test_the_class_may_stand_in_the_name(tmp_path):
    (tmp_path / "dyntexpp").mkdir()
    for name in ("c01_001", "c01_002", "c07_001"):
        scipy.io.savemat(tmp_path / "dyntexpp" / f"{name}.mat", {"fg": np.zeros((2, 3, 4))})
    data = load_dyntexpp(tmp_path)
    assert data.target_names.tolist() == ["01", "07"]
    assert data.target.tolist() == [0, 0, 1]


def test_files_that_hold_no_clip(tmp_path):
    folder = tmp_path / "dyntexpp" / "c01"
    folder.mkdir(parents=True)
    with pytest.raises(ValueError, match=r"holds no \.mat files"):
        load_dyntexpp(tmp_path)
    scipy.io.savemat(folder / "1.mat", {"a": np.zeros((2, 3, 4)), "b": np.zeros((2, 3, 4))})
    with pytest.raises(ValueError, match="one three-dimensional array, but it holds 2"):
        load_dyntexpp(tmp_path)
