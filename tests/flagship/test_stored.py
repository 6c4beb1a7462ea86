"""The flagship's state holds what was learnt; the rule follows from it."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from crosslabel import CrossLabelClassifier
from crosslabel.flagship.fitted import Fitted
from crosslabel.flagship.stored import from_state
from tests.methods.test_methods import faces


@pytest.fixture
def fitted():
    return CrossLabelClassifier(atoms_per_class=3, shared_atoms=2, random_state=0).fit(*faces())


def test_pickles_and_copies_predict_the_same_without_holding_the_rule(fitted):
    X, _ = faces()
    assert not any("prepared" in view for view in fitted.__getstate__()["_fitted"]["views"])
    for again in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))
        assert again._fitted.view.layout == fitted._fitted.view.layout


def test_a_model_before_fit_has_nothing_to_prepare():
    again = pickle.loads(pickle.dumps(CrossLabelClassifier(ridge=0.3)))
    assert again.get_params() == clone(again).get_params()
    assert not hasattr(again, "_fitted")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rule": "other"}, "there is no rule 'other'"),
        ({"atom_labels": np.zeros(3, int)}, "does not list the shared atoms|has 3 atoms"),
        ({"atom_labels": np.full(14, 2**60)}, "does not list atoms of 4 classes"),
        ({"dictionary": np.zeros((1, 30))}, "has 14 atoms"),
    ],
)
def test_a_state_that_does_not_fit_together_is_refused(fitted, change, reason):
    state = fitted.__getstate__()
    state["_fitted"]["views"][0] |= change
    with pytest.raises(ValueError, match=reason):
        CrossLabelClassifier().__setstate__(state)


@pytest.mark.parametrize(
    ("solver", "now"), [("class", ("exact", np.inf)), ("gauss-seidel", ("gauss-seidel", 2.0))]
)
def test_the_class_solver_of_earlier_files_is_infinite_suppression(solver, now, monkeypatch):
    monkeypatch.setattr(Fitted, "from_earlier", lambda state: "model")
    earlier = {"dictionary_": np.eye(2), "solver": solver, "suppression": 2.0, "ridge": 0.3}
    found = from_state(earlier)
    assert (found["solver"], found["suppression"]) == now
    assert (found["_fitted"], found["scale"], found["ridge"]) == ("model", "unit", 0.3)
