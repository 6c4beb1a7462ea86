from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.discriminant import discriminant
from crosslabel.core.grouped import learn_grouped
from crosslabel.core.rotation import exemplars
from crosslabel.core.scaling import unit_rows
from crosslabel.core.spectral import closed_form
from crosslabel.flagship.calibrate import calibrated
from crosslabel.flagship.choice import Choice, Member
from crosslabel.flagship.problem import Problem, Settings
from crosslabel.flagship.start import start
from crosslabel.flagship.train import (
    Before,
    Known,
    continued,
    learn,
    likeness,
    train,
    unchanged,
    view_of,
    warm_dictionary,
)
from tests.core.problems import samples
from tests.flagship.problems import problem_of, summary_of


def member_of(problem, **more):
    return Member(problem.summary.lift, problem.settings, "local", **more)


def trained(problem, *members, **more):
    members = members or (member_of(problem, share=2.0),)
    summaries = [problem.summary] * len(members)
    return train(summaries, Choice(members, {"local": 0.5}), problem.classes, **more)


def test_a_model_holds_what_was_learnt():
    problem, told = problem_of(), []
    solution = learn(problem)
    fitted = trained(problem, callback=lambda *news: told.append(news))
    assert_allclose(fitted.view.dictionary, solution.dictionary)
    assert_allclose(fitted.trace, solution.trace)
    assert fitted.rule_scores == {"local": 0.5}
    assert fitted.view.share == 2.0
    assert told == [(0, solution.trace[-1])]
    assert_allclose(np.concatenate(fitted.apart), np.concatenate(solution.apart))


def test_unused_atoms_are_told_by_their_numbers():
    """An atom beyond the samples' span takes no code."""
    X, labels = samples(np.random.default_rng(0), (6, 6), 12)
    X[:, -1] = 0
    D = np.random.default_rng(1).normal(size=(4, 12))
    D[:, -1] = 0
    D[2] = np.eye(12)[-1]
    summary = summary_of(X, labels)
    settings = Settings(atoms_per_class=2, suppression=5.0, init=D, max_iter=2)
    assert_array_equal(trained(Problem(summary, settings, summary.classes)).unused, [2])


def test_each_view_is_learnt_with_its_own_settings_and_only_the_first_tells():
    problem, told = problem_of(), []
    other = member_of(problem, share=3.0)
    other = replace(other, settings=replace(problem.settings, ridge=0.5), rule="global")
    fitted = trained(
        problem, member_of(problem, share=2.0), other, callback=lambda *news: told.append(news)
    )
    assert len(told) == 1
    assert [view.rule for view in fitted.views] == ["local", "global"]
    second = learn(Problem(problem.summary, other.settings, problem.classes), is_shown=False)
    assert_allclose(fitted.views[1].dictionary, second.dictionary)
    assert_allclose(fitted.trace, learn(problem).trace)


@pytest.mark.parametrize(
    ("shrinkage", "share", "is_there"), [(0.3, 0.7, True), (0.3, 0.0, False), (None, 0.7, False)]
)
def test_a_discriminant_is_there_where_it_has_a_say(shrinkage, share, is_there):
    problem = problem_of()
    member = member_of(problem, share=1.0, shrinkage=shrinkage, discriminant_share=share)
    view = view_of(problem, member, learn(problem))
    assert view.discriminant_share == share
    assert (view.discriminant is not None) == is_there
    if is_there:
        expected = discriminant(problem.moments, 0.3)
        assert_allclose(view.discriminant.weights, expected.weights)
        assert_allclose(view.discriminant.offsets, expected.offsets)


def test_a_share_that_is_open_is_calibrated():
    problem = problem_of()
    solution, member = learn(problem), member_of(problem)
    assert view_of(problem, member, solution).share == calibrated(problem, member, solution)


def test_a_class_without_samples_has_the_lowest_score_for_any_unit_query():
    problem = problem_of(classes=[-5, 0, 7, 10, 20])
    member = member_of(problem, share=1.0, shrinkage=0.3, discriminant_share=0.7)
    view = view_of(problem, member, learn(problem))
    assert view.layout.per_class == (0, 3, 0, 3, 3)
    linear, seen = view.discriminant, [1, 3, 4]
    expected = discriminant(problem.moments, 0.3)
    assert_allclose(linear.weights[seen], expected.weights)
    assert_allclose(linear.offsets[seen], expected.offsets)
    assert_array_equal(linear.weights[[0, 2]], 0)
    queries = np.sign(np.random.default_rng(0).normal(size=(50, 12)))  # the largest in each feature
    scores = linear.scores(queries)
    assert (scores[:, [0, 2]].max(axis=1) <= scores[:, seen].min(axis=1)).all()
    assert_allclose(linear.offsets[[0, 2]], expected.offsets.min() - abs(expected.weights).sum())


def grown(problem, label, n_more=3):
    """The problem after a batch of one more class's samples, and the model before it."""
    X = np.random.default_rng(8).normal(size=(n_more, 12))
    summary = problem.summary.absorb(X, np.full(n_more, label))
    return Problem(summary, problem.settings, summary.classes)


def test_classes_that_have_not_changed_keep_their_atoms():
    problem = problem_of((8, 9, 10))
    fitted = trained(problem)
    before = Before(problem.summary, fitted)
    same = unchanged(problem, before)
    assert sorted(same) == [0, 1, 2]
    after = grown(problem, 10)
    known = unchanged(after, before)
    assert sorted(known) == [0, 2]
    for c, (atoms, value) in known.items():
        assert_array_equal(atoms, fitted.view.dictionary[problem.layout.own(c)])
        assert value == fitted.apart[c][-1]
    # A class that comes first moves the others' places.
    known = unchanged(grown(problem, -3), before)
    assert sorted(known) == [1, 2, 3]
    assert_array_equal(known[1].atoms, fitted.view.dictionary[problem.layout.own(0)])


def test_nothing_is_kept_under_other_settings_or_without_a_choice():
    problem = problem_of((8, 9, 10))
    fitted = trained(problem)
    other = Problem(problem.summary, replace(problem.settings, ridge=0.5), problem.classes)
    assert unchanged(other, Before(problem.summary, fitted)) == {}
    assert unchanged(problem, Before(problem.summary, replace(fitted, choice=None))) == {}
    assert unchanged(problem, Before(problem.summary, replace(fitted, apart=()))) == {}
    finite = problem_of((8, 9, 10), suppression=5.0)
    assert unchanged(finite, Before(finite.summary, trained(finite))) == {}


def test_a_class_whose_number_of_atoms_changed_is_learnt_anew():
    problem = problem_of((2, 9), atoms_per_class=3)
    fitted = trained(problem)
    wider = replace(fitted.view, layout=type(problem.layout)(0, (3, 2)))
    known = unchanged(problem, Before(problem.summary, replace(fitted, views=(wider,))))
    assert known == {}


def test_another_count_is_another_class():
    problem = problem_of((8, 9))
    fitted = trained(problem)
    moments = problem.summary.statistics.moments
    changed = replace(moments, counts=moments.counts + np.array([1.0, 0.0]))
    statistics = replace(problem.summary.statistics, moments=changed)
    after = Problem(
        replace(problem.summary, statistics=statistics), problem.settings, problem.classes
    )
    assert sorted(unchanged(after, Before(problem.summary, fitted))) == [1]


def test_a_model_goes_on_from_its_dictionary_with_a_start_for_new_classes():
    problem = problem_of((8, 9, 10), shared_atoms=1, suppression=5.0)
    fitted = trained(problem)
    after = grown(problem, 5, 6)
    D, fresh = continued(after, fitted), start(after)
    assert_array_equal(D[:1], fitted.view.dictionary[:1])
    for c, b in {0: 0, 2: 1, 3: 2}.items():
        assert_array_equal(D[after.layout.own(c)], fitted.view.dictionary[problem.layout.own(b)])
    assert_allclose(D[after.layout.own(1)], fresh[after.layout.own(1)])


def test_a_model_of_other_shared_atoms_or_none_is_no_start():
    problem = problem_of((8, 9, 10), suppression=5.0)
    fitted, fresh = trained(problem), start(problem)
    assert_allclose(continued(problem, None), fresh)
    shared = problem_of((8, 9, 10), shared_atoms=2, suppression=5.0)
    assert_allclose(continued(shared, fitted), start(shared))
    other = problem_of((8, 9, 10), atoms_per_class=2, suppression=5.0)
    assert_allclose(continued(other, fitted), start(other))


def test_a_model_of_none_of_the_classes_is_no_start():
    problem = problem_of(atoms_per_class=1, shared_atoms=1, suppression=5.0)
    fitted = replace(trained(problem), classes=np.array([97, 98, 99]))
    assert_allclose(continued(problem, fitted), start(problem))


def test_a_dictionary_to_start_from_serves_the_first_view_alone():
    problem = problem_of(suppression=5.0, max_iter=1)
    first = learn(problem).dictionary
    members = member_of(problem, share=1.0), member_of(problem, share=1.0)
    once, twice = start(problem), learn(problem, first=first).dictionary
    fitted = trained(problem, *members, first=first)
    assert_allclose(fitted.views[0].dictionary, twice)
    assert_allclose(fitted.views[1].dictionary, learn(problem, first=once).dictionary)
    warm = trained(problem, *members, warm=trained(problem, first=first))
    assert_allclose(warm.views[0].dictionary, learn(problem, first=twice).dictionary)
    assert_allclose(warm.views[1].dictionary, learn(problem, first=once).dictionary)


def test_a_class_that_grows_gets_a_start_of_its_own():
    few = problem_of((2, 9, 10), suppression=5.0)
    fitted = trained(few)
    after = grown(few, 0)
    D = continued(after, fitted)
    assert_allclose(D[after.layout.own(0)], start(after)[after.layout.own(0)])
    assert_array_equal(D[after.layout.own(1)], fitted.view.dictionary[few.layout.own(1)])


@pytest.mark.parametrize(("n_given", "fits"), [(10, True), (16, True), (12, False), (15, False)])
def test_a_dictionary_that_is_given_serves_the_seen_or_all_classes(n_given, fits):
    init = np.random.default_rng(0).normal(size=(n_given, 12))
    problem = problem_of(classes=[0, 5, 10, 15, 20], init=init, suppression=5.0, shared_atoms=1)
    found = continued(problem, None)
    assert (found is not None) == fits
    if fits:
        assert_allclose(found, start(problem))


def test_a_given_dictionary_is_not_mixed_with_what_was_learnt_unless_all_classes_stay():
    init = np.random.default_rng(0).normal(size=(9, 12))
    problem = problem_of((8, 9, 10), init=init, suppression=5.0)
    fitted = trained(problem)
    assert_array_equal(continued(problem, fitted), fitted.view.dictionary)
    renamed = replace(fitted, classes=np.array([0, 10, 99]))
    assert_allclose(continued(problem, renamed), start(problem))


def test_a_warm_start_is_the_dictionary_before_where_it_fits():
    problem = problem_of((8, 9, 10), suppression=5.0)
    fitted = trained(problem)
    assert_array_equal(warm_dictionary(problem, fitted), fitted.view.dictionary)
    assert warm_dictionary(problem, None) is None
    assert warm_dictionary(problem_of((8, 9, 10), atoms_per_class=2), fitted) is None
    assert warm_dictionary(problem_of((8, 9, 10), n_features=11), fitted) is None
    renamed = replace(fitted, classes=np.array([0, 10, 99]))
    assert warm_dictionary(problem, renamed) is None
    again = trained(problem, warm=fitted)
    assert again.trace[0] <= fitted.trace[-1] + 1e-12


def own_samples(problem, c):
    sample = problem.summary.sample
    return sample.X[sample.labels == c]


def test_the_atoms_of_a_class_shall_look_like_its_own_samples():
    problem = problem_of((4, 7, 5), atoms_per_class=(2, 3, 4), shared_atoms=2)
    rows = likeness(problem, np.arange(3))
    assert_array_equal(rows[:2], 0)
    for c in range(3):
        own = own_samples(problem, c)
        assert_allclose(
            rows[problem.layout.own(c)], own[exemplars(own, problem.layout.per_class[c])]
        )
    some = likeness(problem, np.array([2, 0]))
    assert_allclose(
        some, np.concatenate([rows[problem.layout.own(2)], rows[problem.layout.own(0)]])
    )


def test_too_few_samples_are_no_likeness():
    problem = problem_of((4, 7, 5), kept=3, atoms_per_class=4)
    assert likeness(problem, np.arange(3)) is None
    one = problem_of((3, 7, 5), kept=3, atoms_per_class=4)  # one class has no more than three
    assert likeness(one, np.arange(3)) is None
    enough = problem_of((4, 7, 5), kept=4, atoms_per_class=4)
    assert likeness(enough, np.arange(3)).shape == (12, 12)


@pytest.mark.parametrize("grouping", [0.0, 0.3])
@pytest.mark.parametrize("shared", [0, 2])
def test_at_infinite_suppression_the_closed_form_is_learnt(shared, grouping):
    problem, told = problem_of(shared_atoms=shared, grouping=grouping), []
    found = learn(problem, lambda *news: told.append(news))
    expected = (learn_grouped if grouping else closed_form)(
        problem.moments,
        problem.layout,
        problem.settings.penalties,
        likeness(problem, np.arange(3)),
    )
    assert_allclose(found.dictionary, expected.dictionary, atol=1e-10)
    assert told == [(0, found.trace[-1])]


@pytest.mark.parametrize("new", [[0], [2], [0, 1], [1, 2]])
def test_classes_that_are_known_stay_and_the_others_are_learnt(new):
    problem = problem_of((4, 7, 5), atoms_per_class=(2, 3, 4), grouping=0.2)
    layout, whole = problem.layout, learn(problem)
    rng = np.random.default_rng(0)
    known = {
        c: Known(unit_rows(rng.normal(size=(layout.per_class[c], 12))), 100.0 + c)
        for c in range(3)
        if c not in new
    }
    found = learn(problem, known=known)
    for c in range(3):
        expected = whole.dictionary[layout.own(c)] if c in new else known[c].atoms
        assert_allclose(found.dictionary[layout.own(c)], expected, atol=1e-6)
        value = whole.apart[c][-1] if c in new else 100.0 + c
        assert_allclose(found.apart[c], [value], rtol=1e-6)
    assert_allclose(found.trace, [sum(part[-1] for part in found.apart)])
    assert not found.unused.any()


def test_all_classes_known_leaves_nothing_to_learn():
    problem = problem_of((4, 7, 5))
    whole = learn(problem)
    known = {c: Known(whole.dictionary[problem.layout.own(c)], 1.0 + c) for c in range(3)}
    found = learn(problem, known=known)
    assert_array_equal(found.dictionary, whole.dictionary)
    assert found.trace == [6.0]


def test_with_shared_atoms_no_class_is_known():
    problem = problem_of(shared_atoms=2)
    whole = learn(problem)
    found = learn(problem, known={0: Known(np.eye(12)[:3], 7.0)})
    assert_allclose(found.dictionary, whole.dictionary)
    assert_allclose(found.trace, whole.trace)


def test_a_choice_is_of_the_samples_that_chose_or_of_all():
    problem = problem_of((4, 7, 5))
    members, summaries = (member_of(problem, share=1.0),), [problem.summary]
    for given, known in [(0.0, 16), (7.0, 7)]:
        choice = Choice(members, {"local": 0.5}, n_samples=given)
        assert train(summaries, choice, problem.classes).choice.n_samples == known


def test_classes_of_one_size_may_have_unlike_atoms():
    problem = problem_of((5, 5, 5), atoms_per_class=(2, 4, 3))
    rows = likeness(problem, np.arange(3))
    for c, n_atoms in enumerate((2, 4, 3)):
        own = own_samples(problem, c)
        assert_allclose(rows[problem.layout.own(c)], own[exemplars(own, n_atoms)])
