from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import CrossLabelClassifier
from crosslabel.flagship import top
from tests.core.problems import samples

NAMES = np.array(["kiwi", "fig", "apple", "pear", "date", "plum"])


def fitted(dtype=np.float64, sizes=(6, 7, 8, 6, 9, 7), **settings):
    X, y = samples(np.random.default_rng(0), sizes, 9)
    named = {"ridge": 0.05, "rule": "local", "atoms_per_class": 3, "random_state": 0}
    X = X.astype(dtype)
    return CrossLabelClassifier(**{**named, **settings}).fit(X, NAMES[y]), X


def by_sorting(model, X, k):
    """Labels, scores and probabilities by a stable sort of all classes."""
    scores, chances = model.fitted_.scores(X), model.predict_proba(X)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    picked = (np.take_along_axis(a, order, 1) for a in (scores, chances))
    return model.classes_[order], *picked


SETTINGS = [
    {},
    {"rule": "global"},
    {"rule": "joint"},
    {"rule": "auto"},
    {"dtype": np.float32},
    {"sizes": (9, 9)},
    {"class_weight": {"fig": 3.0}},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("values", [1, 20, top.VALUES])
def test_the_best_are_those_of_sorting_all_scores(settings, values, monkeypatch):
    model, X = fitted(**settings)
    monkeypatch.setattr(top, "VALUES", values)
    for k in (1, 2, len(model.classes_)):
        found, naive = model.predict_topk(X, k), by_sorting(model, X, k)
        assert_array_equal(found.labels, naive[0])
        for mine, expected in zip(found[1:], naive[1:]):
            assert mine.dtype == expected.dtype
            # A query alone and one among others may be multiplied in another order.
            assert_allclose(mine, expected, rtol=1e-4 if mine.dtype == np.float32 else 1e-9)
        assert_array_equal(found.labels[:, 0], model.predict(X))
        assert (np.diff(found.probabilities, axis=1) <= 0).all()


def test_equal_classes_come_in_their_order():
    model, X = fitted()
    found = model.predict_topk(np.zeros((2, 9)), 4)  # of a row of zeros all classes are alike
    assert_array_equal(found.labels, [model.classes_[:4]] * 2)
    assert_allclose(found.probabilities, 1 / 6)


def test_scores_are_held_for_some_queries_at_a_time(monkeypatch):
    model, X = fitted()
    monkeypatch.setattr(top, "VALUES", 6 * 10)
    shapes, scores = [], type(model.fitted_).scores
    monkeypatch.setattr(
        type(model.fitted_), "scores", lambda self, X: shapes.append(len(X)) or scores(self, X)
    )
    model.predict_topk(X, 2)
    assert shapes == [10, 10, 10, 10, 3]


@pytest.mark.parametrize("k", [0, 7, -1, 2.5, "3"])
def test_a_number_that_cannot_be_is_refused(k):
    model, X = fitted()
    with pytest.raises(ValueError, match=r"but the model knows 6 classes. Ask for .* from 1 to 6"):
        model.predict_topk(X, k)


def test_a_tensor_gives_tensors():
    torch = pytest.importorskip("torch", reason="needs crosslabel[gpu]")
    for settings in ({}, {"rule": "joint"}, {"dtype": np.float32}):
        model, X = fitted(**settings)
        numbers = CrossLabelClassifier(**model.get_params()).fit(X, np.arange(len(X)) % 5)
        found, here = numbers.predict_topk(torch.as_tensor(X), 3), numbers.predict_topk(X, 3)
        for tensor, array in zip(found, here):
            assert isinstance(tensor, torch.Tensor)
            assert tensor.numpy().dtype == array.dtype
            assert_allclose(tensor.numpy(), array, rtol=1e-5)
        named = model.predict_topk(torch.as_tensor(X), 3)
        assert_array_equal(named.labels, model.predict_topk(X, 3).labels)
        model.set_params(device="cpu")
        assert_array_equal(model.predict_topk(X, 3).labels, named.labels)


def test_sparse_rows_are_asked_like_dense_ones(monkeypatch):
    from scipy.sparse import csr_array

    model, X = fitted()
    monkeypatch.setattr("crosslabel.flagship.predictor.DENSE_VALUES", 50)
    sparse, dense = model.predict_topk(csr_array(X), 3), model.predict_topk(X, 3)
    assert_array_equal(sparse.labels, dense.labels)
    assert_allclose(sparse.scores, dense.scores)
    assert_allclose(sparse.probabilities, dense.probabilities)


@pytest.mark.parametrize("form", ["array", "frame"])
def test_dask_stays_lazy(form, monkeypatch):
    da = pytest.importorskip("dask.array", reason="needs crosslabel[dask]")
    model, X = fitted(np.float32)
    lazy = da.from_array(X, chunks=(7, 9))
    if form == "frame":
        dd = pytest.importorskip("dask.dataframe", reason="needs pandas")
        lazy = dd.from_dask_array(lazy)
        model = CrossLabelClassifier(**model.get_params()).fit(lazy.compute(), model.predict(X))
    rows, scores = [], type(model.fitted_).scores
    monkeypatch.setattr(
        type(model.fitted_), "scores", lambda self, X: rows.append(len(X)) or scores(self, X)
    )
    found = model.predict_topk(lazy, 2)
    assert sum(rows) <= 1  # the probe that tells the type
    labels, *numbers = (np.asarray(one.compute(scheduler="synchronous")) for one in found)
    expected = model.predict_topk(lazy.compute(), 2)
    assert_array_equal(labels, expected.labels)
    for mine, here in zip(numbers, expected[1:]):
        assert mine.dtype == here.dtype
        assert_allclose(mine, here, rtol=1e-4)


def test_places_scores_and_chances_stand_side_by_side():
    model, X = fitted()
    (labels, scores, chances), k = by_sorting(model, X, 2), 2
    found = top.best_of(model.fitted_, model.fitted_.view.lifted(X), k)
    assert_array_equal(found[:, :k], np.searchsorted(model.classes_, labels))
    assert_allclose(found[:, k : 2 * k], scores)
    assert_allclose(found[:, 2 * k :], chances)


def test_probabilities_of_the_sharpest_scores_are_numbers():
    model, X = fitted()
    (view,) = model.fitted_.views
    sharp = replace(model.fitted_, views=(replace(view, share=1e6),))
    found = top.best_of(sharp, view.lifted(X), 2)
    assert np.isfinite(found).all()
    expected = np.sort(sharp.probabilities(X), axis=1)[:, :-3:-1]
    assert_allclose(found[:, 4:], expected, atol=1e-12)
