import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.scaling import unit_rows
from crosslabel.flagship.fitted import STRANGERS_RIDGE, Fitted, View
from crosslabel.flagship.novelty import beside_others, novelty
from crosslabel.intake.lift import Lift


def test_the_least_residual_over_a_power_of_the_mean_of_the_others():
    residuals = np.array([[0.1, 0.4, 0.6], [0.5, 0.2, 0.2], [0.3, 0.3, 0.3], [0.0, 0.1, 0.2]])
    assert_allclose(beside_others(residuals, 1.0), [0.2, 0.2 / 0.35, 1.0, 0.0])
    expected = [0.1 / 0.5**0.5, 0.2 / 0.35**0.5, 0.3**0.5, 0.0]
    assert_allclose(beside_others(residuals, 0.5), expected)
    assert_allclose(beside_others(residuals, 0.0), residuals.min(axis=1))


def test_where_no_class_leaves_a_residual_none_stands_out():
    assert_allclose(beside_others(np.zeros((2, 3)), 0.5), 1.0)


def ridge_code(atoms, y):
    return np.linalg.solve(atoms @ atoms.T + STRANGERS_RIDGE * np.eye(len(atoms)), atoms @ y)


def by_hand(D, layout, y, rule):
    """r_b / r̄ᵖ · (s_b / s̄)^(p/2) for the local rule, (r_b / r̄ᵖ)^½ · (s_b / s̄)ᵖ else, by loops."""
    code, r, s = ridge_code(D, y), [], []
    for c in range(layout.n_classes):
        free = layout.free(c)
        r.append(np.sum((y - ridge_code(D[free], y) @ D[free]) ** 2))
        s.append(np.sum((y - code[free] @ D[free]) ** 2) / np.abs(code[free]).sum())
    power = 1 - 2 / len(r)
    others = [(sum(part) - min(part)) / (len(part) - 1) for part in (r, s)]
    near, claimed = min(r) / others[0] ** power, (min(s) / others[1]) ** power
    return near * claimed**0.5 if rule == "local" else near**0.5 * claimed


@pytest.mark.parametrize("rule", ["global", "global-length", "local"])
@pytest.mark.parametrize("sizes", [(3, 2, 2), (3, 2), (2, 2, 1, 2)])
def test_novelty_goes_most_by_what_the_rule_goes_by(rule, sizes):
    rng = np.random.default_rng(0)
    layout = AtomLayout(1, sizes)
    D, X = unit_rows(rng.normal(size=(layout.n_atoms, 5))), rng.normal(size=(6, 5))
    view = View(Lift(), D, layout, rule, 0.1)
    fitted = Fitted(np.arange(len(sizes)), (view,), np.zeros(1), np.zeros(0, int))
    found = novelty(fitted, X)
    assert_allclose(found, [by_hand(D, layout, y, rule) for y in unit_rows(X)], rtol=1e-6)
    assert ((found >= 0) & (found <= 1)).all()


def test_the_size_of_a_sample_does_not_count_where_nothing_scales_it():
    rng = np.random.default_rng(0)
    D, layout = unit_rows(rng.normal(size=(6, 5))), AtomLayout(0, (3, 3))
    view = View(Lift(unit=False), D, layout, "local", 0.1)
    fitted = Fitted(np.array([0, 1]), (view,), np.zeros(1), np.zeros(0, int))
    X = rng.normal(size=(4, 5))
    assert_allclose(novelty(fitted, 7 * X), novelty(fitted, X))
    assert_allclose(novelty(fitted, np.zeros((1, 5))), 1.0)


@pytest.mark.parametrize("rule", ["global", "local"])
def test_novelty_does_not_depend_on_the_length_of_a_query_that_is_not_normalised(rule):
    rng = np.random.default_rng(1)
    layout = AtomLayout(0, (2, 2, 2))
    D, X = unit_rows(rng.normal(size=(6, 5))), unit_rows(rng.normal(size=(4, 5)))
    view = View(Lift(unit=False), D, layout, rule, 0.1)
    fitted = Fitted(np.arange(3), (view,), np.zeros(1), np.zeros(0, int))
    for length in (0.5, 2.0):
        assert_allclose(novelty(fitted, length * X), novelty(fitted, X), rtol=1e-9)
