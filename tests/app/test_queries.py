import numpy as np
import pytest
import scipy.io

from crosslabel.app.queries import emptiness, read_queries
from crosslabel.media.unreadable import UnreadableFile
from tests.datasets.pictures import save


def test_folders_stand_for_the_images_below_them(tmp_path):
    for name in ("b/2.png", "b/1.png", "a.png"):
        save(tmp_path / name)
    (tmp_path / "b" / "notes.txt").write_text("no image")
    found = list(read_queries("images", [tmp_path / "b", tmp_path / "a.png"], strict=True))
    assert [query.name for query in found] == [
        str(tmp_path / name) for name in ("b/1.png", "b/2.png", "a.png")
    ]
    assert found[0].item == found[0].name
    assert [query.problem for query in found] == [None] * 3


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
    assert query.item == str(tmp_path / "a.npy")
    assert "black all over" in query.warning


def test_rows_of_features_are_columns_in_some_conventions(tmp_path):
    X = np.arange(6.0).reshape(2, 3)
    np.savez(tmp_path / "x.npz", X=X)
    scipy.io.savemat(tmp_path / "f.mat", {"featureMat": X.T})
    for name in ("x.npz", "f.mat"):
        found = list(read_queries("features", [tmp_path / name], strict=True))
        assert [query.name for query in found] == [f"{tmp_path / name}[{n}]" for n in range(2)]
        np.testing.assert_array_equal([query.item for query in found], X)


@pytest.mark.parametrize(
    ("pixels", "shortest", "warning"),
    [
        (np.zeros((90, 80), np.uint8), 90, "it is black all over"),
        (np.full((90, 80), 255, np.uint8), 90, "it is white all over"),
        (np.full((90, 80), 77, np.uint8), 90, "it is of one colour all over"),
        (np.arange(300, dtype=np.uint16).reshape(15, 20) * 200, 60, "it has 20×15 pixels only"),
        (np.arange(300, dtype=np.uint16).reshape(15, 20) * 200, 12, None),
        (np.arange(4800, dtype=np.uint16).reshape(60, 80) * 10, 300, None),
    ],
)
def test_pictures_without_content(pixels, shortest, warning):
    """Small ones only where the training pictures were larger."""
    said = emptiness(pixels, shortest)
    assert said is None if warning is None else said.startswith(warning)


@pytest.mark.parametrize("kind", ["images", "clips"])
def test_an_empty_folder_is_an_error(tmp_path, kind):
    (tmp_path / "notes.txt").write_text("nothing to see")
    with pytest.raises(ValueError, match=rf"no {kind} in .*ends in \.") as caught:
        list(read_queries(kind, [tmp_path], strict=False))
    if kind == "images":
        assert "ends in .jpg, .png" in str(caught.value)


def test_a_model_on_features_takes_no_folder(tmp_path):
    with pytest.raises(IsADirectoryError, match="takes features"):
        list(read_queries("features", [tmp_path], strict=False))
