import gzip

import numpy as np
import pytest
import scipy.io

from crosslabel.datasets import UnreadableFile, load_action_bank


def test_action_bank(tmp_path):
    folder = tmp_path / "action_bank" / "Biking"
    folder.mkdir(parents=True)
    row = np.arange(6, dtype=np.float32)
    np.save(tmp_path / "row.npy", row.reshape(2, 3))
    content = (tmp_path / "row.npy").read_bytes()
    (folder / "v_Biking_g03_c01_bank.npy.gz").write_bytes(gzip.compress(content))
    (folder / "v_Biking_g04_c01_bank.npy").write_bytes(content)
    scipy.io.savemat(folder / "v_Biking_g05_c01_bank.mat", {"bank": row})
    data = load_action_bank(tmp_path)
    np.testing.assert_array_equal(data.data, [row] * 3)
    assert data.groups.tolist() == [3, 4, 5]
    (folder / "broken_bank.npy.gz").write_bytes(b"text")
    with pytest.raises(UnreadableFile, match="broken_bank"):
        load_action_bank(tmp_path)
