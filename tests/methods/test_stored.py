"""What a file says that a method has learnt must fit together."""

import numpy as np
import pytest

from crosslabel import DPL, FDDL, LLC, LRC, RCR, SRC, GrassmannCoding
from crosslabel.core.atoms import AtomLayout
from crosslabel.files.budget import OverBudget
from crosslabel.methods import grassmann_coding, rcr, stored
from crosslabel.methods.stored import check_codes, check_learnt
from tests.methods.test_methods import CLASSES, faces, method

FITTED = {
    "SRC": SRC().fit(*faces()),
    "LRC": LRC().fit(*faces()),
    "FDDL": method(FDDL).fit(*faces()),
}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_what_was_learnt_fits_together(cls):
    check_learnt(vars(method(cls).fit(*faces())))


def test_an_unfitted_method_has_nothing_to_check():
    check_learnt(vars(SRC()))


@pytest.mark.parametrize(
    ("name", "attribute", "value", "reason"),
    [
        ("SRC", "_class_order", np.zeros(4, int), "every class once"),
        ("SRC", "_class_order", np.arange(1, 5), "_class_order has values"),
        ("SRC", "_parts", [slice(0, 32)], "not of 4 classes"),
        ("SRC", "_parts", [slice(0, 32)] * 4, "follow one another"),
        ("SRC", "_parts", [slice(0, 8, 2), slice(8, 16), slice(16, 24), slice(24, 32)], "follow"),
        ("SRC", "_parts", [slice(0, 8), slice(8, 16), slice(16, 24), slice(24, 99)], "32 samples"),
        ("SRC", "_parts", [slice(0, 8), slice(8, None)] + [slice(None)] * 2, "follow"),
        ("SRC", "_parts", [slice(0, 8), slice(8, 4), slice(4, 24), slice(24, 32)], "follow"),
        ("SRC", "dictionary_", np.zeros(32), "must have 2 axes"),
        ("SRC", "classes_", np.arange(3), "_class_order has shape|_class_order has values"),
        ("LRC", "_starts", np.array([0, 1, 2]), "part the vectors"),
        ("LRC", "_starts", np.array([0, 9, 2, 3, 24]), "part the vectors|_starts has values"),
        ("LRC", "_starts", FITTED["LRC"]._starts[[0, 2, 1, 3, 4]], "part the vectors"),
        ("FDDL", "_layout", AtomLayout(0, (3, 3, 3, 4)), "12 atoms"),
        ("FDDL", "_layout", AtomLayout(0, (3, 3, 3, 3.0)), "other than whole numbers"),
        ("FDDL", "_layout", (3, 3, 3, 3), "no layout of atoms"),
        ("FDDL", "means_", np.zeros((4, 11)), "means_ has shape"),
    ],
)
def test_attributes_that_do_not_fit(name, attribute, value, reason):
    with pytest.raises(ValueError, match=reason):
        check_learnt(vars(FITTED[name]) | {attribute: value})


def test_a_class_may_have_no_vector():
    """As one whose samples are all zero."""
    X, y = faces()
    model = LRC().fit(np.where((y == y[0])[:, None], 0.0, X), y)
    assert 0 in np.diff(model._starts)
    check_learnt(vars(model))


def test_each_feature_may_be_a_group_of_its_own():
    X, y = faces()
    model = RCR().fit(X[:, :9], y)
    model._columns = [np.array([k]) for k in range(9)]
    model.check_stored()


def test_what_follows_from_a_layout_is_dropped():
    layout = AtomLayout(0, (3, 3, 3, 3))
    vars(layout)["starts"] = np.array([0, 10**6])
    check_learnt(vars(FITTED["FDDL"]) | {"_layout": layout})
    assert layout.starts.tolist() == [0, 3, 6, 9, 12]


@pytest.mark.parametrize(
    ("shape", "robust"), [((50_000, 1), False), ((4, 20_000), True)], ids=["atoms", "identity"]
)
def test_products_of_many_atoms_are_counted(shape, robust):
    n_atoms, n_features = shape
    state = vars(FITTED["SRC"]) | {
        "dictionary_": np.zeros(shape),
        "n_features_in_": n_features,
        "robust": robust,
        "_parts": [slice(n_atoms * c // 4, n_atoms * (c + 1) // 4) for c in range(4)],
    }
    with pytest.raises(OverBudget, match=f"of {n_atoms} atoms of {n_features} features"):
        check_learnt(state)


@pytest.mark.parametrize(
    ("model", "names"), [(RCR(), ("_basis", "_groups")), (DPL(), ("_grams",))], ids=["RCR", "DPL"]
)
def test_what_follows_from_samples_is_neither_stored_nor_believed(model, names):
    """Groups that a file holds twenty thousand times took five seconds of a query."""
    X, y = faces()
    expected = model.fit(X, y).decision_function(X[:2])
    assert set(names) <= set(vars(model))
    assert not set(names) & set(model.__getstate__())
    for name in names:
        vars(model)[name] = [vars(model)[name][0]] * 20_000
    model.check_stored()
    assert not set(names) & set(vars(model))
    np.testing.assert_allclose(model.decision_function(X[:2]), expected)
    again = model.fit(2 - X, y).decision_function(X[:2])
    assert np.abs(again - expected).max() > 1e-3  # nothing of the first samples is left


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ([np.arange(3)] * 5, "every feature once|no list"),
        ([np.arange(9.0)], "_columns is of type float64"),
        ((np.arange(9),), "no list of groups"),
        ([], "no list of groups"),
    ],
)
def test_groups_must_part_the_features(columns, reason):
    X, y = faces()
    model = RCR().fit(X[:, :9], y)
    model._columns = columns
    with pytest.raises(ValueError, match=reason):
        model.check_stored()


def test_rounds_of_a_query_are_counted():
    model = RCR().fit(*faces())
    model.rounds = 1000
    model.check_stored()
    model.rounds = 10**8
    with pytest.raises(OverBudget, match="A query of 100000000 rounds on 4 groups"):
        model.check_stored()


def test_neighbours_of_a_code_are_counted():
    model = LLC(codebook=5, random_state=0).fit(faces()[0])
    model.n_neighbors, model.n_features_in_ = 10**9, 1
    model.codebook_ = np.zeros((1000, 1))
    model.check_stored()  # a thousand atoms are an honest number
    model.codebook_ = np.zeros((50_000, 1))
    with pytest.raises(OverBudget, match="A code of 50000 of 50000 atoms"):
        model.check_stored()
    model.n_neighbors = 5
    model.check_stored()


def test_atoms_of_subspaces_fit_together():
    model = method(GrassmannCoding).fit(*faces())
    model.check_stored()
    model.atoms_ = model.atoms_[:, :-1]
    with pytest.raises(ValueError, match="atoms_ has shape"):
        model.check_stored()


def test_classes_without_atoms_are_counted():
    check_codes(1, np.ones((1, 1)), 100_000)
    with pytest.raises(OverBudget, match="seconds"):
        check_codes(1, np.ones((1, 1)), 10**6)


class Counted:
    """A budget that notes what it is asked."""

    def __init__(self):
        self.bytes, self.work = [], []

    def check(self, name, amount, what):
        self.bytes.append(amount)

    def check_work(self, operations, what):
        self.work.append(operations)


def test_a_code_costs_the_square_and_the_cube_of_its_atoms(monkeypatch):
    counted = Counted()
    monkeypatch.setattr(stored, "budget", lambda: counted)
    check_codes(7, np.ones((5, 3)), 4)
    assert counted.bytes == [16 * 49 - 512 * 15]
    assert counted.work == [7**3 + 4 * stored.WORK_PER_CLASS - 15 * stored.WORK_PER_VALUE]


def test_a_round_of_a_query_costs_its_products(monkeypatch):
    counted, model = Counted(), RCR(rounds=3).fit(*faces())
    monkeypatch.setattr(rcr, "budget", lambda: counted)
    model.check_stored()
    n, m = model.dictionary_.shape
    step = 4 * min(n, m) * m + len(model._columns) * rcr.WORK_PER_STEP
    assert counted.work == [3 * rcr.CG_STEPS * step - n * m * rcr.WORK_PER_VALUE]


def test_atoms_of_a_code_of_subspaces_are_all_or_the_nearest(monkeypatch):
    asked = []
    monkeypatch.setattr(grassmann_coding, "check_codes", lambda *given: asked.append(given[0]))
    model = method(GrassmannCoding).fit(*faces())
    for coding, size in (("sparse", len(model.atoms_)), ("local", 2)):
        model.set_params(coding=coding, n_neighbors=2).check_stored()
        assert asked.pop() == size


def test_two_classes_are_enough_and_one_may_be_empty():
    X, y = faces()
    two = np.isin(y, np.unique(y)[:2])
    check_learnt(vars(SRC().fit(X[two], y[two])))
    stored._check_parts([slice(0, 3), slice(3, 3), slice(3, 5)], 3, 5)
