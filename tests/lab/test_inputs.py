import numpy as np
import pytest
from sklearn.datasets import load_digits

from crosslabel.core.scaling import unit_rows
from crosslabel.datasets.root import MissingData
from crosslabel.datasets.splits import per_class
from crosslabel.features import Eigenfaces
from crosslabel.lab import inputs as module
from crosslabel.lab.inputs import Inputs, load, split_of
from crosslabel.lab.pyramids import span_coordinates
from crosslabel.lab.spec import SpecError
from crosslabel.lab.spec_files import load_spec

PYRAMID = 'step = "Pyramid"\nfolder = "kept"\nper_class = 10\ncodebook_per_class = 5\nsplits = 3\n'
FACES = 'step = "Pixels"\n\n[[features]]\nstep = "Eigenfaces"\nn_components = 20'


def cell_of(spec, method="global", setting="10", split=0):
    return next(c for c in spec.cells() if c.place[1:] == (method, setting, split))


def test_features_are_learnt_from_the_training_samples_alone(spec, tmp_path):
    given = Inputs(tmp_path).of(cell_of(spec, split=2))
    X, y = load_digits(return_X_y=True)
    rows = unit_rows(X.astype(np.float32))
    train, test = list(per_class(y, 10, repeats=3, seed=0))[2]
    faces = Eigenfaces(20).fit(rows[train])
    assert np.array_equal(given.y_train, y[train])
    assert np.array_equal(given.y_test, y[test])
    assert given.X_test.shape == (len(test), 20)
    np.testing.assert_allclose(given.X_train, faces.transform(rows[train]), atol=1e-4)
    np.testing.assert_allclose(given.X_test, faces.transform(rows[test]), atol=1e-4)


def test_methods_with_the_same_features_are_given_the_same_numbers(write_spec, tmp_path):
    spec = write_spec(('features = [{ step = "Pixels" }]', ""))
    one, other = (Inputs(tmp_path).of(cell_of(spec, m)).digest for m in ("global", "CRC"))
    assert one == other
    assert Inputs(tmp_path).of(cell_of(spec, split=1)).digest != one
    assert Inputs(tmp_path).of(cell_of(spec, setting="5")).digest != one


def test_inputs_are_kept_within_their_budget(spec, tmp_path, monkeypatch):
    made = Inputs(tmp_path)
    assert made.of(cell_of(spec)) is made.of(cell_of(spec))
    monkeypatch.setattr(module, "BUDGET", 0)
    first = made.of(cell_of(spec))
    made.of(cell_of(spec, split=1))
    assert made.of(cell_of(spec)) is not first


def test_absent_data_are_named_with_their_place_and_their_owner(tmp_path):
    for name, owner in (("table-8", "Ghanem"), ("table-9", "Corso"), ("table-1", "Yale")):
        with pytest.raises(MissingData, match=rf"{tmp_path}.*{owner}.*Lay it out as"):
            load(load_spec(name), tmp_path)


def test_unknown_data_and_steps_are_said(write_spec, tmp_path):
    with pytest.raises(SpecError, match="no data set 'numbers'"):
        load(write_spec(('name = "digits"', 'name = "numbers"')))
    spec = write_spec(('step = "Eigenfaces"', 'step = "Wavelets"'))
    with pytest.raises(SpecError, match=r"no step 'Wavelets'.*Eigenfaces"):
        Inputs(tmp_path).of(cell_of(spec))


def test_n_train_is_asked_for(write_spec, tmp_path):
    spec = write_spec(('name = "10"\nn_train = 10', 'name = "10"'))
    with pytest.raises(SpecError, match="needs n_train"):
        Inputs(tmp_path).of(cell_of(spec))


@pytest.mark.parametrize("name", ["table-8-textures", "table-9-weizmann"])
def test_clips_that_belong_together_are_on_one_side(name):
    spec = load_spec(name)
    try:
        data = load(spec)
    except MissingData as absent:
        pytest.skip(str(absent))
    tested = []
    for cell in spec.cells():
        if cell.method != spec.methods[0]:
            continue
        train, test = split_of(data, cell)
        tested.extend(test.tolist())
        if "groups" in data:
            assert not set(data.groups[train]) & set(data.groups[test])
        else:  # by time: no frame of a texture's training clips is in its test clips
            for label in np.unique(data.target):
                frames = [
                    data.origins[part, 0][data.target[part] == label] for part in (train, test)
                ]
                early, late = sorted(frames, key=np.min)
                assert early.max() < late.min()
    assert sorted(tested) == list(range(len(data.target)))


def test_kept_coordinates_of_pyramids_are_used(write_spec, tmp_path):
    spec = write_spec((FACES, PYRAMID))
    (tmp_path / "kept").mkdir()
    rows = np.arange(1797 * 4, dtype=np.float32).reshape(1797, 4)
    np.save(tmp_path / "kept" / "coordinates1.npy", rows)
    given = Inputs(tmp_path).of(cell_of(spec, setting="5", split=1))
    train, _ = list(per_class(load_digits().target, 5, repeats=3, seed=0))[1]
    assert np.array_equal(given.X_train, rows[train])
    assert given.pipeline == []


def test_a_spec_names_the_form_of_its_pyramids(write_spec, tmp_path):
    spec = write_spec((FACES, f'{PYRAMID}form = "roots"'))
    (tmp_path / "kept").mkdir()
    rows = np.arange(1797 * 4, dtype=np.float32).reshape(1797, 4)
    np.save(tmp_path / "kept" / "coordinates0.npy", rows)
    np.save(tmp_path / "kept" / "roots0.npy", -rows)
    given = Inputs(tmp_path).of(cell_of(spec, setting="5"))
    train, _ = next(per_class(load_digits().target, 5, repeats=3, seed=0))
    assert np.array_equal(given.X_train, -rows[train])


def test_a_form_that_pyramids_do_not_have_is_refused(write_spec, tmp_path):
    spec = write_spec((FACES, f'{PYRAMID}form = "cubes"'))
    with pytest.raises(SpecError, match="no form 'cubes'"):
        Inputs(tmp_path).of(cell_of(spec, setting="5"))


def test_principal_components_of_pyramids_are_those_of_the_training_set(write_spec, tmp_path):
    spec = write_spec((FACES, f"{PYRAMID}rest = false"))
    (tmp_path / "kept").mkdir()
    random = np.random.default_rng(0)
    y = load_digits().target
    rows = unit_rows(random.standard_normal((1797, 150)))
    large = next(per_class(y, 10, repeats=3, seed=0))[0]
    np.save(tmp_path / "kept" / "coordinates0.npy", span_coordinates(rows, large))
    made = Inputs(tmp_path)
    assert made.of(cell_of(spec, setting="10")).X_train.shape == (100, 100)
    given = made.of(cell_of(spec, setting="5"))
    train, test = next(per_class(y, 5, repeats=3, seed=0))
    assert given.X_test.shape == (len(test), 50)
    # Test rows are projected on the span of these fifty training rows, and on no other.
    basis = np.linalg.qr(rows[train].T)[0]
    norms = np.linalg.norm(rows[test] @ basis, axis=1)
    np.testing.assert_allclose(np.linalg.norm(given.X_test, axis=1), norms, atol=5e-3)


def test_smaller_training_sets_lie_in_larger_ones():
    y = load_digits().target
    for (small, _), (large, _) in zip(per_class(y, 15, seed=0), per_class(y, 30, seed=0)):
        assert set(small) <= set(large)
