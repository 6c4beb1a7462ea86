import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from crosslabel.datasets.splits import per_class
from crosslabel.lab import pyramid_step
from crosslabel.lab.pyramid_step import make_pyramids, pyramid_options, pyramid_place
from crosslabel.lab.records import Store
from crosslabel.lab.run import chosen_cells, run_cells

FACES = 'step = "Pixels"\n\n[[features]]\nstep = "Eigenfaces"\nn_components = 20'
PYRAMID = 'step = "Pyramid"\nfolder = "kept"\nper_class = 10\ncodebook_per_class = 5\nsplits = 3\n'
ROOTS = f'features = [{{ {", ".join(PYRAMID.splitlines())}, form = "roots" }}]'
TARGET = load_digits().target


@pytest.fixture
def passes(monkeypatch):
    """The passes over the images that were asked for; each leaves files as long as the labels."""
    asked = []

    def coordinates(paths, splits, folder, n_jobs, seen, only):
        asked.append((paths, splits, n_jobs, seen, only))
        folder.mkdir(parents=True, exist_ok=True)
        rows = np.random.default_rng(0).random((len(TARGET), 4))
        for number in only:
            for form in ("coordinates", "roots"):
                np.save(folder / f"{form}{number}.npy", rows)

    monkeypatch.setattr(pyramid_step, "coordinates", coordinates)
    return asked


@pytest.fixture
def data():
    return Bunch(filenames=[f"{n}.png" for n in range(len(TARGET))], target=TARGET)


@pytest.fixture
def spec(write_spec):
    """One method on the coordinates and one on the roots of the same pyramids."""
    return write_spec((FACES, PYRAMID), ('features = [{ step = "Pixels" }]', ROOTS))


def test_splits_that_lack_their_files_are_made_in_one_pass(spec, data, passes, tmp_path):
    (tmp_path / "kept").mkdir()
    for form in ("coordinates", "roots"):
        (tmp_path / "kept" / f"{form}1.npy").touch()
    make_pyramids(spec.cells(), data, tmp_path, 3)
    [(paths, splits, n_jobs, seen, only)] = passes
    assert (list(paths), n_jobs, only) == (data.filenames, 3, [0, 2])
    for number in range(3):
        large, _ = list(per_class(TARGET, 10, repeats=3, seed=0))[number]
        small, _ = list(per_class(TARGET, 5, repeats=3, seed=0))[number]
        assert np.array_equal(splits[number][0], large)
        assert np.array_equal(seen[number], small)
    make_pyramids(spec.cells(), data, tmp_path)
    assert len(passes) == 1


def test_only_the_splits_and_forms_that_are_asked_for_count(spec, data, passes, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "coordinates2.npy").touch()  # of a store before there were roots
    of_split = [cell for cell in spec.cells() if cell.split == 2]
    make_pyramids([c for c in of_split if c.method.name == "global"], data, tmp_path)
    assert passes == []
    make_pyramids(of_split, data, tmp_path)
    assert [only for *_, only in passes] == [[2]]


def test_cells_without_pyramids_need_none(write_spec, data, passes, tmp_path):
    plain = write_spec(name="plain")
    make_pyramids(plain.cells(), data, tmp_path)
    assert passes == []
    assert pyramid_options([]) is None
    options = pyramid_options([{"step": "Pyramid", "folder": "kept"}])
    assert pyramid_place(options, tmp_path, 4) == tmp_path / "kept" / "coordinates4.npy"


def test_a_run_makes_pyramids_of_the_cells_without_records_before_any_is_computed(
    spec, data, passes, tmp_path, monkeypatch
):
    data.target_names = np.arange(10)
    monkeypatch.setattr("crosslabel.lab.run.load", lambda *_: data)
    monkeypatch.setattr("crosslabel.lab.inputs.load", lambda *_: data)
    store = Store(tmp_path / "store")
    first = [cell for cell in chosen_cells(spec) if cell.split == 0]
    for kept, expected in ((first, [[0]]), (chosen_cells(spec), [[0], [1, 2]])):
        outcomes = list(run_cells(kept, store, features=tmp_path / "features"))
        assert not any(outcome.problem for outcome in outcomes)
        assert [only for *_, only in passes] == expected
    assert len(store.found(spec.cells())) == 12
