"""What a container may not be: each a sealed file, so that the checksum does not end the matter."""

import stat
import zipfile

import numpy as np
import pytest

from crosslabel.files.container import ModelFileError, opened, pack, seal
from tests.files.problems import any_zip, npy

ARRAY = np.arange(6.0).reshape(2, 3)


def put(tmp_path, content):
    place = tmp_path / "m"
    place.write_bytes(content)
    return place


@pytest.mark.parametrize(
    "array",
    [
        ARRAY,
        np.asfortranarray(ARRAY),
        np.array(2.5),
        np.zeros((0, 3), np.float32),
        np.array(["ä", "bcd"]),
        np.array([True, False]),
        np.arange(3, dtype=">i2"),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_arrays_come_back_as_they_were(tmp_path, array):
    with opened(put(tmp_path, pack([("0.npy", npy(array))]))) as archive:
        again = archive.array("0.npy")
        assert archive.shape_and_type("0.npy") == (array.shape, str(array.dtype))
    np.testing.assert_array_equal(again, array)
    assert again.dtype == array.dtype
    assert again.flags.f_contiguous == array.flags.f_contiguous
    assert again.flags.writeable
    assert again.flags.aligned


def test_the_same_members_give_the_same_bytes():
    parts = [("manifest.json", b"{}"), ("0.npy", npy(ARRAY))]
    assert pack(parts) == pack(parts)


def test_every_bit_counts(tmp_path):
    content = pack([("manifest.json", b"{}"), ("0.npy", npy(ARRAY))])
    for place in range(0, len(content), 3):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        with pytest.raises(ModelFileError), opened(put(tmp_path, bytes(changed))):
            pass


def test_nothing_is_decoded_before_the_checksum_holds(tmp_path, monkeypatch):
    def fail(*_):
        raise AssertionError("decoded")

    monkeypatch.setattr("zipfile.ZipFile.__init__", fail)
    content = bytearray(seal(b"PK" + bytes(100) + b"crosslabel sha256:" + bytes(64)))
    content[5] ^= 1
    with (
        pytest.raises(ModelFileError, match="checksum does not hold"),
        opened(put(tmp_path, bytes(content))),
    ):
        pass


def member(name="0.npy", content=b"x", **attributes):
    def write(archive):
        info = zipfile.ZipInfo("x")
        info.filename = name
        for key, value in attributes.items():
            setattr(info, key, value)
        archive.writestr(info, content)

    return write


def twice(archive):
    member()(archive)
    with pytest.warns(UserWarning, match="Duplicate name"):
        member()(archive)


def overlapping(archive):
    member(content=bytes(5000))(archive)
    first = archive.infolist()[0]
    for number in range(1, 9):
        again = zipfile.ZipInfo(f"{number}.npy")
        again.CRC, again.header_offset = first.CRC, first.header_offset
        again.compress_size = again.file_size = first.file_size
        archive.filelist.append(again)


ZIPS = {
    "absolute path": (member("/etc/passwd"), "no member '/etc/passwd'"),
    "path upwards": (member("../0.npy"), "no member"),
    "folder": (member("a/0.npy"), "no member"),
    "other digits": (member("٣.npy"), "no member"),
    "pickle": (member("model.pkl"), "no member"),
    "archive in it": (member("0.npz"), "no member"),
    "compressed": (
        member(content=bytes(10**6), compress_type=zipfile.ZIP_DEFLATED),
        "is compressed",
    ),
    "link": (member(external_attr=(stat.S_IFLNK | 0o777) << 16), "is a link"),
    "device": (member(external_attr=(stat.S_IFCHR | 0o777) << 16), "no plain file"),
    "twice": (twice, "is there twice"),
    "overlapping": (overlapping, "together longer than the file"),
}


@pytest.mark.parametrize("name", ZIPS)
def test_members_that_are_refused(tmp_path, name):
    write, reason = ZIPS[name]
    with pytest.raises(ModelFileError, match=reason), opened(put(tmp_path, any_zip(write))):
        pass


def test_encrypted_members_are_refused(tmp_path):
    content = any_zip(member())
    flags = content.index(b"PK\x01\x02") + 8
    content = seal(content[:flags] + b"\x01" + content[flags + 1 :])
    with pytest.raises(ModelFileError, match="is encrypted"), opened(put(tmp_path, content)):
        pass


class Payload:
    def __reduce__(self):
        raise AssertionError("never asked")


def header(descr, shape, data=bytes(48)):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}"
    padded = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded + data


ARRAYS = {
    "objects": (npy(np.array([{"a": 1}], dtype=object), allow_pickle=True), "type object"),
    "records": (npy(np.zeros(2, [("a", "f8")])), "elements of type"),
    "huge": (header("<f8", "(1000000000000,)"), "has 48 bytes"),
    "short": (header("<f8", "(2, 4)"), "has 48 bytes"),
    "long": (header("<f8", "(2, 2)"), "has 48 bytes"),
    "negative": (header("<f8", "(-2, -3)"), "has the shape"),
    "nothing each": (header("<U0", "(1000000000000,)", b""), "elements of type"),
    "code": (header("<f8", "__import__('os').abort()"), "malformed|Cannot parse"),
    "no array": (b"x" * 200, "no array in version"),
    "empty": (b"", "no array in version"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_are_refused(tmp_path, name):
    content, reason = ARRAYS[name]
    place = put(tmp_path, pack([("0.npy", content)]))
    for ask in ("array", "shape_and_type"):
        with pytest.raises(ModelFileError, match=reason), opened(place) as archive:
            getattr(archive, ask)("0.npy")


def test_text_is_bounded(tmp_path):
    place = put(tmp_path, pack([("schema.json", b" " * (16 * 2**20 + 1))]))
    with pytest.raises(ModelFileError, match="more than 16777216"), opened(place) as archive:
        archive.json("schema.json")
    deep = put(tmp_path, pack([("schema.json", b"[" * 10**5)]))
    with pytest.raises(ModelFileError, match="recursion"), opened(deep) as archive:
        archive.json("schema.json")
