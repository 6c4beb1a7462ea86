import ast
import io
import struct
import zipfile

import numpy as np
import pytest

from crosslabel.files.budget import OverBudget
from crosslabel.files.npy import from_bytes, read_npy, read_npz
from tests.files.problems import npy


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "?", "U3", "c16", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_come_back_as_numpy_reads_them(tmp_path, dtype, order):
    array = np.asarray(np.arange(12).reshape(3, 4).astype(dtype), order=order)
    np.save(tmp_path / "a.npy", array)
    for found in (read_npy(tmp_path / "a.npy"), from_bytes(npy(array))):
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype
        assert found.flags.writeable
    np.savez_compressed(tmp_path / "a.npz", x=array, y=array[0])
    found = read_npz(tmp_path / "a.npz")
    assert list(found) == ["x", "y"]
    np.testing.assert_array_equal(found["y"], array[0])


def test_empty_and_scalar_arrays(tmp_path):
    for array in (np.zeros((0, 3)), np.array(2.5), np.zeros(0)):
        np.save(tmp_path / "a.npy", array)
        np.testing.assert_array_equal(read_npy(tmp_path / "a.npy"), array)


def header(text, version=1, length=None):
    text = text.encode()
    size = len(text) if length is None else length
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + struct.pack("<H" if version == 1 else "<I", size)
        + text
    )


SHAPE = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }\n"
BAD = {
    "a long header": (header(SHAPE % "(2,)", 2, 2**32 - 1), "a header of 4294967295 bytes"),
    "more than there is": (header(SHAPE % "(10**9,)"), "malformed"),
    "a huge shape": (header(SHAPE % "(1000000000000,)"), "has 0 bytes"),
    "no tuple": (header(SHAPE % "(2)") + bytes(16), "shape is not valid"),
    "no type": (header((SHAPE % "(2,)").replace("f8", "f3")) + bytes(6), "not a valid dtype"),
    "negative": (header(SHAPE % "(-1,)"), "the shape"),
    "objects": (npy(np.array([None]), allow_pickle=True), "elements of type object"),
    "another version": (b"\x93NUMPY\x09\x00" + bytes(100), "no array in version 1 or 2"),
    "a zip": (b"PK\x03\x04" + bytes(100), "no array in version 1 or 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_headers_that_lie(tmp_path, name):
    content, reason = BAD[name]
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(ValueError, match=reason):
        read_npy(tmp_path / "a.npy")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("shape", ["()", "(3,)", "(2, 3)", "(2,3)", "(2, 3, )", "( 3 ,)"])
def test_unusual_headers_are_read_as_numpy_reads_them(shape, version):
    head = header(SHAPE % shape, version)
    count = int(np.prod(ast.literal_eval(shape)))
    content = head + np.arange(1.0, 1 + count).tobytes()
    expected = np.load(io.BytesIO(content))
    np.testing.assert_array_equal(from_bytes(content), expected)
    turned = content.replace(b"False", b"True ")
    np.testing.assert_array_equal(from_bytes(turned), np.load(io.BytesIO(turned)))


def test_an_axis_of_no_length_does_not_make_the_others_free():
    with pytest.raises(OverBudget, match="rows"):
        from_bytes(header(SHAPE % "(100000000, 0)"))


def test_a_file_with_holes_is_counted_in_full(tmp_path):
    text = (SHAPE % "(750000000,)").encode()
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text
    with open(tmp_path / "a.npy", "wb") as file:
        file.write(head)
        file.truncate(len(head) + 6 * 10**9)
    with pytest.raises(OverBudget, match="6 G bytes"):
        read_npy(tmp_path / "a.npy")


def bomb(megabytes):
    """An .npz of zeros, a thousandth of their size."""
    text = (SHAPE % f"({megabytes * 125000},)").encode()
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("X.npy", "w", force_zip64=True) as member,
    ):
        member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)
        for _ in range(megabytes):
            member.write(bytes(10**6))
    return buffer.getvalue()


def test_an_archive_that_unpacks_to_too_much(tmp_path):
    (tmp_path / "a.npz").write_bytes(bomb(600))
    with pytest.raises(OverBudget, match="unpacked, takes 599 M bytes"):
        read_npz(tmp_path / "a.npz")


def test_what_is_no_archive(tmp_path):
    for content in (b"", b"PK\x03\x04", b"words" * 50):
        (tmp_path / "a.npz").write_bytes(content)
        with pytest.raises(ValueError, match="no archive of arrays"):
            read_npz(tmp_path / "a.npz")
