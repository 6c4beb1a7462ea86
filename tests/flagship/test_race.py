"""The race over scores that are written down: who is left, and what is made of the best."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.joint import fit_weights, log_losses, shares, spread, temperature
from crosslabel.core.scaling import unit_rows
from crosslabel.flagship import race as racing
from crosslabel.flagship.choice import Grid, Kind
from crosslabel.flagship.held_out import Samples
from crosslabel.flagship.race import (
    DISCRIMINANT,
    GLOBAL,
    LOCAL,
    Runner,
    _not_behind,
    ahead,
    candidates,
    discriminant_of,
    folds_to_run,
    judge,
    left_out_by,
    local_of,
    race,
    race_kernels,
    run_fold,
)
from tests.flagship.runners import (
    FIRST,
    GRID,
    LABELS,
    ROWS,
    SAMPLES,
    WEIGHTS,
    N,
    runner,
    scores_of,
)


def test_a_gain_is_ahead_by_its_mean_in_standard_errors():
    gain, weights = np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 2.0])
    mean = (1 + 2 + 12) / 4
    variance = ((1 - mean) ** 2 + (2 - mean) ** 2 + 2 * (6 - mean) ** 2) / 4
    assert_allclose(ahead(gain, weights), mean / np.sqrt(variance / 3))
    assert_allclose(ahead(-gain, weights), -mean / np.sqrt(variance / 3))
    assert ahead(np.ones(3), weights) == 0.0


@pytest.mark.parametrize(
    ("sizes", "numbers"),
    [((70, 70, 70), [0, 1, 2]), ((120, 119, 50, 50), [0, 1, 2]), ((120, 120, 50), [0, 1]),
     ((240, 10), [0]), ((239, 10), [0, 1])],
)  # fmt: skip
def test_folds_are_run_until_they_leave_out_two_hundred_and_forty(sizes, numbers):
    fold = np.concatenate([[-1] * 7, np.repeat(np.arange(len(sizes)), sizes)])
    assert folds_to_run(fold) == numbers


def test_lifts_that_are_one_to_rounding_are_level():
    gain = 1e-16 * np.random.default_rng(0).normal(size=50) + 1e-16
    assert ahead(gain, np.ones(50)) == 0.0


@pytest.mark.parametrize("is_table", [False, True])
def test_a_candidate_joins_the_best_dictionary_and_the_best_discriminant(is_table):
    one = runner()
    one.samples = SimpleNamespace(**{**vars(SAMPLES), "own_variances": is_table})
    kinds = Kind(LOCAL, 1.0, "local", 4), discriminant_of(0.1)
    scores = np.array([one.scores[kind] for kind in kinds])
    scale = np.array([spread(part) for part in scores])
    sharp = np.array([temperature(part, LABELS[ROWS], WEIGHTS[ROWS])[0] for part in scores])
    losses = [
        sum(WEIGHTS[ROWS] * log_losses(t * part, LABELS[ROWS])) for t, part in zip(sharp, scores)
    ]
    ahead_by = 30.0 if is_table else 0.0
    start = shares(np.array([losses[0], losses[1] - ahead_by]), 0.1) * sharp * scale
    scaled = np.array([part / s for part, s in zip(scores, scale)])
    a, b = fit_weights(scaled, LABELS[ROWS], WEIGHTS[ROWS], start=start, pull=10.0) / scale
    (found,) = candidates([one], ROWS)
    assert_allclose(found.logits, a * scores[0] + b * scores[1], rtol=1e-6)
    assert_allclose(found.losses, log_losses(found.logits, LABELS[ROWS]))
    assert found.head_start == (4.0 if is_table else 0.0)
    setting = found.setting
    assert (setting.lift, setting.rule, setting.n_atoms) == ("unit", "local", 4)
    assert (setting.ridge, setting.shrinkage) == (1.0, 0.1)
    assert_allclose([setting.dictionary_weight, setting.discriminant_weight], [a, b], rtol=1e-6)


def test_a_candidate_without_a_discriminant_is_a_dictionary_alone():
    one = runner()
    one.rules = {LOCAL, GLOBAL}
    setting = candidates([one], ROWS)[0].setting
    assert (setting.shrinkage, setting.discriminant_weight) == (None, 0.0)
    assert setting.dictionary_weight > 0


def test_rules_that_are_clearly_behind_leave_and_a_dictionary_stays():
    rows = FIRST
    good, bad = (
        runner("good", local=(0.1, 0.2), linear=(6.0, 6.0, 6.0)),
        runner("bad", (0, 0), (0, 0, 0), 0),
    )
    assert _not_behind([good, bad], rows) == [good]
    assert good.rules == {DISCRIMINANT, LOCAL}
    assert bad.rules == set()
    assert len(good.shrinkages) == 2


def test_equals_stay_and_few_samples_tell_nothing():
    rows = FIRST
    one, two = runner("one"), runner("two")
    assert _not_behind([one, two], rows) == [one, two]
    lost = runner("lost", (0, 0), (0, 0, 0), 0)
    assert _not_behind([runner(), lost], rows[:99])[1] is lost
    assert lost.rules == {LOCAL, GLOBAL, DISCRIMINANT}
    assert lost not in _not_behind([runner(linear=(9, 9, 9)), lost], rows[:100])


def spied(monkeypatch):
    runs = []

    def run(runners, number, rules=None, tell=None):
        runs.extend((r.name, number, None if rules is None else tuple(rules)) for r in runners)

    monkeypatch.setattr(racing, "run_fold", run)
    return runs


def test_who_is_left_after_the_first_fold_runs_all_others(monkeypatch):
    runs = spied(monkeypatch)
    good, bad = runner("good", linear=(9, 9, 9)), runner("bad", (0, 0), (0, 0, 0), 0)
    assert race([good, bad], [0, 1, 2]) == [good]
    assert [one[:2] for one in runs] == [("good", 0), ("bad", 0), ("good", 1), ("good", 2)]


def test_kernels_run_on_where_their_local_rule_is_not_behind_the_linear_ones(monkeypatch):
    runs = spied(monkeypatch)
    linear = [runner("low", local=(0.5, 1.0)), runner("high", local=(2.0, 3.0))]
    kernels = [runner("good", local=(3.0, 3.5)), runner("bad", local=(0.5, 1.5))]
    for one in kernels:
        one.rules = {LOCAL, DISCRIMINANT}
    assert race_kernels(kernels, linear, [0, 1, 2]) == kernels[:1]
    assert runs == [
        ("good", 0, (LOCAL,)),
        ("bad", 0, (LOCAL,)),
        ("good", 0, (DISCRIMINANT,)),
        ("good", 1, None),
        ("good", 2, None),
    ]


def test_few_samples_leave_out_no_kernel(monkeypatch):
    spied(monkeypatch)
    few = SimpleNamespace(**{**vars(SAMPLES), "left_out": lambda number: np.arange(99)})
    linear, kernel = runner("linear", local=(9.0, 9.0)), runner("kernel", local=(0.0, 0.0))
    linear.samples = kernel.samples = few
    assert race_kernels([kernel], [linear], [0, 1]) == [kernel]


def test_the_dictionary_of_a_candidate_is_never_the_discriminant():
    one = runner(local=(0.5, 1.0), linear=(4.0, 5.0, 4.0))
    setting = candidates([one], ROWS)[0].setting
    assert (setting.rule, setting.shrinkage) == ("global-length", 0.1)


@pytest.mark.parametrize(("behind", "stays"), [(2.0, True), (2.5, False)])
def test_two_standard_errors_are_clearly_behind(behind, stays, monkeypatch):
    monkeypatch.setattr("crosslabel.flagship.race.ahead", lambda gain, weights: behind)
    one = runner()
    assert _not_behind([one], FIRST) == ([one] if stays else [])


def test_scores_are_in_the_order_of_the_folds():
    fold = np.array([1, 0, -1, 2, 0, 1])
    assert left_out_by(fold, [0, 1]).tolist() == [1, 4, 0, 5]


def moved(one):
    """The same lift on torch's CPU."""
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    one.scores = {kind: torch.as_tensor(scores) for kind, scores in one.scores.items()}
    one.samples = SimpleNamespace(**{**vars(SAMPLES), "scaled": torch.zeros(N, 1)})
    return one


def test_on_a_device_all_lifts_are_judged_at_once_as_each_alone():
    lifts = [runner("one"), runner("two", local=(3.0, 1.0), seed=5)]
    there = [moved(runner("one")), moved(runner("two", local=(3.0, 1.0), seed=5))]
    judge(there, {LOCAL, GLOBAL, DISCRIMINANT}, FIRST)
    for one, other in zip(there, lifts):
        assert {kind for kind, _ in one.known} == set(one.scores)
        for kind in one.scores:
            assert_allclose(one.judged(kind, FIRST), other.judged(kind, FIRST), rtol=1e-6)
        for rule in one.rules:
            kind = one.best({rule}, FIRST)
            assert (kind, len(FIRST)) in one.losses
            assert_allclose(one.lost(kind, FIRST), other.lost(kind, FIRST), rtol=1e-4)


def test_on_a_device_lifts_are_joined_at_once_as_each_alone():
    lifts = [runner("one"), runner("two", seed=5), runner("three", seed=9)]
    there = [moved(runner("one")), moved(runner("two", seed=5)), moved(runner("three", seed=9))]
    lifts[1].rules = there[1].rules = {LOCAL, GLOBAL}
    for one, other in zip(candidates(there, ROWS), candidates(lifts, ROWS), strict=True):
        assert one.setting.lift == other.setting.lift
        assert one.setting.shrinkage == other.setting.shrinkage
        assert_allclose(one.setting.dictionary_weight, other.setting.dictionary_weight, rtol=1e-4)
        assert_allclose(one.losses, other.losses, rtol=1e-3)


def test_a_score_is_judged_by_its_temperature_and_loss_once_for_each_set_of_rows():
    one, kind = runner(), Kind(LOCAL, 0.1, "local", 4)
    expected = temperature(one.scores[kind][: len(FIRST)], LABELS[FIRST], WEIGHTS[FIRST])
    assert one.judged(kind, FIRST) == expected
    one.scores[kind] = -one.scores[kind]
    assert one.judged(kind, FIRST) == expected
    assert one.judged(kind, ROWS) != expected


def test_the_best_of_some_rules_has_the_lowest_loss():
    one = runner()
    kind = one.best({LOCAL, GLOBAL}, ROWS)
    assert kind == Kind(LOCAL, 1.0, "local", 4)
    sharpness, _ = one.judged(kind, ROWS)
    assert_allclose(one.lost(kind, ROWS), log_losses(sharpness * one.scores[kind], LABELS[ROWS]))
    assert one.best({DISCRIMINANT}, ROWS) == discriminant_of(0.1)
    first = log_losses(one.judged(kind, FIRST)[0] * one.scores[kind][:120], LABELS[FIRST])
    assert_allclose(one.lost(kind, FIRST), first)


def test_the_two_best_shrinkages_are_followed():
    one = runner()
    one.narrow(ROWS)
    assert one.shrinkages == [0.1, 1.0]
    assert discriminant_of(0.01) not in one.scores
    assert discriminant_of(1.0) in one.scores


def test_the_two_best_points_of_the_local_rule_are_followed():
    skills = {(2, 0.1): 1.0, (2, 1.0): 3.0, (4, 0.1): 2.0, (4, 1.0): 0.5}
    scores = {local_of(*point): scores_of(skill, 1) for point, skill in skills.items()}
    grid = replace(GRID, n_atoms=(2, 4))
    one = Runner("unit", SAMPLES, grid, {LOCAL}, scores)
    one.narrow(ROWS)
    assert one.points == [(2, 1.0), (4, 0.1)]
    assert list(one.scores) == [local_of(2, 1.0), local_of(4, 0.1)]
    assert one.shrinkages == [0.01, 0.1, 1.0]  # of a rule that is out of the race


def test_a_temperature_does_not_depend_on_what_was_judged_before():
    one, other, rows = runner(), runner(), ROWS
    first, second = discriminant_of(0.01), discriminant_of(0.1)
    one.judged(first, rows)
    assert_allclose(one.judged(second, rows), other.judged(second, rows), rtol=1e-8)


def test_scores_follow_those_of_the_folds_before():
    one, kind = runner(), Kind(LOCAL, 7.0, "local")
    one._keep({kind: np.ones((2, 3))})
    one._keep({kind: np.full((1, 3), 2.0)})
    assert one.scores[kind][:, 0].tolist() == [1.0, 1.0, 2.0]


def test_several_numbers_of_atoms_score_as_each_does_alone():
    rng = np.random.default_rng(0)
    labels, fold = np.arange(60) % 3, np.arange(60) // 3 % 2
    samples = Samples(unit_rows(rng.normal(size=(60, 8))), labels, fold, np.ones(60))
    numbers, rules = (2, 3, 6), ("global-residual", "global-length")
    both = Runner("unit", samples, Grid((0.1,), (0.01,), rules, (), numbers), {LOCAL, GLOBAL})
    run_fold([both], 0)
    assert {kind.n_atoms for kind in both.scores} == set(numbers)
    for k in numbers:
        alone = Runner("unit", samples, Grid((0.1,), (0.01,), rules, (), (k,)), {LOCAL, GLOBAL})
        run_fold([alone], 0)
        for kind, scores in alone.scores.items():
            assert_allclose(both.scores[kind], scores, atol=1e-9)
