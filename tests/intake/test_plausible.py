"""Statistics that no samples have are refused, whatever their checksum says."""

import numpy as np
import pytest

from crosslabel import ClassStatistics
from crosslabel.files import arrays as archive
from crosslabel.intake.plausible import check_scatters, check_statistics
from crosslabel.intake.statistics import KIND
from tests.limited import child

RANDOM = np.random.default_rng(0)
SAMPLES, LABELS = RANDOM.normal(size=(30, 4)), np.repeat(["a", "b", "c"], 10)


@pytest.fixture
def arrays():
    return ClassStatistics.from_samples(SAMPLES, LABELS).to_arrays()


def load(tmp_path, arrays):
    archive.save(tmp_path / "s.npz", KIND, arrays)
    return ClassStatistics.load(tmp_path / "s.npz")


def test_honest_statistics_come_back(tmp_path, arrays):
    found = load(tmp_path, arrays)
    np.testing.assert_array_equal(found.means, arrays["means"])
    check_statistics(arrays)
    check_scatters(found.moments, True)


def turned(rows):
    """The scatter of the first class with its sign turned."""
    return np.concatenate([-rows[:4], rows[4:]])


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("classes", lambda a: np.array(["a", "a", "c"]), "names a class twice"),
        ("classes", lambda a: a[:2], "2 should be|3 should be"),
        ("classes", lambda a: np.array([0.0, 1.0, np.nan]), "not finite"),
        ("counts", lambda a: -a, "counts has values"),
        ("counts", lambda a: a * np.nan, "counts has values"),
        ("means", lambda a: a + np.inf, "means has values"),
        ("means", lambda a: 2 * np.sign(a), "cannot have unit norm"),
        ("sizes", lambda a: a + 1, "add up to"),
        ("sizes", lambda a: a.astype(float), "sizes is of type"),
        ("rows", turned, "not positive semi-definite"),
        ("rows", lambda a: a + 0.01 * np.arange(4), "definite"),
        ("rows", lambda a: 1e3 * a, "cannot have unit norm"),
        ("is_factor", lambda a: a.astype(int), "is_factor is of type"),
    ],
)
def test_arrays_that_are_no_statistics(tmp_path, arrays, name, change, reason):
    changed = arrays | {name: change(arrays[name])}
    with pytest.raises(ValueError, match=f"s.npz holds no statistics of samples: .*({reason})"):
        load(tmp_path, changed)


def test_missing_arrays_are_named(tmp_path, arrays):
    del arrays["counts"], arrays["rows"]
    with pytest.raises(ValueError, match="counts, rows is missing"):
        load(tmp_path, arrays)


BOMB = """
import zipfile, struct
from crosslabel import ClassStatistics
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    with archive.open("rows.npy", "w", force_zip64=True) as member:
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (75000000,), }"
        member.write(b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(text)) + text)
        for _ in range(600):
            member.write(bytes(10**6))
limit(300)
try:
    ClassStatistics.load(sys.argv[1])
except ValueError as error:
    print(error)
"""


def test_a_bomb_takes_no_memory(tmp_path):
    said = child(BOMB, tmp_path / "s.npz")
    assert "damaged or no file of crosslabel" in said
    assert "unpacked, takes 599 M bytes, more than the limit of 512 M" in said
