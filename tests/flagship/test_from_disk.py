import numpy as np
import pytest
from numpy.testing import assert_array_equal

from crosslabel import progress_bar
from tests.flagship.test_by_class import SMALL as GROUPS
from tests.flagship.test_by_class import assert_same, data, model

__all__ = ["data"]

SMALL = GROUPS // 2
"""Less than the summary of all classes takes."""


@pytest.fixture
def path(data, tmp_path):
    folder = tmp_path / "shards"
    folder.mkdir()
    for k, part in enumerate(np.split(data[0], [5, 40])):
        np.save(folder / f"{k}.npy", part)
    return folder


@pytest.mark.parametrize("is_sorted", [True, False])
def test_a_pass_whose_summary_would_not_fit_learns_class_by_class(data, tmp_path, is_sorted):
    X, y = data
    order = np.argsort(y, kind="stable") if is_sorted else np.arange(len(y))
    np.save(tmp_path / "x.npy", X[order])
    parted = model(memory_limit=SMALL).fit(tmp_path / "x.npy", y[order])
    assert "_summary" not in parted.__dict__
    assert_same(parted, model().fit(X, y), X)


def test_weights_and_shards(data, path):
    X, y = data
    weights = np.random.default_rng(2).integers(0, 3, len(X)).astype(float)
    weights[y == "g"] = 0
    parted = model(memory_limit=SMALL, class_weight={"b": 2.0}).fit(path, y, weights)
    assert_same(parted, model(class_weight={"b": 2.0}).fit(X, y, weights), X)


def test_no_stream_goes_on_from_it_and_the_error_says_how_one_would(data, path):
    X, y = data
    parted = model(memory_limit=SMALL).fit(path, y)
    with pytest.raises(AttributeError, match=r"none beyond memory_limit .* keep_summary=True"):
        parted.forget(X, y)
    kept = model(memory_limit=SMALL, keep_summary=True).fit(path, y)
    assert kept.partial_fit(X[:3], y[:3]).statistics_.counts.sum() == len(X) + 3


def test_a_summary_that_fits_is_kept(data, path):
    X, y = data
    size = X.shape[1] * 8 * (np.minimum(np.unique(y, return_counts=True)[1], 9).sum() + len(X))
    assert "_summary" in model(memory_limit=size).fit(path, y).__dict__
    assert "_summary" not in model(memory_limit=size - 1).fit(path, y).__dict__


def test_a_checkpoint_asks_for_the_pass_over_all(data, path, tmp_path):
    X, y = data
    settings = {"memory_limit": SMALL, "checkpoint": tmp_path / "pass.npz"}
    assert "_summary" in model(**settings).fit(path, y).__dict__


def test_a_bar_shows_the_reading(data, path, capfd, monkeypatch):
    monkeypatch.setattr(progress_bar, "PATIENCE", 0)
    found = model(memory_limit=SMALL, verbose=1).fit(path, data[1])
    assert "reading samples" in capfd.readouterr().err
    assert_array_equal(found.classes_, np.unique(data[1]))


def test_one_class_alone_is_refused(data, path):
    X, y = data
    with pytest.raises(ValueError, match="one class only"):
        model(memory_limit=SMALL).fit(path, y, (y == "b").astype(float))
