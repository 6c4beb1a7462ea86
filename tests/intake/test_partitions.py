"""Against Dask's threads, and against a real cluster of separate processes."""

import os
import signal
import time
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from crosslabel import CrossLabelClassifier
from tests.core.problems import shuffled_fruit

da = pytest.importorskip("dask.array", reason="needs crosslabel[dask]")
dd = pytest.importorskip("dask.dataframe", reason="needs crosslabel[dask]")
distributed = pytest.importorskip("distributed", reason="needs crosslabel[dask]")
dask = pytest.importorskip("dask", reason="needs crosslabel[dask]")
torch = pytest.importorskip("torch", reason="needs crosslabel[gpu]")
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


class OnGpu:
    """An array that says that it lies on a GPU, as CuPy's do: NumPy cannot take it."""

    __cuda_array_interface__: ClassVar = {}

    def __init__(self, values):
        self.values, self.shape = torch.as_tensor(values), values.shape

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __dlpack__(self, **kwargs):
        return self.values.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def on_gpu(values, kind):
    """A Dask array whose partitions are of this kind."""
    delayed = dask.delayed(kind)
    parts = [
        da.from_delayed(delayed(part), part.shape, part.dtype) for part in np.array_split(values, 4)
    ]
    return da.concatenate(parts)


@pytest.mark.parametrize("kind", [torch.as_tensor, OnGpu])
@pytest.mark.parametrize("shared", [0, 1])  # classes part, or go through one summary
def test_partitions_on_a_gpu_are_summarised_there(data, model, kind, shared):
    X, y = data
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    model.set_params(shared_atoms=shared, kept_samples=10)
    expected = clone(model).fit(
        da.from_array(X, 60), da.from_array(y, 60), da.from_array(weights, 60)
    )
    numbers = np.unique(y, return_inverse=True)[1]
    labels = on_gpu(numbers, kind)
    there = clone(model).fit(on_gpu(X, kind), labels, sample_weight=on_gpu(weights, kind))
    assert_allclose(there.dictionary_, expected.dictionary_, atol=1e-10)
    lazy = there.predict(on_gpu(X, kind))
    assert_array_equal(there.classes_[lazy.compute()], there.classes_[there.predict(X)])


@pytest.mark.parametrize("dtype", ["float16", "uint8"])
def test_small_numbers_on_a_gpu_are_what_they_are_at_home(data, model, dtype):
    X, numbers = np.abs(50 * data[0]).astype(dtype), np.unique(data[1], return_inverse=True)[1]
    weights = np.ones(len(X), np.float16)
    here = clone(model).fit(da.from_array(X, 60), da.from_array(numbers, 60))
    labels = on_gpu(numbers.astype(np.uint8), OnGpu)
    there = clone(model).fit(on_gpu(X, OnGpu), labels, sample_weight=on_gpu(weights, OnGpu))
    assert_allclose(there.dictionary_, here.dictionary_, atol=1e-10)
    chances = there.predict_proba(on_gpu(X, OnGpu)).compute()
    assert_allclose(chances, there.predict_proba(X), atol=1e-10)


@pytest.mark.parametrize("shared", [0, 1])
def test_a_partition_on_a_gpu_may_be_empty_or_without_weight(data, model, shared):
    X, numbers = data[0], np.unique(data[1], return_inverse=True)[1]
    weights = np.ones(len(X))
    weights[50:100] = 0
    cuts = [50, 50, 100]

    def there(values):
        lazy = [dask.delayed(OnGpu)(part) for part in np.split(values, cuts)]
        shapes = [part.shape for part in np.split(values, cuts)]
        return da.concatenate(
            [da.from_delayed(p, shape, values.dtype) for p, shape in zip(lazy, shapes)]
        )

    model.set_params(shared_atoms=shared)
    found = clone(model).fit(there(X), there(numbers), sample_weight=there(weights))
    expected = clone(model).fit(X, numbers, weights)
    assert_allclose(found.dictionary_, expected.dictionary_, atol=1e-8)


def test_what_torch_cannot_share_is_named(data, model):
    class Column:
        __cuda_array_interface__: ClassVar = {}
        shape = (1,)

        def __init__(self, values):
            self.values = values

    X, numbers = data[0], np.unique(data[1], return_inverse=True)[1]
    with pytest.raises(TypeError, match="A partition is a Column on a GPU"):
        model.fit(on_gpu(X, OnGpu), on_gpu(numbers, Column))


def test_a_value_that_is_not_finite_is_named_on_a_gpu_too(data, model):
    X, y = data[0].copy(), np.unique(data[1], return_inverse=True)[1]
    X[70, 3] = np.nan
    with pytest.raises(ValueError, match=r"NaN: feature 3 in row .* of partition"):
        model.fit(on_gpu(X, torch.as_tensor), on_gpu(y, torch.as_tensor))


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
