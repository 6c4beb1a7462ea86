import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from crosslabel import CrossLabelClassifier, progress_bar
from crosslabel.core.scaling import unit_rows
from crosslabel.files import arrays as archive
from crosslabel.intake import passes, sources
from crosslabel.intake.checking import is_out_of_core
from tests.core.problems import shuffled_fruit

BLOCK = 6 * 9 * 8 * 10  # a memory limit that gives blocks of ten rows


@pytest.fixture
def data():
    return shuffled_fruit((30, 40, 50), 9)


@pytest.fixture
def model():
    return CrossLabelClassifier(
        atoms_per_class=3,
        shared_atoms=1,
        ridge=8e-3,
        suppression=2e3,
        init="kmeans",
        rule="local",
        memory_limit=BLOCK,
        random_state=0,
        keep_summary=True,
    )


def assert_same(a, b, atol=1e-8):
    assert_array_equal(a.classes_, b.classes_)
    assert_allclose(a.dictionary_, b.dictionary_, atol=atol)
    assert a.rule_ == b.rule_


def as_memmap(X, y, folder):
    np.save(folder / "x.npy", X)
    return np.load(folder / "x.npy", mmap_mode="r"), y


def as_file(X, y, folder):
    np.save(folder / "x.npy", X)
    np.save(folder / "y.npy", y)
    return folder / "x.npy", str(folder / "y.npy")


def as_shards(X, y, folder):
    for what, array in (("x", X), ("y", y)):
        (folder / what).mkdir()
        for k, part in enumerate(np.split(array, [7, 7, 50])):
            np.save(folder / what / f"part{k}.npy", part)
    return str(folder / "x"), folder / "y"


def as_zarr(X, y, folder):
    zarr = pytest.importorskip("zarr", reason="needs crosslabel[zarr]")
    array = zarr.create_array(folder / "x.zarr", shape=X.shape, chunks=(4, 9), dtype=X.dtype)
    array[:] = X
    return array, y


def as_hdf5(X, y, folder):
    h5py = pytest.importorskip("h5py", reason="needs crosslabel[mat73]")
    file = h5py.File(folder / "x.h5", "w")
    labels = file.create_dataset("y", data=y.astype(object), dtype=h5py.string_dtype())
    return file.create_dataset("x", data=X, chunks=(16, 9)), labels


FORMS = [as_memmap, as_file, as_shards, as_zarr, as_hdf5]


@pytest.mark.parametrize("form", FORMS)
def test_a_pass_over_samples_on_disk_gives_the_fit_in_memory(data, model, tmp_path, form):
    X, y = data
    on_disk = form(X, y, tmp_path)
    assert is_out_of_core(on_disk[0], BLOCK)
    assert_same(clone(model).fit(*on_disk), clone(model).fit(X, y))
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    weighted = clone(model).fit(*on_disk, sample_weight=weights)
    assert_same(weighted, clone(model).fit(X, y, weights))


def test_whole_numbers_on_disk_are_samples_too(model, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 255, (90, 9)).astype(np.uint8), np.repeat([3, 5, 9], 30)
    np.save(tmp_path / "x.npy", X)
    assert_same(clone(model).fit(tmp_path / "x.npy", y), clone(model).fit(X, y))


def test_a_bounded_sample_starts_about_as_well(data, model, tmp_path):
    X, y = data
    model.set_params(rule="local", max_iter=50, tol=1e-9)
    path = as_file(X, y, tmp_path)[0]
    bounded = clone(model).set_params(kept_samples=8).fit(path, y)
    assert len(bounded._summary.sample.X) == 24
    # The statistics are of all samples, so that the same objective is minimised.
    whole = clone(model).fit(X, y)
    assert bounded.objective_trace_[-1] < 1.1 * whole.objective_trace_[-1]


def test_a_bar_shows_the_pass(data, model, tmp_path, capfd, monkeypatch):
    X, y = data
    monkeypatch.setattr(progress_bar, "PATIENCE", 0)
    model.set_params(verbose=1, rule="local").fit(as_file(X, y, tmp_path)[0], y)
    assert "reading samples" in capfd.readouterr().err


class Cut(Exception):
    """The power goes."""


def interrupted(model, on_disk, y, monkeypatch, after):
    """Fit until `after` blocks are read, with a checkpoint after each block."""
    read, count = sources.Source.read, []

    def failing(self, start, stop):
        count.append(stop - start)
        if sum(n > 1 for n in count) > after:  # single rows are the fingerprint's
            raise Cut
        return read(self, start, stop)

    monkeypatch.setattr(passes, "CHECKPOINT_SECONDS", -1)
    with monkeypatch.context() as patch:
        patch.setattr(sources.Source, "read", failing)
        with pytest.raises(Cut):
            model.fit(on_disk, y)


@pytest.mark.parametrize("form", [as_shards, as_memmap])
def test_an_interrupted_pass_resumes_and_ends_the_same(data, model, tmp_path, monkeypatch, form):
    X, y = data
    on_disk, _ = form(X, y, tmp_path)
    model.set_params(checkpoint=tmp_path / "pass.npz")
    interrupted(model, on_disk, y, monkeypatch, after=5)
    assert model.checkpoint.is_file()
    read, rows = sources.Source.read, []

    def counting(self, start, stop):
        rows.append(stop - start)
        return read(self, start, stop)

    monkeypatch.setattr(sources.Source, "read", counting)
    resumed = clone(model).fit(on_disk, y)
    assert sum(n for n in rows if n > 1) < len(X)
    assert not model.checkpoint.exists()
    assert_same(resumed, clone(model).set_params(checkpoint=None).fit(X, y))


def test_a_checkpoint_of_other_data_or_of_another_version_is_refused(
    data, model, tmp_path, monkeypatch
):
    X, y = data
    on_disk, _ = as_file(X, y, tmp_path)
    model.set_params(checkpoint=str(tmp_path / "pass.npz"))
    interrupted(model, on_disk, y, monkeypatch, after=4)
    np.save(tmp_path / "other.npy", X[::-1])
    for change in (
        lambda: clone(model).fit(tmp_path / "other.npy", y),
        lambda: clone(model).fit(on_disk, y[::-1]),
        lambda: clone(model).set_params(scale="none").fit(on_disk, y),
        lambda: clone(model).set_params(random_state=1).fit(on_disk, y),
        lambda: clone(model).fit(on_disk, y, np.ones(len(y))),
    ):
        with pytest.raises(ValueError, match="another data set or to other settings"):
            change()
    monkeypatch.setattr(archive, "FORMAT", 2)
    with pytest.raises(ValueError, match=r"is of format 1, .* Make the file anew"):
        clone(model).fit(on_disk, y)


def test_a_full_disk_costs_the_checkpoint_not_the_pass(data, model, tmp_path, monkeypatch):
    X, y = data
    on_disk, _ = as_file(X, y, tmp_path)
    model.set_params(checkpoint=tmp_path / "pass.npz")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.warns(RuntimeWarning, match=r"could not be written: .*No space left"):
        model.fit(on_disk, y)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["x.npy", "y.npy"]
    assert_same(model, clone(model).fit(X, y))


def test_faults_are_named_by_shard_and_row(data, model, tmp_path):
    X, y = data
    folder = tmp_path / "shards"
    folder.mkdir()
    np.save(folder / "a.npy", X[:60])
    bad = X[60:].copy()
    bad[13, 4] = np.nan
    np.save(folder / "b.npy", bad)
    with pytest.raises(ValueError, match=r"NaN: feature 4 in row 13 of b.npy \(row 73 of all\)"):
        model.fit(folder, y)
    assert not hasattr(model, "dictionary_")
    np.save(folder / "b.npy", X[60:, :5])
    with pytest.raises(ValueError, match=r"Shard b.npy has 5 features, but a.npy has 9"):
        model.fit(folder, y)
    np.save(folder / "b.npy", X[60:].astype(np.float32))
    with pytest.raises(ValueError, match=r"Shard b.npy holds float32, but a.npy holds float64"):
        model.fit(folder, y)
    np.save(folder / "b.npy", X[60])
    with pytest.raises(ValueError, match=r"b.npy has shape \(9,\)"):
        model.fit(folder, y)
    (folder / "b.npy").write_bytes(b"no array")
    with pytest.raises(ValueError, match=r"b.npy cannot be read as an .npy file"):
        model.fit(folder, y)
    np.save(folder / "b.npy", np.array([["a", "b"]]))
    with pytest.raises(ValueError, match=r"b.npy holds <U1; expected numbers"):
        model.fit(folder, y)


def test_misuse_of_sources_is_explained(data, model, tmp_path):
    X, y = data
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        model.fit(tmp_path / "nowhere.npy", y)
    with pytest.raises(ValueError, match=r"holds no \.npy file"):
        model.fit(tmp_path, y)
    path, _ = as_file(X, y, tmp_path)
    with pytest.raises(ValueError, match=r"X has 120 rows, but y has 3 labels"):
        model.fit(path, y[:3])
    with pytest.raises(ValueError, match=r"one class only: \['fig'\]"):
        model.fit(path, np.full(120, "fig"))
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(path, np.linspace(0, 1, 120))
    np.save(path, X[:0])
    with pytest.raises(ValueError, match="X has no rows"):
        model.fit(path, y[:0])


def test_a_model_from_disk_goes_on_as_a_stream(data, model, tmp_path):
    X, y = data
    path, _ = as_file(X[:80], y[:80], tmp_path)
    streamed = clone(model).fit(path, y[:80]).partial_fit(X[80:], y[80:]).refit()
    whole = clone(model).fit(X, y)
    assert_same(streamed, whole)
    assert_allclose(streamed.forget(X[:9], y[:9]).statistics_.counts.sum(), 111)
    assert_allclose(unit_rows(streamed.dictionary_), streamed.dictionary_)
