"""On problems whose sweep is known, and on the solver's own."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core import solver
from crosslabel.core.momentum import Momentum
from crosslabel.core.objective import Penalties
from tests.core.gpu.test_solver import problem

PENALTIES = Penalties(8e-3, 20.0, 2e-2)


class Point(NamedTuple):
    dictionary: np.ndarray
    objective: float


def turned(angle):
    return np.array([[np.cos(angle), np.sin(angle)]])


def angle_of(D):
    return float(np.arctan2(D[0, 1], D[0, 0]))


def test_dictionaries_are_carried_on_by_the_weights_of_nesterov():
    asked = []

    def sweep(D):  # a tenth of the way to angle zero
        asked.append(D)
        return Point(turned(0.9 * angle_of(D)), angle_of(D) ** 2)

    ahead, D, known = Momentum(sweep), turned(1.0), [turned(1.0)]
    for _ in range(4):
        D = ahead(D).dictionary
        known.append(D)
    weights = [1.0]
    for _ in range(3):
        weights.append((1 + np.sqrt(1 + 4 * weights[-1] ** 2)) / 2)
    assert_allclose(asked[0], known[0])
    for k in range(1, 4):
        part = (weights[k - 1] - 1) / weights[k]
        expected = known[k] + part * (known[k] - known[k - 1])
        assert_allclose(asked[k], expected / np.linalg.norm(expected))
    assert angle_of(D) < 0.9**4


def test_a_rise_is_taken_back_and_the_weights_begin_anew():
    values = iter([3.0, 2.0, 5.0, 1.5, 1.0])
    asked = []

    def sweep(D):
        asked.append(D)
        return Point(turned(angle_of(D) - 0.1), next(values))

    ahead, D, found = Momentum(sweep), turned(1.0), []
    for _ in range(4):
        before = D
        D, value = ahead(D)
        found.append(value)
        if len(found) == 3:
            assert_allclose(asked[-1], before)
            assert ahead.weight == 1.0
    assert found == [3.0, 2.0, 1.5, 1.0]


@pytest.mark.parametrize("method", ["exact", "class"])
def test_the_objective_never_rises_and_falls_further(method):
    statistics, start, layout = problem(20, [9, 12, 7, 15], [4, 5, 3, 6], 5)
    runs = {}
    for momentum in (False, True):
        settings = {"method": method, "momentum": momentum, "max_iter": 40}
        trace = solver.learn(statistics, start, layout, PENALTIES, **settings).trace
        assert np.all(np.diff(trace) <= 1e-12 * trace[0])
        runs[momentum] = trace
    assert runs[True][-1] < runs[False][-1]


def test_a_device_does_the_same():
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install 'crosslabel[gpu]'")
    from crosslabel.core.gpu import solver as gpu

    statistics, start, layout = problem(30, [9] * 4, [4] * 4, 3)
    whole = statistics, start, layout, PENALTIES
    more = {"momentum": True, "max_iter": 30, "tol": 5e-3}
    here = solver.learn(*whole, **more)
    there = gpu.learn(*whole, device=torch.device("cpu"), **more)
    assert 5 < len(here.trace) < 30
    assert_allclose(there.trace, here.trace, rtol=1e-9)
    assert_allclose(there.dictionary, here.dictionary, atol=1e-8)


def test_atoms_of_zeros_are_carried_on_to_zeros():
    D, before = np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 0.0], [0.6, 0.8]])
    ahead = Momentum(lambda D: Point(D, 0.0), before, weight=3.0)
    part = 2 / ((1 + np.sqrt(37)) / 2)
    expected = np.array([-0.6, 0.2]) * part + [0, 1]
    found = ahead(D).dictionary
    assert_allclose(found, [[0, 0], expected / np.linalg.norm(expected)])
