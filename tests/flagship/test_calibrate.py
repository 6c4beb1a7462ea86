import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.calibration import fit_temperature
from crosslabel.core.grouped import learn_grouped
from crosslabel.core.moments import Moments
from crosslabel.core.rules import RULES
from crosslabel.flagship import calibrate
from crosslabel.flagship.calibrate import _held_out, calibrated
from crosslabel.flagship.choice import Member
from crosslabel.flagship.train import learn
from tests.flagship.problems import problem_of


def naive_held_out(problem):
    """Rows that classes of at least four samples give up: a fourth of theirs, at most three."""
    labels, rows, classes = problem.summary.sample.labels.tolist(), [], []
    for c in range(problem.layout.n_classes):
        own = [i for i, label in enumerate(labels) if label == c]
        if len(own) >= 4:
            rows += own[: min(3, len(own) // 4)]
            classes.append(c)
    return rows, classes


@pytest.mark.parametrize("sizes", [(8, 9, 10), (3, 4, 30), (7, 12, 16), (3, 16, 8), (8, 9)])
def test_classes_give_up_a_fourth_of_their_samples_and_three_at_most(sizes):
    problem = problem_of(sizes)
    rows, classes = naive_held_out(problem)
    found = _held_out(problem)
    assert_array_equal(found.rows, rows)
    assert_array_equal(found.classes, classes)
    sample = problem.summary.sample
    left = np.setdiff1d(np.arange(len(sample.X)), rows)
    left = left[np.isin(sample.labels[left], classes)]
    numbers = np.searchsorted(classes, sample.labels[left])
    expected = Moments.from_samples(sample.X[left], numbers, len(classes), sample.weights[left])
    assert_allclose(found.left.counts, expected.counts)
    assert_allclose(found.left.means, expected.means)
    for mine, theirs in zip(found.left.scatters, expected.scatters):
        assert_allclose(mine.matrix(), theirs.matrix(), atol=1e-12)


@pytest.mark.parametrize(("sizes", "kept"), [((3, 3, 3), 100), ((9,), 100), ((9, 9), 5)])
def test_nothing_can_be_held_out(sizes, kept):
    """Too few samples, a single class, samples that were left out."""
    problem = problem_of(sizes, kept=kept)
    member = Member(problem.summary.lift, problem.settings, "local")
    assert calibrated(problem, member, learn(problem)) == 1.0


@pytest.mark.parametrize(
    ("most", "places"), [(3, [0, 2, 4]), (2, [0, 4]), (5, range(5)), (9, range(5))]
)
def test_classes_are_spread_over_the_canonical_order(monkeypatch, most, places):
    monkeypatch.setattr(calibrate, "CLASSES", most)
    problem = problem_of((8,) * 5)
    assert_array_equal(_held_out(problem).classes, sorted(problem.canonical[list(places)]))


def test_sixteen_classes_are_enough():
    assert len(_held_out(problem_of((4,) * 20)).classes) == 16


@pytest.mark.parametrize("rule", ["global", "local"])
def test_the_temperature_is_that_of_samples_that_their_class_has_not_seen(rule):
    problem = problem_of((8, 9, 3), ridge=0.1, grouping=0.2)
    solution = learn(problem)
    before = solution.dictionary.copy()
    sample, layout = problem.summary.sample, problem.layout
    rows, classes = naive_held_out(problem)
    D = solution.dictionary.copy()
    for c in classes:
        left = [i for i in np.flatnonzero(sample.labels == c) if i not in rows]
        alone = Moments.from_samples(sample.X[left], np.zeros(len(left), int), 1)
        part = AtomLayout(0, (layout.per_class[c],))
        D[layout.own(c)] = learn_grouped(alone, part, problem.settings.penalties).dictionary
    scores = RULES[rule](D, layout, 0.1).scores(sample.X[rows])
    expected = fit_temperature(scores, sample.labels[rows], np.ones(len(rows)))
    member = Member(problem.summary.lift, problem.settings, rule)
    assert_allclose(calibrated(problem, member, solution), expected, rtol=1e-4)
    assert_array_equal(solution.dictionary, before)


def test_two_classes_are_enough_to_learn_a_temperature_from():
    problem = problem_of((8, 9), ridge=0.1)
    member = Member(problem.summary.lift, problem.settings, "local")
    assert calibrated(problem, member, learn(problem)) != 1.0
