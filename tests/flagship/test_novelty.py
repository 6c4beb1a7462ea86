import numpy as np
from numpy.testing import assert_allclose

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.rules import GlobalRule
from crosslabel.core.scaling import unit_rows
from crosslabel.flagship.fitted import Fitted, View
from crosslabel.flagship.novelty import novelty, residual_ratio
from crosslabel.intake.lift import Lift


def test_the_ratio_is_the_best_residual_over_the_mean_of_the_others():
    residuals = np.array([[1.0, 4.0, 6.0], [5.0, 2.0, 2.0], [3.0, 3.0, 3.0], [0.0, 1.0, 2.0]])
    assert_allclose(residual_ratio(-residuals), [1 / 5, 2 / 3.5, 1.0, 0.0])


def test_two_classes_are_compared_with_each_other():
    assert_allclose(residual_ratio(np.array([[-0.5, -2.0], [-0.25, -0.1]])), [0.25, 0.4])


def test_where_no_class_leaves_a_residual_none_stands_out():
    assert_allclose(residual_ratio(np.zeros((2, 3))), 1.0)


def test_novelty_goes_by_the_code_over_all_atoms_whichever_rule_predicts():
    rng = np.random.default_rng(0)
    D, layout = unit_rows(rng.normal(size=(7, 5))), AtomLayout(1, (3, 3))
    X = rng.normal(size=(6, 5))
    expected = residual_ratio(GlobalRule(D, layout, 0.1).scores(unit_rows(X)))
    for rule in ("global", "local"):
        view = View(Lift(), D, layout, rule, 0.1)
        fitted = Fitted(np.array(["a", "b"]), (view,), np.zeros(1), np.zeros(0, int))
        assert_allclose(novelty(fitted, X), expected)
