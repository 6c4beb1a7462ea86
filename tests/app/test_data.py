from crosslabel.app.data import list_data
from crosslabel.datasets import DATASETS


def test_every_data_set_is_listed(tmp_path):
    (tmp_path / "mnist").mkdir()
    found = {status.name: status for status in list_data(tmp_path)}
    assert set(found) == set(DATASETS)
    assert found["digits"].present
    assert found["digits"].about == "1797 samples, 10 classes"
    assert not found["scene15"].present
    assert found["mnist"].fetchable
    assert not found["mnist"].present
