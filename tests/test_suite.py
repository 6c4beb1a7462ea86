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
