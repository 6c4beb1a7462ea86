"""The suite makes the embeddings that it asks for, once."""

from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.suite import sets

from crosslabel.datasets import MissingData


@pytest.fixture
def network(monkeypatch):
    """In place of the network: a picture's name, counted."""
    seen = []

    class Named:
        def __init__(self, **options):
            pass

        def fit_transform(self, files):
            seen.append(files)
            return np.array([[float(len(name))] for name in files], np.float32)

    monkeypatch.setattr(sets, "Embedding", Named)
    return seen


def test_embeddings_are_made_where_they_are_not_kept_and_read_where_they_are(network, tmp_path):
    data = SimpleNamespace(filenames=["a", "bbb"], target=np.array([1, 0]))
    rows = sets._embedding("some", lambda: data)
    made = rows(tmp_path / "new" / "folder")
    again = rows(tmp_path / "new" / "folder")
    assert network == [["a", "bbb"]]
    for found in (made, again):
        assert found.X.tolist() == [[1.0], [3.0]]
        assert found.y.tolist() == [1, 0]
        assert found.X.dtype == np.float64


def test_absent_pictures_are_said_to_be_absent_and_nothing_is_kept(network, tmp_path):
    def absent():
        raise MissingData("There are no pictures.")

    with pytest.raises(MissingData, match="no pictures"):
        sets._embedding("some", absent)(tmp_path)
    assert not list(tmp_path.iterdir())


def test_pyramids_are_turned_to_the_axes_of_some_images_and_kept(monkeypatch, tmp_path):
    random = np.random.default_rng(0)
    rows = {f"{k}.png": random.normal(size=6) for k in range(12)}
    transformed = []

    class Named:
        def __init__(self, **options):
            pass

        def fit(self, files):
            self.seen = set(files)
            return self

        def transform(self, files):
            transformed.append(self.seen)
            return np.array([rows[name] for name in files])

    for name, value in {"SpatialPyramid": Named, "SEEN": 4, "AXES": 3}.items():
        monkeypatch.setattr(sets, name, value)
    data = SimpleNamespace(filenames=list(rows), target=np.arange(12) % 2)
    made, again = (sets._pyramids("some", lambda: data)(tmp_path / "new") for _ in range(2))
    assert [len(seen) for seen in transformed] == [8]
    some = np.array([rows[name] for name in sorted(transformed[0])])
    axes = np.linalg.svd(some - some.mean(axis=0))[2][:3]
    expected = (np.array(list(rows.values())) - some.mean(axis=0)) @ axes.T
    np.testing.assert_allclose(np.abs(made.X), np.abs(expected), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(again.X, made.X)
