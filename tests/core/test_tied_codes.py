import numpy as np
from numpy.testing import assert_allclose

from crosslabel.core.tied_codes import FeatureGroup, tied_codes


def problem():
    rng = np.random.default_rng(0)
    Ds = [rng.normal(size=(m, 12)) for m in (4, 5, 6)]
    return Ds, [FeatureGroup.of(D) for D in Ds], [rng.normal(size=(7, len(D))) for D in Ds]


def test_codes_minimise_the_objective_for_the_weights_they_were_found_with():
    Ds, groups, ys = problem()
    first = np.exp(-1.0)  # the weights of the first round
    codes = tied_codes(groups, ys, 0.1, 0.5, 1.0, 1).codes
    mean = sum(codes) / 3
    for D, y, code in zip(Ds, ys, codes):
        slope = (code @ D.T - y) @ D + 0.1 * code + 0.5 * first * (code - mean)
        assert_allclose(slope, 0, atol=1e-4)


def test_the_objective_never_rises_and_the_weights_follow_the_codes():
    _, groups, ys = problem()
    solution = tied_codes(groups, ys, 0.05, 2.0, 0.3, 8)
    assert (np.diff(solution.objective, axis=0) <= 1e-9).all()
    assert all(((w > 0) & (w <= np.exp(-1))).all() for w in solution.weights)


def test_without_a_tie_each_group_has_its_own_ridge_code():
    Ds, groups, ys = problem()
    for D, y, code in zip(Ds, ys, tied_codes(groups, ys, 0.1, 0.0, 1.0, 1).codes):
        assert_allclose(code, y @ D @ np.linalg.inv(D.T @ D + 0.1 * np.eye(12)), atol=1e-8)
