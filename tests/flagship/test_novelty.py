import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.scaling import unit_rows
from crosslabel.flagship.fitted import STRANGERS_RIDGE, Fitted, View
from crosslabel.flagship.novelty import novelty, residual_ratio
from crosslabel.intake.lift import Lift


def test_the_ratio_is_the_best_share_over_a_power_of_the_mean_of_the_others():
    shares = np.array([[0.1, 0.4, 0.6], [0.5, 0.2, 0.2], [0.3, 0.3, 0.3], [0.0, 0.1, 0.2]])
    expected = [0.1 / 0.5 ** (1 / 3), 0.2 / 0.35 ** (1 / 3), 0.3 / 0.3 ** (1 / 3), 0.0]
    assert_allclose(residual_ratio(shares), expected)
    four = np.array([[0.1, 0.5, 0.4, 0.9]])
    assert_allclose(residual_ratio(four), 0.1 / 0.6**0.5)


def test_of_two_classes_the_best_share_itself_counts():
    assert_allclose(residual_ratio(np.array([[0.5, 0.8], [0.25, 0.1]])), [0.5, 0.1])


def test_where_no_class_leaves_a_residual_none_stands_out():
    assert_allclose(residual_ratio(np.zeros((2, 3))), 1.0)


@pytest.mark.parametrize("rule", ["global", "local"])
def test_novelty_goes_by_own_atoms_alone_whichever_rule_predicts(rule):
    rng = np.random.default_rng(0)
    D, layout = unit_rows(rng.normal(size=(8, 5))), AtomLayout(1, (3, 2, 2))
    X = rng.normal(size=(6, 5))
    shares = np.empty((6, 3))
    for n, y in enumerate(unit_rows(X)):
        for c in range(3):
            atoms = D[layout.free(c)]
            code = np.linalg.solve(
                atoms @ atoms.T + STRANGERS_RIDGE * np.eye(len(atoms)), atoms @ y
            )
            shares[n, c] = np.sum((y - code @ atoms) ** 2)
    view = View(Lift(), D, layout, rule, 0.1)
    fitted = Fitted(np.array(["a", "b", "c"]), (view,), np.zeros(1), np.zeros(0, int))
    found = novelty(fitted, X)
    assert_allclose(found, residual_ratio(shares))
    assert ((found >= 0) & (found <= 1)).all()


def test_the_size_of_a_sample_does_not_count_where_nothing_scales_it():
    rng = np.random.default_rng(0)
    D, layout = unit_rows(rng.normal(size=(6, 5))), AtomLayout(0, (3, 3))
    view = View(Lift(unit=False), D, layout, "local", 0.1)
    fitted = Fitted(np.array([0, 1]), (view,), np.zeros(1), np.zeros(0, int))
    X = rng.normal(size=(4, 5))
    assert_allclose(novelty(fitted, 7 * X), novelty(fitted, X))
    assert_allclose(novelty(fitted, np.zeros((1, 5))), 1.0)
