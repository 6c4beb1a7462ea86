"""What is chosen, for problems whose answer is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.discriminant import discriminant
from crosslabel.core.joint import shares, temperature
from crosslabel.core.moments import Moments
from crosslabel.core.ordering import mixed
from crosslabel.core.rules import RULES
from crosslabel.flagship import choose as module
from crosslabel.flagship.choose import (
    MOST,
    N_FOLDS,
    NEGLIGIBLE,
    RATE,
    Distinct,
    Raced,
    _member,
    average,
    choose,
    grid_of,
    kinds_of,
    most_steps,
    together,
)
from crosslabel.flagship.lifts import LiftPlan
from crosslabel.flagship.problem import Settings, Wish
from crosslabel.flagship.race import Candidate, JointSetting
from crosslabel.intake.checking import Training
from crosslabel.intake.lift import Lift
from tests import naive

WISH = Wish(Settings(atoms_per_class=30))


def distinct(X, labels, weights=None):
    weights = np.ones(len(X)) if weights is None else weights
    return Distinct.of(Training(X, np.unique(labels), labels, weights))


def blobs(n=60, m=6, n_classes=3, seed=0, distance=3.0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    return rng.normal(size=(n, m)) + distance * rng.normal(size=(n_classes, m))[labels], labels


def rings(n, seed=0):
    """Two classes by the distance from a centre: no linear score tells them apart."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + 2 * labels + 0.3 * rng.normal(size=n)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle), rng.normal(size=n)], labels


def test_the_order_of_the_samples_does_not_matter():
    X, labels = blobs()
    order = np.random.default_rng(1).permutation(len(X))
    one, other = choose(distinct(X, labels), WISH), choose(distinct(X[order], labels[order]), WISH)
    assert len(one.members) == len(other.members)
    for a, b in zip(one.members, other.members):
        assert (a.rule, a.settings.ridge, a.shrinkage) == (b.rule, b.settings.ridge, b.shrinkage)
        assert a.share == pytest.approx(b.share, rel=1e-3, abs=1e-6)


def test_kernels_are_taken_where_only_they_can_tell_and_linear_atoms_are_shown():
    members = choose(distinct(*rings(120)), WISH).members
    assert any(member.lift.kernel is not None for member in members)
    curved = [member.lift.kernel is not None for member in members]
    assert curved == sorted(curved)
    X, labels = blobs(n=150, distance=1.0)
    assert all(m.lift.kernel is None for m in choose(distinct(X, labels), WISH).members)


def test_few_samples_of_a_table_choose_a_discriminant_of_its_features():
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(8, 8))
    means, labels = 1.5 * rng.normal(size=(3, 8)), np.arange(15) % 3
    X = (means[labels] + rng.normal(size=(15, 8)) @ mixing) * 10.0 ** np.arange(8)
    members = choose(distinct(X, labels), WISH).members
    assert any(m.lift.keeps_features and m.discriminant_share > 0 for m in members)


def test_what_is_named_is_kept():
    X, labels = blobs()
    wish = Wish(Settings(), ridge=0.3, scale="unit", shrinkage=0.7)
    (member,) = choose(distinct(X, labels), wish).members
    assert member.settings.ridge == 0.3
    assert member.lift.is_plain
    assert member.shrinkage in (None, pytest.approx(0.7))
    (member,) = choose(distinct(X, labels), Wish(Settings(), rule="global", ridge=0.3)).members
    assert (member.rule, member.share, member.shrinkage) == ("global", None, None)
    (member,) = choose(distinct(X, labels), Wish(Settings(), rule="global")).members
    assert member.rule == "global"
    assert member.share > 0


@pytest.mark.parametrize("rule", RULES)
def test_a_named_rule_races_alone(rule):
    wish = Wish(Settings(), rule=rule)
    (kind,) = kinds_of(wish, LiftPlan(Lift()))
    assert kind == ("local" if rule == "local" else "global")
    assert grid_of(wish).global_ridges == grid_of(wish).ridges


def test_more_atoms_are_tried_where_folds_train_with_as_many_samples_of_a_class():
    free = Wish(Settings(atoms_per_class=30), free_atoms=True)
    for n_samples, expected in [(59, (30,)), (60, (30, 60)), (119, (30, 60)), (120, (30, 60, 120))]:
        assert grid_of(free, n_samples).n_atoms == expected
    assert grid_of(WISH, 120).n_atoms == (30,)
    iterated = Wish(Settings(atoms_per_class=30, suppression=20.0), free_atoms=True)
    assert grid_of(iterated, 120).n_atoms == (30,)


def subspaces(n=400, m=160, rank=70, seed=0):
    """Two classes that fill a subspace of many dimensions each: thirty atoms leave half of it."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    X = np.einsum("nr,nrm->nm", rng.normal(size=(n, rank)), rng.normal(size=(2, rank, m))[labels])
    return X + 8 * rng.normal(size=(n, m)), labels


@pytest.mark.parametrize("rule", ["local", "global-length"])
def test_large_classes_get_the_atoms_that_held_out_samples_ask_for(rule):
    X, labels = subspaces()
    settings = Settings(atoms_per_class=30)
    (member,) = choose(distinct(X, labels), Wish(settings, rule=rule, free_atoms=True)).members
    assert member.settings.atoms_per_class in (60, 120)
    (member,) = choose(distinct(X, labels), Wish(settings, rule=rule)).members
    assert member.settings.atoms_per_class == 30
    few = distinct(X[:140], labels[:140])  # 56 of each class train in a fold
    members = choose(few, Wish(settings, rule=rule, free_atoms=True)).members
    assert {member.settings.atoms_per_class for member in members} == {30}


def test_folds_are_stratified_and_follow_the_content():
    X, labels = blobs(n=63)
    X, labels = np.r_[X, [[9.0] * 6]], np.r_[labels, 3]
    some = distinct(X, labels).some(MOST, 0)
    fold = some.folds(0)
    assert fold[some.labels == 3].tolist() == [-1]
    for label in range(3):
        assert np.bincount(fold[some.labels == label], minlength=N_FOLDS).tolist().count(4) >= 4
    again = distinct(X[::-1], labels[::-1]).some(MOST, 0)
    same = again.folds(0)
    assert np.array_equal(again.X, some.X)
    assert np.array_equal(fold, same)
    assert not np.array_equal(distinct(X, labels).some(MOST, 1).X, some.X)
    assert not np.array_equal(some.folds(1), fold)


def test_few_samples_of_each_of_many_classes_choose():
    X, labels = blobs(n=3000, n_classes=3)
    some = distinct(X, labels).some(300, 0)
    assert np.bincount(some.labels).tolist() == [100, 100, 100]


def test_samples_without_weight_choose_nothing():
    X, labels = blobs(n=90)
    wrong = np.concatenate([labels, (labels[:30] + 1) % 3])
    doubled = np.concatenate([X, X[:30] + 1e-6])
    weights = np.r_[np.ones(90), np.full(30, 1e-9)]
    weighted = choose(distinct(doubled, wrong, weights), WISH)
    assert max(weighted.scores.values()) > 0.9


@pytest.mark.parametrize("n", [3, 6])
def test_one_or_two_samples_per_class_choose_something(n):
    choice = choose(distinct(*blobs(n=n)), WISH)
    assert choice.members
    assert all(np.isfinite(member.share) for member in choice.members)


def candidates(n, seed=0):
    """Candidates of rising loss: the last ones are negligible."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(n):
        setting = JointSetting("unit", "local", 3, 0.1, 0.2, 1.5 + k, 0.5 + 2 * k)
        logits = rng.normal(size=(30, 3)) - 0.3 * k * np.eye(3)[np.arange(30) % 3]
        found.append(
            Candidate(setting, logits, rng.uniform(1, 2, 30) + k, head_start=5.0 * (k == 1))
        )
    return found


def test_an_average_weights_candidates_by_their_shares_at_its_own_temperature():
    found, labels = candidates(4), np.arange(30) % 3
    weights = np.linspace(0.5, 2, 30)
    losses = np.array([sum(weights * one.losses) for one in found]) - [0, 5, 0, 0]
    part = shares(losses, RATE)
    part = np.array([p if p >= NEGLIGIBLE else 0.0 for p in part])
    part = part / sum(part)
    mixture = sum(p * one.logits for p, one in zip(part, found))
    sharp, _ = temperature(mixture, labels, weights)
    got = average(found, labels, weights)
    assert_allclose(got.logits, sharp * mixture)
    kept = sorted((k for k in range(4) if part[k] > 0), key=lambda k: -part[k])
    assert len(got.settings) == len(kept)
    for one, k in zip(got.settings, kept):
        assert_allclose(one.dictionary_weight, (1.5 + k) * part[k] * sharp)
        assert_allclose(one.discriminant_weight, (0.5 + 2 * k) * part[k] * sharp)


@pytest.mark.parametrize(("n_some", "factor"), [(3, 2.0), (6, 1.0), (50, 1.0)])
def test_a_shrinkage_is_scaled_from_the_span_of_the_samples_to_all_features(n_some, factor):
    setting = JointSetting("unit", "local", 3, 0.1, 0.2, 1.0, 1.0)
    member = _member(setting, Lift(), WISH, 6, n_some)
    assert_allclose(member.shrinkage, 0.2 * factor)
    table = Lift(np.zeros(5), np.ones(5), 1.0, unit=False)  # its α is of each feature's variance
    assert_allclose(_member(setting, table, WISH, 6, n_some).shrinkage, 0.2)


@pytest.mark.parametrize("sizes", [(7, 9, 1), (2, 9, 12), (3, 30, 1), (40, 40, 40), (30,)])
@pytest.mark.parametrize("most", [6, 25, 30, 60, 2500])
def test_samples_and_folds_one_by_one(sizes, most):
    """By rank within the class: at least ten, at most a part of `most`; folds in turn."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    whole = distinct(rng.normal(size=(len(labels), 4)), labels)
    rank = mixed(whole.hashes ^ mixed(np.array([1], np.uint64)))
    several = [n for n in sizes if n > 1]
    n_folds = min(5, max(2, min(several)))
    hashes, folds = [], []
    for c, n in enumerate(sizes):
        own = sorted(np.flatnonzero(whole.labels == c), key=lambda i: rank[i])
        first = int(rank[own[0]]) % n_folds
        for place, i in enumerate(own[: max(10, most // len(sizes))]):
            hashes.append(whole.hashes[i])
            folds.append((place + first) % n_folds if n > 1 else -1)
    some = whole.some(most, 0)
    fold = some.folds(0)
    assert_array_equal(some.hashes, hashes)
    assert_array_equal(fold, folds)


def test_several_drawings_are_averaged_setting_by_setting():
    one = JointSetting("unit", "local", 3, 0.1, 0.2, 2.0, 1.0)
    other = JointSetting("unit", "global-length", 3, 0.1, 0.2, 8.0, 0.5)
    found = together([[one], [other], [one]])
    assert [(s.rule, s.dictionary_weight, s.discriminant_weight) for s in found] == [
        ("global-length", pytest.approx(8 / 3), pytest.approx(0.5 / 3)),
        ("local", pytest.approx(4 / 3), pytest.approx(2 / 3)),
    ]
    assert together([[one, other]]) == [one, other]

    first, second = together([[one], [other]])
    assert (first.rule, second.rule) == ("global-length", "local")


def test_an_average_of_several_candidates_that_are_nearly_as_good():
    labels, weights = np.arange(30) % 3, np.linspace(0.5, 2, 30)
    rng = np.random.default_rng(3)
    found = []
    for k, loss in enumerate([0.10, 0.18, 0.05, 1.5]):
        setting = JointSetting("unit", "local", 3, 0.1, 0.2, 1.5 + k, 0.5 + 2 * k)
        logits = rng.normal(size=(30, 3)) + np.eye(3)[labels]
        found.append(Candidate(setting, logits, np.full(30, loss), head_start=4.0 * (k == 1)))
    losses = [sum(weights) * loss for loss in (0.10, 0.18, 0.05, 1.5)]
    losses[1] -= 4
    part = np.exp(-RATE * (np.array(losses) - min(losses)))
    part /= sum(part)
    part[part < NEGLIGIBLE] = 0
    part /= sum(part)
    assert (np.sort(part)[1:] > NEGLIGIBLE).all()
    assert part[3] == 0
    mixture = sum(p * one.logits for p, one in zip(part, found))
    sharp, _ = temperature(mixture, labels, weights)
    got = average(found, labels, weights)
    assert_allclose(got.logits, sharp * mixture)
    order = [2, 1, 0]
    assert_array_equal(np.argsort(-part)[:3], order)
    wanted = sharp * part[order]
    assert_allclose([s.dictionary_weight for s in got.settings], wanted * [3.5, 2.5, 1.5])
    assert_allclose([s.discriminant_weight for s in got.settings], wanted * [4.5, 2.5, 0.5])


def test_what_is_tried_where_nothing_is_named():
    grid = grid_of(Wish(Settings(atoms_per_class=(3, 7, 5))))
    assert (grid.ridges, grid.global_ridges) == ((0.01, 0.1, 0.5, 2.0), (0.01,))
    assert (grid.shrinkages, grid.n_atoms) == ((0.01, 0.1, 1.0, 10.0), (7,))


@pytest.mark.parametrize(
    ("wish", "steps"),
    [
        (WISH, (6 * 5, 1)),
        (Wish(Settings(), rule="local"), (5, 1)),
        (Wish(Settings(), scale="unit"), (5, 1)),
        (Wish(Settings(), rule="local", ridge=0.1), (0, 1)),
        (Wish(Settings(solver="exact", suppression=2.0, max_iter=7)), (6 * 5, 7)),
    ],
)
def test_steps_are_lifts_by_folds_by_drawings(wish, steps):
    assert most_steps(151, wish) == steps
    assert most_steps(150, wish) == (3 * steps[0], steps[1])


@pytest.mark.parametrize(("n", "drawings"), [(9, 3), (150, 3), (151, 1)])
def test_few_samples_are_drawn_into_folds_three_times(n, drawings, monkeypatch):
    told = []

    def raced(samples, tried, fold, wish, tell):
        told.append(fold)
        setting = JointSetting("unit", "local", 3, 0.1, 0.2, 1.0, 1.0)
        return Raced([setting], {"number": float(len(told))}, {})

    monkeypatch.setattr("crosslabel.flagship.choose._raced", raced)
    samples = distinct(*blobs(n=n, m=20))
    choice = choose(samples, Wish(Settings(seed=2)))
    assert len(told) == drawings
    for k, fold in enumerate(told):
        assert_array_equal(fold, samples.some(MOST, 2).folds(2 + k))
    assert choice.scores == {"number": 1.0}
    assert_allclose(choice.members[0].shrinkage, 0.2 * 20 / min(20, n))


def test_at_most_so_many_samples_choose(monkeypatch):
    sizes = []

    def raced(samples, tried, fold, wish, tell):
        sizes.append(len(samples.X))
        return Raced([JointSetting("unit", "local", 3, 0.1, 0.2, 1.0, 1.0)], {}, {})

    monkeypatch.setattr("crosslabel.flagship.choose._raced", raced)
    choose(distinct(*blobs(n=41 * 61, n_classes=41)), WISH)
    assert sizes == [41 * 60]  # 2500 over 41 classes


def test_one_class_has_nothing_to_choose_and_a_lonely_sample_does_no_harm():
    X, labels = blobs(n=12)
    (member,) = choose(distinct(X, np.zeros(12, int)), WISH).members
    assert (member.settings.ridge, member.share) == (0.1, 10.0)
    lonely = np.r_[labels[:-1], 3]
    assert choose(distinct(X, lonely), WISH).scores


def members_of_long_rows(lift=None):
    """What is chosen for samples that are fewer than their features."""
    X, labels = blobs(n=45, m=60)
    samples = distinct(X, labels)
    return samples, choose(samples, Wish(Settings(), kernel="linear"), lift).members


def test_a_discriminant_is_handed_on_where_all_samples_chose(monkeypatch):
    samples, members = members_of_long_rows()
    handed = [one for one in members if one.discriminant is not None]
    assert handed
    for one in handed:
        statistics = Moments.from_samples(one.lift(samples.X), samples.labels, 3)
        expected = discriminant(statistics, one.shrinkage)
        assert_allclose(one.discriminant.weights, expected.weights, rtol=1e-5, atol=1e-8)
        assert_allclose(one.discriminant.offsets, expected.offsets, rtol=1e-5, atol=1e-8)
    # A summary that keeps some samples has statistics of more.
    _, members = members_of_long_rows(Lift(unit=False))
    assert [one.discriminant for one in members] == [None] * len(members)
    monkeypatch.setattr(module, "MOST", 40)
    _, members = members_of_long_rows()
    assert [one.discriminant for one in members] == [None] * len(members)


def test_more_atoms_are_tried_by_the_usual_class_in_the_training_of_the_last_fold(monkeypatch):
    asked = naive.captured(monkeypatch, module, "grid_of")
    fold = np.repeat([0, 1, 0, 1, 0, 1], [7, 3, 4, 2, 1, 3])
    labels = np.repeat([0, 1, 3], [10, 6, 4])  # no sample of class 2
    X = np.random.default_rng(0).normal(size=(20, 5))
    samples = Distinct(X, labels, np.ones(20), np.arange(20, dtype=np.uint64))
    module._field(samples, {"unit": LiftPlan(Lift())}, fold, WISH)
    assert [args[1] for args, _, _ in asked] == [4]  # of seven, four and one
