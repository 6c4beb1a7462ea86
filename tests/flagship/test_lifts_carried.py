"""Products that are carried over from one lift to another against those of the lifted rows."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from crosslabel.flagship.lifts import LiftPlan, carried
from crosslabel.intake.lift import Lift

CENTER, SPREAD = np.arange(9.0), np.linspace(0.5, 3, 9)
SOME, OTHERS = np.array([0, 3, 4]), np.array([1, 0, 5, 2])


def drawn():
    rows = np.random.default_rng(0).normal(size=(6, 9)) * np.array([1e-3, 1, 1, 5, 40, 1])[:, None]
    rows[2] = 0
    return rows


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (Lift(), LiftPlan(Lift(offset=2.0))),
        (Lift(CENTER, SPREAD), LiftPlan(Lift(CENTER, SPREAD, offset=3.0))),
        (Lift(CENTER, SPREAD, 3.0), LiftPlan(Lift(CENTER, SPREAD, unit=False), "rbf", 0.1)),
        (Lift(), LiftPlan(Lift(unit=False), "rbf", 1e-3)),
    ],
)
def test_products_follow_from_those_of_another_lift(source, target):
    X = drawn()
    before, rows = source(X), target.lift(X)
    inner = carried(target, rows, LiftPlan(source), lambda a, b: before[a] @ before[b].T)
    expected = rows @ rows.T if target.kernel is None else rbf_kernel(rows, gamma=target.gamma)
    assert np.allclose(inner(SOME, OTHERS), expected[SOME][:, OTHERS], rtol=1e-12, atol=1e-14)


def test_the_kernel_of_unit_rows_follows_from_their_products():
    lift = Lift()
    rows = lift(drawn())
    plan = LiftPlan(lift, "rbf", 2.0)
    inner = carried(plan, rows, LiftPlan(lift), lambda a, b: rows[a] @ rows[b].T)
    expected = rbf_kernel(rows, gamma=2.0)  # of which one is zero
    assert np.allclose(inner(SOME, OTHERS), expected[SOME][:, OTHERS], rtol=1e-12)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (LiftPlan(Lift()), LiftPlan(Lift(CENTER, SPREAD))),
        (LiftPlan(Lift(unit=False)), LiftPlan(Lift(offset=1.0))),
        (LiftPlan(Lift(offset=1.0)), LiftPlan(Lift(offset=2.0))),
        (LiftPlan(Lift(), "rbf"), LiftPlan(Lift(offset=1.0))),
        (LiftPlan(Lift()), LiftPlan(Lift(offset=1.0), "rbf")),
        (LiftPlan(Lift()), LiftPlan(Lift(unit=False), "poly")),
    ],
)
def test_of_unlike_lifts_nothing_follows(source, target):
    X = drawn()
    assert carried(target, target.lift(X), source, lambda a, b: X[a] @ X[b].T) is None
