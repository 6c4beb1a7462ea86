import pytest

from crosslabel.datasets import MissingData
from crosslabel.datasets.data_set import DataSet


def raises(error):
    def load(root):
        raise error

    return DataSet("mine", load, "mine", "files", "me")


def test_present_is_what_the_loader_finds(tmp_path):
    asked = []
    assert DataSet("mine", asked.append, "mine", "files", "me").is_present(tmp_path)
    assert asked == [tmp_path]
    assert not raises(MissingData("none")).is_present()


def test_damaged_files_are_present():
    with pytest.raises(ValueError, match="damaged"):
        raises(ValueError("damaged")).is_present()
