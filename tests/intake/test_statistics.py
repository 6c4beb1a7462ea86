import doctest
import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

import crosslabel.intake.statistics
from crosslabel import ClassStatistics, CrossLabelClassifier
from crosslabel.core.moments import ImpossibleRemovalError
from crosslabel.core.scaling import unit_rows
from crosslabel.files import arrays as archive
from tests.core.problems import samples

NAMES = np.array(["fig", "apple", "pear"], object)


@pytest.fixture
def data():
    X, y = samples(np.random.default_rng(0), (20, 6, 9), 8)
    return 3 * X, NAMES[y]


def assert_same(a, b):
    assert_array_equal(a.classes, b.classes)
    assert_allclose(a.counts, b.counts)
    assert_allclose(a.means, b.means, atol=1e-12)
    for label in a.classes:
        assert_allclose(a.scatter(label), b.scatter(label), atol=1e-12)


def test_statistics_are_those_of_the_scaled_samples_of_each_name(data):
    X, y = data
    statistics = ClassStatistics.from_samples(X, y)
    for label, count, mean in zip(statistics.classes, statistics.counts, statistics.means):
        Y = unit_rows(X)[y == label]
        assert count == len(Y)
        assert_allclose(mean, Y.mean(axis=0))
        assert_allclose(statistics.scatter(label), len(Y) * np.cov(Y.T, bias=True), atol=1e-12)


def test_sparse_samples_have_the_statistics_of_dense_ones(data):
    X, y = data
    X = np.where(X > 0, X, 0)
    found = ClassStatistics.from_samples(csr_array(X[:20]), y[:20])
    assert_same(found, ClassStatistics.from_samples(X[:20], y[:20]))
    more = ClassStatistics.from_samples(X[:20], y[:20]).update(X[20:], y[20:])
    assert_same(found.update(csr_array(X[20:]), y[20:]), more)
    assert_same(more.remove(csr_array(X[:5]), y[:5]), more.remove(X[:5], y[:5]))


def test_sites_merge_to_the_whole_whatever_classes_each_has(data):
    X, y = data
    fig = y == "fig"
    half = np.arange(len(X)) % 2 == 0
    parts = [fig & half, fig & ~half, ~fig & half, ~fig & ~half]
    sites = [ClassStatistics.from_samples(X[part], y[part]) for part in parts]
    merged = sites[0].merge(sites[1]).merge(sites[2].merge(sites[3]))
    assert_same(merged, ClassStatistics.from_samples(X, y))
    assert_same(merged.without("fig"), ClassStatistics.from_samples(X[~fig], y[~fig]))
    rest = merged.remove(X[parts[1]], y[parts[1]])
    assert_same(rest, ClassStatistics.from_samples(X[~parts[1]], y[~parts[1]]))
    assert_same(rest.update(X[parts[1]], y[parts[1]]), merged)


def test_a_file_gives_back_what_was_saved_and_is_as_small_as_it_says(data, tmp_path):
    statistics = ClassStatistics.from_samples(*data)
    path = tmp_path / "site.npz"
    statistics.save(path)
    loaded = ClassStatistics.load(path)
    assert_same(loaded, statistics)
    assert loaded.normalized
    assert abs(path.stat().st_size - statistics.nbytes) < 4000
    assert f"{statistics.nbytes} bytes" in repr(statistics)
    many = ClassStatistics.from_samples(np.random.default_rng(0).normal(size=(999, 8)), [0] * 999)
    assert many.nbytes == 8 * (1 + 1 + 8 + 64)


def test_damaged_foreign_and_newer_files_are_refused(data, tmp_path, monkeypatch):
    statistics, path = ClassStatistics.from_samples(*data), tmp_path / "site.npz"
    with pytest.raises(FileNotFoundError, match="no file"):
        ClassStatistics.load(path)
    statistics.save(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="damaged or no file of crosslabel"):
        ClassStatistics.load(path)
    arrays = statistics.to_arrays()
    monkeypatch.setattr(archive, "_checksum", lambda arrays: "0")
    statistics.save(path)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="checksum does not fit"):
        ClassStatistics.load(path)
    archive.save(path, "something else", arrays)
    with pytest.raises(ValueError, match="holds 'something else', not 'class statistics'"):
        ClassStatistics.load(path)
    monkeypatch.setattr(archive, "FORMAT", 99)
    statistics.save(path)
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"is of format 99, .* reads format 1"):
        ClassStatistics.load(path)
    np.savez(path, evil=np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(ValueError, match="damaged or no file"):
        ClassStatistics.load(path)


def test_a_full_disk_leaves_the_old_file(data, tmp_path, monkeypatch):
    X, y = data
    path = tmp_path / "site.npz"
    ClassStatistics.from_samples(X[:5], y[:5]).save(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        ClassStatistics.from_samples(X, y).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["site.npz"]


def test_misfits_are_refused(data):
    X, y = data
    statistics = ClassStatistics.from_samples(X, y)
    with pytest.raises(ValueError, match="of 8 features cannot be merged with those of 5 features"):
        statistics.merge(ClassStatistics.from_samples(X[:, :5], y))
    with pytest.raises(ValueError, match="same normalize"):
        statistics.merge(ClassStatistics.from_samples(X, y, normalize=False))
    with pytest.raises(ImpossibleRemovalError, match="no samples of class 'kiwi'"):
        statistics.without("kiwi")
    with pytest.raises(ImpossibleRemovalError, match=r"Class 'pear': .* vary more"):
        ClassStatistics.from_samples(X, y, normalize=False).remove(9 * X[-3:], y[-3:])
    with pytest.raises(ValueError, match=r"shape \(2,\), but there are 35 samples"):
        statistics.update(X, y, [1, 2])
    mixed = ClassStatistics.from_samples(X[:2], np.array(["a", 1], object).astype(str))
    assert mixed.classes.tolist() == ["1", "a"]


def test_a_model_learns_from_the_statistics_of_several_sites_alone(data):
    X, y = data
    half = np.arange(len(X)) % 2 == 0
    sites = [ClassStatistics.from_samples(X[part], y[part]) for part in (half, ~half)]
    start = unit_rows(np.random.default_rng(0).normal(size=(9, 8)))
    model = CrossLabelClassifier(
        atoms_per_class=3, rule="local", ridge=8e-3, suppression=2e3, init=start, random_state=0
    )
    whole = model.fit(X, y).dictionary_.copy()
    from_sites = model.fit_statistics(sites[0].merge(sites[1])).dictionary_
    # The order in which classes are updated differs: samples alone can tell it.
    assert_allclose(np.abs(np.sum(whole * from_sites, axis=1)), 1, atol=0.02)
    unaided = CrossLabelClassifier(atoms_per_class=3, rule="local", ridge=8e-3, random_state=0)
    unaided.fit_statistics(sites[0].merge(sites[1]))
    assert unaided.score(X, y) >= model.fit(X, y).score(X, y) - 0.05
    assert unaided.partial_fit(X[:3], y[:3]).statistics_.counts.sum() == len(X) + 3
    # Without samples nothing is chosen: what does well on average is taken.
    usual = CrossLabelClassifier().fit_statistics(sites[0].merge(sites[1]))
    assert (usual.rule_, usual.fitted_.view.ridge) == ("local", 0.1)
    assert usual.score(X, y) > 0.9
    with pytest.raises(ValueError, match=r"classifier has scale='none'"):
        CrossLabelClassifier(rule="local", scale="none").fit_statistics(sites[0])


def test_the_docstrings_example_holds():
    assert doctest.testmod(crosslabel.intake.statistics).failed == 0
