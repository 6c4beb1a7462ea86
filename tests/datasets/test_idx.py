import numpy as np
import pytest

from crosslabel.datasets.idx import idx_sources, read_idx
from tests.datasets.idx_files import idx


def test_other_types_are_read_in_the_order_of_this_machine(tmp_path):
    values = np.array([[1, -2], [300, 40000]], ">i4")
    head = bytes([0, 0, 0x0C, 2]) + np.array(values.shape, ">u4").tobytes()
    (tmp_path / "a").write_bytes(head + values.tobytes())
    read = read_idx(tmp_path / "a")
    assert read.dtype == np.int32
    np.testing.assert_array_equal(read, values)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: b"text" + content, "does not begin as one"),
        (lambda content: content[:2] + b"\x07" + content[3:], "does not begin as one"),
        (lambda content: content[:-1], "6 bytes of data announced, 5 found"),
        (lambda content: content + b"x", "6 bytes of data announced, 7 found"),
    ],
)
def test_what_is_no_idx_file(tmp_path, change, message):
    (tmp_path / "a").write_bytes(change(idx(np.zeros((2, 3), np.uint8))))
    with pytest.raises(ValueError, match=message):
        read_idx(tmp_path / "a")


def test_sources_are_in_the_order_of_the_checksums():
    found = idx_sources("http://there", "a", "b", "c", "d")
    assert [(source.url.rpartition("/")[2], source.checksum) for source in found] == [
        ("train-images-idx3-ubyte.gz", "md5:a"),
        ("train-labels-idx1-ubyte.gz", "md5:b"),
        ("t10k-images-idx3-ubyte.gz", "md5:c"),
        ("t10k-labels-idx1-ubyte.gz", "md5:d"),
    ]
