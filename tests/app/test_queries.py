import numpy as np
import pytest
import scipy.io

from crosslabel.app.queries import read_queries
from crosslabel.media.unreadable import UnreadableFile
from tests.datasets.pictures import FACE, save


def test_folders_stand_for_the_images_below_them(tmp_path):
    for name in ("b/2.png", "b/1.png", "a.png"):
        save(tmp_path / name)
    (tmp_path / "b" / "notes.txt").write_text("no image")
    found = list(read_queries("images", [tmp_path / "b", tmp_path / "a.png"], strict=True))
    assert [query.name for query in found] == [
        str(tmp_path / name) for name in ("b/1.png", "b/2.png", "a.png")
    ]
    np.testing.assert_array_equal(found[0].item, FACE)


def test_a_file_that_cannot_be_used_passes_its_problem_on(tmp_path):
    (tmp_path / "bad.png").touch()
    (query,) = read_queries("images", [tmp_path / "bad.png"], strict=False)
    assert (query.item, query.problem) == (None, "the file is empty")
    with pytest.raises(UnreadableFile, match="empty"):
        list(read_queries("images", [tmp_path / "bad.png"], strict=True))


def test_clips(tmp_path):
    clip = np.zeros((3, 4, 5), np.uint8)
    np.save(tmp_path / "a.npy", clip)
    (query,) = read_queries("clips", [tmp_path], strict=True)
    np.testing.assert_array_equal(query.item, clip)


def test_rows_of_features_are_columns_in_some_conventions(tmp_path):
    X = np.arange(6.0).reshape(2, 3)
    np.savez(tmp_path / "x.npz", X=X)
    scipy.io.savemat(tmp_path / "f.mat", {"featureMat": X.T})
    for name in ("x.npz", "f.mat"):
        found = list(read_queries("features", [tmp_path / name], strict=True))
        assert [query.name for query in found] == [f"{tmp_path / name}[{n}]" for n in range(2)]
        np.testing.assert_array_equal([query.item for query in found], X)
