import pytest

from crosslabel.datasets import load_fashion_mnist
from tests.datasets.idx_files import check_idx_files


@pytest.mark.parametrize("zipped", [False, True])
def test_plain_and_zipped_files(tmp_path, zipped):
    check_idx_files(tmp_path, "fashion_mnist", load_fashion_mnist, zipped)
