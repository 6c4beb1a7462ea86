"""Against Dask's threads, and against a real cluster of separate processes."""

import os
import signal
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from crosslabel import CrossLabelClassifier
from tests.core.problems import shuffled_fruit

da = pytest.importorskip("dask.array", reason="needs crosslabel[dask]")
dd = pytest.importorskip("dask.dataframe", reason="needs crosslabel[dask]")
distributed = pytest.importorskip("distributed", reason="needs crosslabel[dask]")
pd = pytest.importorskip("pandas", reason="needs crosslabel[dask]")


@pytest.fixture(scope="module")
def data():
    return shuffled_fruit((60, 70, 80), 12)


@pytest.fixture
def model():
    return CrossLabelClassifier(
        atoms_per_class=4, shared_atoms=1, rule="local", ridge=0.1, random_state=0
    )


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def assert_same(a, b, atol=1e-8):
    assert_array_equal(a.classes_, b.classes_)
    assert_allclose(a.dictionary_, b.dictionary_, atol=atol)
    assert_allclose(a.temperature_, b.temperature_, rtol=1e-4)


def test_arrays_in_any_chunks_give_the_fit_in_memory(data, model):
    X, y = data
    whole = clone(model).fit(X, y)
    lazy = da.from_array(X, chunks=(23, 5)), da.from_array(y, chunks=60)
    assert_same(clone(model).fit(*lazy), whole)
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = clone(model).fit(*lazy, sample_weight=da.from_array(weights, chunks=100))
    assert_same(weighted, clone(model).fit(X, y, weights))


def test_dataframes_give_the_fit_in_memory_and_lazy_frames(data, model):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"feature {k}" for k in range(X.shape[1])])
    whole = clone(model).fit(frame, y)
    lazy = dd.from_pandas(frame, npartitions=4)
    labels = dd.from_pandas(pd.Series(y), npartitions=4)
    fitted = clone(model).fit(lazy, labels)
    assert_same(fitted, whole)
    assert_array_equal(fitted.feature_names_in_, frame.columns)
    assert_array_equal(fitted.predict(lazy).compute().to_numpy(), whole.predict(frame))
    assert_allclose(fitted.transform(lazy).compute().to_numpy(), whole.transform(frame))


def test_predictions_and_codes_are_lazy(data, model):
    X, y = data
    model.fit(X, y)
    lazy = da.from_array(X, chunks=(50, 7))
    for name in ("predict", "transform", "decision_function", "predict_proba"):
        result, expected = getattr(model, name)(lazy), getattr(model, name)(X)
        assert isinstance(result, da.Array)
        assert result.shape == expected.shape
        assert result.dtype == expected.dtype
        assert result.numblocks[0] == 5
        found = result.compute()
        if expected.dtype.kind == "U":
            assert_array_equal(found, expected)
        else:
            assert_allclose(found, expected, atol=1e-12)


def test_misuse_is_explained(data, model):
    X, y = data
    lazy = da.from_array(X, chunks=(50, 12))
    with pytest.raises(TypeError, match=r"X is a Dask collection, but y is ndarray"):
        model.fit(lazy, y)
    bad = X.copy()
    bad[120, 3] = np.nan
    with pytest.raises(ValueError, match=r"NaN: feature 3 in row 20 of partition 2"):
        model.fit(da.from_array(bad, chunks=(50, 12)), da.from_array(y, chunks=50))
    labels = dd.from_pandas(pd.Series(y), npartitions=2)
    with pytest.raises(ValueError, match=r"have \[5, 2\] partitions"):
        model.fit(lazy, labels)
    uneven = dd.from_pandas(pd.Series(y), npartitions=5)
    with pytest.raises(ValueError, match=r"Partition \d has \d+ rows of X, but 42 labels"):
        model.fit(lazy, uneven)


def test_a_cluster_of_processes_gives_the_fit_in_memory(data, model, client):
    X, y = data
    lazy = da.from_array(X, chunks=(15, 12)), da.from_array(y, chunks=15)
    assert_same(clone(model).fit(*lazy), clone(model).fit(X, y))
    fitted = clone(model).fit(X, y)
    assert_array_equal(fitted.predict(lazy[0]).compute(), fitted.predict(X))


def slowly(block):
    time.sleep(0.1)
    return block


def kill_one(client):
    """Kill a worker that has done some of the work; its nanny starts another."""
    info = client.scheduler_info(n_workers=-1)["workers"]
    pids = client.run(os.getpid)
    worker = next(iter(info))
    os.kill(pids[worker], signal.SIGKILL)


def test_a_killed_worker_costs_time_not_correctness(data, model, client):
    X, y = data
    slow = da.from_array(X, chunks=(5, 12)).map_blocks(slowly, dtype=X.dtype, meta=X[:0])
    labels = da.from_array(y, chunks=5)
    killed = []

    def kill_when_some_are_done(dask_scheduler=None):
        return sum(state.state == "memory" for state in dask_scheduler.tasks.values())

    import threading

    def watch():
        while not killed:
            if client.run_on_scheduler(kill_when_some_are_done) >= 5:
                kill_one(client)
                killed.append(True)
            time.sleep(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        fitted = clone(model).fit(slow, labels)
    finally:
        survived = bool(killed)
        killed.append(True)
        watcher.join()
    assert survived, "no worker was killed while the pass ran"
    assert_same(fitted, clone(model).fit(X, y))
