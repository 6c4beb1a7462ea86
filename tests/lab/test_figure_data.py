import pickle
from dataclasses import replace

import numpy as np
import pytest

from crosslabel import CRC, CrossLabelClassifier, CrossLabelClassifierCV
from crosslabel.lab.figure_data import Trained, extras, write_dictionary
from crosslabel.lab.inputs import Inputs


@pytest.fixture
def given(spec, tmp_path):
    cell = next(c for c in spec.cells() if c.place[1:] == ("global", "10", 0))
    return Inputs(tmp_path).of(cell)


def fitted(given, model):
    model.fit(given.X_train, given.y_train)
    predicted = model.predict(given.X_test)
    return Trained(model, given.X_test, given.y_test, predicted, given.names, given.pipeline)


def test_flagship_keeps_confusion_trace_and_codes(given):
    cell = fitted(given, CrossLabelClassifier(atoms_per_class=4, shared_atoms=2, random_state=0))
    kept = extras(("confusion", "trace", "codes", "dictionary"), cell)
    counts = np.array(kept["confusion"])
    assert counts.sum() == len(given.y_test)
    assert np.trace(counts) == (cell.predicted == given.y_test).sum()
    assert np.array_equal(counts.sum(axis=1), np.bincount(given.y_test))
    np.testing.assert_allclose(kept["trace"], cell.model.objective_trace_, rtol=1e-5)
    codes = np.abs(cell.model.transform(given.X_test))
    assert list(kept["codes"]) == given.names[:3]
    np.testing.assert_allclose(kept["codes"]["1"], codes[given.y_test == 1].mean(0), rtol=1e-4)
    assert kept["atom_labels"].count(-1) == 2


def test_codes_are_those_of_the_classes_asked_for(given):
    model = CrossLabelClassifier(atoms_per_class=3, random_state=0)
    cell = replace(fitted(given, model), codes_of=(10, 4))  # the digits 9 and 3
    kept = extras(("codes",), cell)["codes"]
    assert list(kept) == ["9", "3"]
    codes = np.abs(model.transform(given.X_test))
    np.testing.assert_allclose(kept["9"], codes[given.y_test == 9].mean(0), rtol=1e-4)
    # A class without test samples, or that is not there, has no mean.
    assert extras(("codes",), replace(cell, codes_of=(11,)))["codes"] == {}


def test_the_size_is_that_of_the_pickled_model(given):
    cell = fitted(given, CRC())
    assert extras(("size",), cell) == {"model_bytes": len(pickle.dumps(cell.model))}


def test_numbers_keep_six_digits(given):
    class Traced(CRC):
        objective_trace_ = (1234567.0, 0.0001234567, 1.0)

    cell = fitted(given, CRC())
    kept = extras(("trace",), replace(cell, model=Traced()))
    assert kept["trace"] == [1234570.0, 0.000123457, 1.0]


def test_a_method_without_a_trace_keeps_none(given):
    assert extras(("trace",), fitted(given, CRC())) == {}


def test_the_choice_of_cross_validation_is_always_kept(given):
    model = CrossLabelClassifierCV(
        atoms_per_class=(2,), ridges=(1e-3, 1e-2), suppressions=(2e3,), groupings=(0.02,), cv=2
    )
    kept = extras((), fitted(given, model.set_params(random_state=0)))
    assert kept["chosen"]["ridge"] == model.ridge_


def test_atoms_are_written_as_pictures(given, tmp_path):
    cell = fitted(given, CrossLabelClassifier(atoms_per_class=3, random_state=0))
    place = tmp_path / "atoms.npz"
    assert write_dictionary(place, cell)
    with np.load(place) as stored:
        assert stored["atoms"].shape == (30, 64)
        assert stored["image_shape"].tolist() == [8, 8]
        assert stored["classes"].tolist() == given.names
        np.testing.assert_allclose(
            stored["atoms"] @ given.pipeline[-1].components_.T, cell.model.dictionary_, atol=1e-5
        )


def test_nothing_is_written_where_there_are_no_atoms_or_no_way_back(given, tmp_path):
    assert not write_dictionary(tmp_path / "a.npz", fitted(given, CRC()))
    lost = fitted(given._replace(pipeline=[]), CrossLabelClassifier(random_state=0))
    assert not write_dictionary(tmp_path / "a.npz", lost)
    assert not list(tmp_path.glob("a.npz"))
