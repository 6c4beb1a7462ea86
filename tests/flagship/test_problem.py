import numpy as np
import pytest
from numpy.testing import assert_array_equal

from crosslabel import CrossLabelClassifier
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.code_blocks import UndeterminedCodesError
from crosslabel.core.grouped import learn_grouped
from crosslabel.core.objective import Penalties
from crosslabel.core.spectral import closed_form
from crosslabel.flagship.problem import USUAL_ATOMS, Problem, Settings, Wish, wanted_atoms
from tests.flagship.problems import problem_of, summary_of


def test_the_closed_form_needs_an_infinite_suppression_its_own_start_and_solver():
    assert Settings().is_closed_form
    assert not Settings(suppression=2e3).is_closed_form
    assert not Settings(init="kmeans").is_closed_form
    assert not Settings(init=np.eye(3)).is_closed_form
    assert not Settings(solver="paper").is_closed_form
    assert Settings(solver="accelerated").is_closed_form


def test_settings_are_compared_by_what_they_hold_arrays_too():
    some = {"atoms_per_class": np.array([2, 3]), "init": np.eye(3)}
    copied = Settings(**{name: value.copy() for name, value in some.items()})
    assert Settings(**some).equals(copied)
    for other in ({"atoms_per_class": [2, 4]}, {"init": 2 * np.eye(3)}, {"init": "kmeans"}):
        assert not Settings(**some).equals(Settings(**{**some, **other}))
    assert Settings().equals(Settings())
    assert not Settings().equals(Settings(grouping=0.1))


def test_parameters_that_are_named_become_settings():
    named = {"shared_atoms": 2, "ridge": 0.3, "suppression": 5, "grouping": 1, "init": "kmeans"}
    named |= {"max_iter": 7, "tol": 0.01, "solver": "accelerated", "atoms_per_class": 4}
    model = CrossLabelClassifier(**named)
    assert Settings.of(model, 9).equals(Settings(**named, seed=9))
    assert Settings.of(CrossLabelClassifier(), 0).equals(Settings(USUAL_ATOMS, ridge=0.0))


def test_samples_on_a_device_are_learnt_from_there_whatever_is_named():
    model = CrossLabelClassifier(device="cpu")
    assert Settings.of(model, 0).device == "cpu"
    assert Settings.of(model, 0, "cuda:1").device == "cuda:1"
    assert Wish.of(model, 0, "cuda:1").settings.device == "cuda:1"


def test_a_wish_is_what_the_parameters_name():
    named = {"rule": "local", "ridge": 0.3, "shrinkage": 0.2, "scale": "standard", "offset": 2.0}
    named |= {"kernel": "rbf", "n_landmarks": 5}
    wish = Wish.of(CrossLabelClassifier(**named, atoms_per_class=3), 8)
    assert wish == Wish(Settings(3, ridge=0.3, seed=8), **named)
    assert Wish.of(CrossLabelClassifier(), 0).free_atoms
    assert not wish.free_atoms


def test_the_penalties_are_ridge_suppression_and_grouping():
    assert Settings(ridge=0.1, suppression=5, grouping=2).penalties == Penalties(0.1, 5.0, 2.0)


def test_grouping_decides_what_is_learnt_at_infinite_suppression():
    assert Settings().limit is closed_form
    assert Settings(grouping=1e-3).limit is learn_grouped


@pytest.mark.parametrize(
    ("named", "is_open"),
    [
        ({}, True),
        ({"rule": "local"}, True),
        ({"ridge": 0.1}, True),
        ({"rule": "joint", "ridge": 0.1}, True),
        ({"rule": "local", "ridge": 0.1}, False),
        ({"rule": "global", "ridge": 0.1}, False),
    ],
)
def test_a_wish_is_open_unless_rule_and_ridge_are_named(named, is_open):
    assert Wish(Settings(), **named).is_open == is_open


NAMED = {"rule": "local", "ridge": 0.1}


@pytest.mark.parametrize(
    ("settings", "named", "parts"),
    [
        ({}, NAMED, True),
        ({"grouping": 0.1}, NAMED, True),
        ({}, {"rule": "local"}, False),
        ({"shared_atoms": 1}, NAMED, False),
        ({"suppression": 2.0}, NAMED, False),
        ({"init": "kmeans"}, NAMED, False),
    ],
)
def test_classes_part_where_nothing_is_shared_or_chosen(settings, named, parts):
    assert Wish(Settings(**settings), **named).parts_classes == parts


@pytest.mark.parametrize(
    ("settings", "named", "there"),
    [
        ({}, NAMED, True),
        ({"device": None}, NAMED, False),
        ({"grouping": 0.1}, NAMED, False),
        ({}, {"rule": "local"}, True),
        ({}, {}, True),
        ({}, {"kernel": "rbf"}, True),
        ({}, {"kernel": np.dot}, False),
        ({"shared_atoms": 2}, {}, False),
        ({"suppression": 2.0}, {}, False),
        ({}, NAMED | {"scale": "unit", "kernel": "linear", "offset": 1.0}, True),
        ({}, NAMED | {"scale": "standard"}, True),
        ({}, NAMED | {"scale": "none"}, False),
        ({}, NAMED | {"kernel": "poly"}, True),
    ],
)
def test_what_a_device_learns(settings, named, there):
    assert Wish(Settings(**{"device": "cpu", **settings}), **named).is_for_device == there


def test_classes_without_samples_have_a_place_without_atoms():
    problem = problem_of(classes=[-5, 0, 7, 10, 20], atoms_per_class=[9, 2, 9, 3, 4])
    assert_array_equal(problem.seen, [1, 3, 4])
    assert problem.layout == AtomLayout(0, (2, 3, 4))
    assert problem.with_places(problem.layout) == AtomLayout(0, (0, 2, 0, 3, 4))


def test_no_class_has_more_atoms_than_distinct_samples_unless_they_are_given():
    layouts = [
        problem_of((2, 9, 4), init=init, shared_atoms=2, atoms_per_class=5).layout
        for init in ("spectral", "kmeans", np.ones((17, 12)))
    ]
    assert layouts == [AtomLayout(2, (2, 5, 4))] * 2 + [AtomLayout(2, (5, 5, 5))]


@pytest.mark.parametrize(("n_features", "bound"), [(12, 9), (4, 4)])
def test_samples_that_were_left_out_count_by_the_rank_of_their_scatter(n_features, bound):
    """Nine samples: a mean and eight rows of a factor, or a matrix of four features."""
    whole = problem_of((3, 9), n_features)
    assert_array_equal(whole.distinct, [3, 9])
    few = problem_of((3, 9), n_features, kept=3)
    assert_array_equal(few.distinct, [3, bound])


def test_kept_samples_count_where_they_are_more_than_the_rank():
    X = np.random.default_rng(0).normal(size=(40, 2))
    summary = summary_of(X, np.zeros(40, int), size=7)
    problem = Problem(summary, Settings(atoms_per_class=9), summary.classes)
    assert_array_equal(problem.distinct, [7])


def test_the_canonical_order_does_not_depend_on_names():
    X, y = np.random.default_rng(0).normal(size=(12, 5)), np.repeat([0, 1, 2], 4)
    names = np.array([7, 3, 5])
    orders = [
        Problem(s, Settings(), s.classes).canonical
        for s in (summary_of(X, y), summary_of(X, names[y]))
    ]
    assert_array_equal(names[orders[0]], np.sort(names)[orders[1]])


@pytest.mark.parametrize("wrong", [2.5, [1, 2], [[1, 2, 3]], "3"])
def test_atoms_are_one_integer_or_one_for_each_class(wrong):
    with pytest.raises(ValueError, match="one integer for each of the 3 classes"):
        wanted_atoms(wrong, 3)


def test_every_class_needs_an_atom():
    with pytest.raises(ValueError, match="at least one atom, but atoms_per_class has 0"):
        wanted_atoms([3, 0, 2], 3)
    assert_array_equal(wanted_atoms(1, 2), [1, 1])
    assert_array_equal(wanted_atoms([1, 4], 2), [1, 4])


def test_an_error_about_a_class_comes_out_under_its_name():
    problem = problem_of(classes=[-5, 0, 7, 10, 20], atoms_per_class=2)
    with (
        pytest.raises(UndeterminedCodesError, match="class 20"),
        problem.naming(np.array([2, 0, 1])),
    ):
        raise UndeterminedCodesError(0, 2, 0.0)


@pytest.mark.parametrize("suppression", [np.inf, 2.0])
@pytest.mark.parametrize("free", [True, False])
def test_numbers_of_atoms_are_tried_where_they_are_free_and_cost_little(suppression, free):
    settings = Settings(suppression=suppression)
    assert Wish(settings, free_atoms=free).tries_atoms == (free and suppression == np.inf)
