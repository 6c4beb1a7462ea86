"""The race over scores that are written down: who is left, and what is made of the best."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.joint import fit_weights, log_losses, shares, spread, temperature
from crosslabel.core.scaling import unit_rows
from crosslabel.flagship.held_out import Samples
from crosslabel.flagship.race import (
    DISCRIMINANT,
    GLOBAL,
    LOCAL,
    Grid,
    Kind,
    Runner,
    _not_behind,
    ahead,
    discriminant_of,
    folds_to_run,
    local_of,
    race,
    race_kernels,
)

N = 240
LABELS = np.arange(N) % 3
WEIGHTS = np.linspace(0.5, 2, N)
GRID = Grid((0.1, 1.0), (0.01,), ("global-length",), (0.01, 0.1, 1.0), (4,))
SAMPLES = SimpleNamespace(
    labels=LABELS,
    weights=WEIGHTS,
    left_out=lambda number: np.arange(number, N, 2),
    own_variances=False,
)


def scores_of(skill, seed):
    """Scores that know the right class as well as the skill says."""
    noise = np.random.default_rng(seed).normal(size=(N, 3))
    return noise + skill * np.eye(3)[LABELS]


def runner(name="unit", local=(2.0, 3.0), linear=(1.0, 2.5, 2.0), wide=1.5, seed=0):
    scores = {Kind(LOCAL, r, "local", 4): scores_of(s, seed + 1) for r, s in zip((0.1, 1.0), local)}
    scores[Kind(GLOBAL, 0.01, "global-length", 4)] = scores_of(wide, seed + 2)
    alphas = zip(GRID.shrinkages, linear)
    scores |= {discriminant_of(a): scores_of(s, seed + 3) for a, s in alphas}
    return Runner(name, SAMPLES, GRID, {LOCAL, GLOBAL, DISCRIMINANT}, scores)


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


def test_a_score_is_judged_by_its_temperature_and_loss_once_for_each_set_of_rows():
    one, rows = runner(), np.arange(0, N, 2)
    kind = Kind(LOCAL, 0.1, "local", 4)
    expected = temperature(one.scores[kind][rows], LABELS[rows], WEIGHTS[rows])
    assert one.judged(kind, rows) == expected
    one.scores[kind] = -one.scores[kind]
    assert one.judged(kind, rows) == expected
    assert one.judged(kind, np.arange(N)) != expected


def test_the_best_of_some_rules_has_the_lowest_loss():
    one, rows = runner(), np.arange(N)
    kind, sharpness, losses = one.best({LOCAL, GLOBAL}, rows)
    assert kind == Kind(LOCAL, 1.0, "local", 4)
    assert_allclose(losses, log_losses(sharpness * one.scores[kind], LABELS))
    assert one.best({DISCRIMINANT}, rows)[0] == discriminant_of(0.1)


def test_the_two_best_shrinkages_are_followed():
    one = runner()
    one.narrow(np.arange(N))
    assert one.shrinkages == [0.1, 1.0]
    assert discriminant_of(0.01) not in one.scores
    assert discriminant_of(1.0) in one.scores


def test_the_two_best_points_of_the_local_rule_are_followed():
    skills = {(2, 0.1): 1.0, (2, 1.0): 3.0, (4, 0.1): 2.0, (4, 1.0): 0.5}
    scores = {local_of(*point): scores_of(skill, 1) for point, skill in skills.items()}
    grid = replace(GRID, n_atoms=(2, 4))
    one = Runner("unit", SAMPLES, grid, {LOCAL}, scores)
    one.narrow(np.arange(N))
    assert one.points == [(2, 1.0), (4, 0.1)]
    assert list(one.scores) == [local_of(2, 1.0), local_of(4, 0.1)]
    assert one.shrinkages == [0.01, 0.1, 1.0]  # of a rule that is out of the race


def test_a_temperature_does_not_depend_on_what_was_judged_before():
    one, other, rows = runner(), runner(), np.arange(N)
    first, second = discriminant_of(0.01), discriminant_of(0.1)
    one.judged(first, rows)
    assert_allclose(one.judged(second, rows), other.judged(second, rows), rtol=1e-8)


def test_lifts_that_are_one_to_rounding_are_level():
    gain = 1e-16 * np.random.default_rng(0).normal(size=50) + 1e-16
    assert ahead(gain, np.ones(50)) == 0.0


@pytest.mark.parametrize("is_table", [False, True])
def test_a_candidate_joins_the_best_dictionary_and_the_best_discriminant(is_table):
    one, rows = runner(), np.arange(N)
    one.samples = SimpleNamespace(**{**vars(SAMPLES), "own_variances": is_table})
    kinds = Kind(LOCAL, 1.0, "local", 4), discriminant_of(0.1)
    scores = np.array([one.scores[kind] for kind in kinds])
    scale = np.array([spread(part) for part in scores])
    sharp = np.array([temperature(part, LABELS, WEIGHTS)[0] for part in scores])
    losses = [sum(WEIGHTS * log_losses(t * part, LABELS)) for t, part in zip(sharp, scores)]
    ahead_by = 30.0 if is_table else 0.0
    start = shares(np.array([losses[0], losses[1] - ahead_by]), 0.1) * sharp * scale
    scaled = np.array([part / s for part, s in zip(scores, scale)])
    a, b = fit_weights(scaled, LABELS, WEIGHTS, start=start, pull=10.0) / scale
    found = one.candidate(rows)
    assert_allclose(found.logits, a * scores[0] + b * scores[1], rtol=1e-6)
    assert_allclose(found.losses, log_losses(found.logits, LABELS))
    assert found.head_start == (4.0 if is_table else 0.0)
    setting = found.setting
    assert (setting.lift, setting.rule, setting.n_atoms) == ("unit", "local", 4)
    assert (setting.ridge, setting.shrinkage) == (1.0, 0.1)
    assert_allclose([setting.dictionary_weight, setting.discriminant_weight], [a, b], rtol=1e-6)


def test_a_candidate_without_a_discriminant_is_a_dictionary_alone():
    one = runner()
    one.rules = {LOCAL, GLOBAL}
    setting = one.candidate(np.arange(N)).setting
    assert (setting.shrinkage, setting.discriminant_weight) == (None, 0.0)
    assert setting.dictionary_weight > 0


def test_rules_that_are_clearly_behind_leave_and_a_dictionary_stays():
    rows = np.arange(0, N, 2)
    good, bad = (
        runner("good", local=(0.1, 0.2), linear=(6.0, 6.0, 6.0)),
        runner("bad", (0, 0), (0, 0, 0), 0),
    )
    assert _not_behind([good, bad], rows) == [good]
    assert good.rules == {DISCRIMINANT, LOCAL}
    assert bad.rules == set()
    assert len(good.shrinkages) == 2


def test_equals_stay_and_few_samples_tell_nothing():
    rows = np.arange(0, N, 2)
    one, two = runner("one"), runner("two")
    assert _not_behind([one, two], rows) == [one, two]
    lost = runner("lost", (0, 0), (0, 0, 0), 0)
    assert _not_behind([runner(), lost], rows[:99])[1] is lost
    assert lost.rules == {LOCAL, GLOBAL, DISCRIMINANT}
    assert lost not in _not_behind([runner(linear=(9, 9, 9)), lost], rows[:100])


def test_who_is_left_after_the_first_fold_runs_all_others(monkeypatch):
    runs = []
    monkeypatch.setattr(Runner, "run", lambda self, number: runs.append((self.name, number)))
    good, bad = runner("good", linear=(9, 9, 9)), runner("bad", (0, 0), (0, 0, 0), 0)
    assert race([good, bad], [0, 1, 2]) == [good]
    assert runs == [("good", 0), ("bad", 0), ("good", 1), ("good", 2)]


def spied(monkeypatch):
    runs = []

    def run(self, number, rules=None):
        runs.append((self.name, number, None if rules is None else tuple(rules)))

    monkeypatch.setattr(Runner, "run", run)
    return runs


def test_kernels_run_on_where_their_local_rule_is_not_behind_the_linear_ones(monkeypatch):
    runs = spied(monkeypatch)
    linear = [runner("low", local=(0.5, 1.0)), runner("high", local=(2.0, 3.0))]
    kernels = [runner("good", local=(3.0, 3.5)), runner("bad", local=(0.5, 1.5))]
    for one in kernels:
        one.rules = {LOCAL, DISCRIMINANT}
    assert race_kernels(kernels, linear, [0, 1, 2]) == kernels[:1]
    assert runs == [
        ("good", 0, (LOCAL,)),
        ("good", 0, (DISCRIMINANT,)),
        ("bad", 0, (LOCAL,)),
        ("good", 1, None),
        ("good", 2, None),
    ]


def test_few_samples_leave_out_no_kernel(monkeypatch):
    spied(monkeypatch)
    few = SimpleNamespace(labels=LABELS, weights=WEIGHTS, left_out=lambda number: np.arange(99))
    linear, kernel = runner("linear", local=(9.0, 9.0)), runner("kernel", local=(0.0, 0.0))
    linear.samples = kernel.samples = few
    assert race_kernels([kernel], [linear], [0, 1]) == [kernel]


def test_scores_are_kept_at_the_rows_of_their_fold():
    one, kind = runner(), Kind(LOCAL, 7.0, "local")
    one._keep(np.array([0, 3]), {kind: np.ones((2, 3))})
    one._keep(np.array([1]), {kind: np.full((1, 3), 2.0)})
    assert one.scores[kind].shape == (N, 3)
    assert one.scores[kind][:4, 0].tolist() == [1.0, 2.0, 0.0, 1.0]


def test_the_dictionary_of_a_candidate_is_never_the_discriminant():
    one = runner(local=(0.5, 1.0), linear=(4.0, 5.0, 4.0))
    setting = one.candidate(np.arange(N)).setting
    assert (setting.rule, setting.shrinkage) == ("global-length", 0.1)


def test_several_numbers_of_atoms_score_as_each_does_alone():
    rng = np.random.default_rng(0)
    labels, fold = np.arange(60) % 3, np.arange(60) // 3 % 2
    samples = Samples(unit_rows(rng.normal(size=(60, 8))), labels, fold, np.ones(60))
    numbers, rules = (2, 3, 6), ("global-residual", "global-length")
    both = Runner("unit", samples, Grid((0.1,), (0.01,), rules, (), numbers), {LOCAL, GLOBAL})
    both.run(0)
    assert {kind.n_atoms for kind in both.scores} == set(numbers)
    for k in numbers:
        alone = Runner("unit", samples, Grid((0.1,), (0.01,), rules, (), (k,)), {LOCAL, GLOBAL})
        alone.run(0)
        for kind, scores in alone.scores.items():
            assert_allclose(both.scores[kind], scores, atol=1e-9)


@pytest.mark.parametrize(("behind", "stays"), [(2.0, True), (2.5, False)])
def test_two_standard_errors_are_clearly_behind(behind, stays, monkeypatch):
    monkeypatch.setattr("crosslabel.flagship.race.ahead", lambda gain, weights: behind)
    one = runner()
    assert _not_behind([one], np.arange(0, N, 2)) == ([one] if stays else [])
