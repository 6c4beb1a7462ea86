import multiprocessing
import os

import numpy as np
import pytest

from crosslabel.features.extraction import extract


class Counted:
    """Twice the item; leaves a mark for each call, in whatever process."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, item):
        (self.folder / f"{os.getpid()}-{np.random.default_rng().integers(2**60)}").touch()
        return 2 * np.asarray(item)

    def calls(self):
        return len(list(self.folder.iterdir()))


@pytest.fixture
def double(tmp_path):
    (tmp_path / "calls").mkdir()
    return Counted(tmp_path / "calls")


ITEMS = [np.full(3, number) for number in range(40)]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("cached", [False, True])
def test_results_come_in_order(double, tmp_path, n_jobs, cached):
    cache = tmp_path / "cache" if cached else None
    results = extract(double, ITEMS, cache=cache, n_jobs=n_jobs, progress="doubling")
    np.testing.assert_array_equal(results, [2 * item for item in ITEMS])


def test_what_is_cached_is_not_computed_again(double, tmp_path):
    extract(double, ITEMS[:25], cache=tmp_path / "cache")
    extract(double, ITEMS, cache=tmp_path / "cache")
    assert double.calls() == 40


def test_settings_and_content_are_the_key(double, tmp_path):
    for settings in ({"a": 1}, {"a": 2}, {"a": np.arange(3)}, {"a": np.arange(4)}):
        extract(double, ITEMS[:2], settings=settings, cache=tmp_path / "cache")
    assert double.calls() == 8
    file = tmp_path / "item"
    for content in (b"one", b"two", b"one"):
        file.write_bytes(content)
        extract(lambda path: np.ones(1), [file], cache=tmp_path / "files")
    assert len(list((tmp_path / "files").rglob("*.npy"))) == 2


def test_an_interrupted_run_resumes(double, tmp_path):
    def failing(item):
        if item[0] == 10:
            raise KeyboardInterrupt
        return double(item)

    with pytest.raises(KeyboardInterrupt):
        extract(failing, ITEMS, cache=tmp_path / "cache")
    assert double.calls() == 10
    extract(double, ITEMS, cache=tmp_path / "cache")
    assert double.calls() == 40


def test_a_damaged_entry_is_computed_again(double, tmp_path):
    extract(double, ITEMS[:1], cache=tmp_path / "cache")
    (entry,) = (tmp_path / "cache").rglob("*.npy")
    for damage in (b"", entry.read_bytes()[:-4], b"nonsense"):
        entry.write_bytes(damage)
        np.testing.assert_array_equal(
            extract(double, ITEMS[:1], cache=tmp_path / "cache")[0], [0] * 3
        )
        assert np.load(entry).shape == (3,)


def _work(folder, cache):
    extract(Counted(folder), ITEMS, cache=cache)


def test_two_processes_share_a_cache(double, tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_work, args=(double.folder, tmp_path / "c")) for _ in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(list((tmp_path / "c").rglob("*.npy"))) == 40
    assert not list((tmp_path / "c").rglob(".part-*"))


def test_a_full_disk_is_done_without(tmp_path, double, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("crosslabel.features.extraction.write_whole", full)
    items = [np.full(3, float(k)) for k in range(5)]
    with pytest.warns(UserWarning, match="No space left on device. The run goes on without"):
        found = extract(double, items, cache=tmp_path / "cache")
    np.testing.assert_array_equal(found, [2 * item for item in items])
