"""A sweep of the limit on a device is that of the host. CI has no GPU: it is torch's CPU."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import solver as plain
from crosslabel.core.code_blocks import UndeterminedCodesError
from crosslabel.core.gpu import solver as gpu
from crosslabel.core.gpu.class_sweep import ClassSweep
from crosslabel.core.gpu.uploaded import Uploaded
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import unit_rows
from tests.core.gpu.test_solver import problem

CPU = torch.device("cpu")
SHAPES = [
    pytest.param((30, [9] * 4, [4] * 4, 3), id="balanced"),
    pytest.param((20, [1, 12, 7, 15, 2], [1, 5, 3, 5, 1], 5), id="unbalanced, one of one sample"),
    pytest.param((20, [30] * 9, [12] * 9, 40), id="several chunks of shared atoms"),
]


def learnt(shape, penalties, where=gpu.learn, dtype=np.float64, **more):
    statistics, start, layout = problem(*shape, dtype)
    place = {"device": CPU} if where is gpu.learn else {}
    return where(statistics, start, layout, penalties, **{"method": "class", **place, **more})


def assert_same(found, expected, atol=1e-9):
    assert_allclose(found.dictionary, expected.dictionary, atol=atol)
    assert_allclose(found.trace, expected.trace, rtol=atol)
    assert_array_equal(found.unused, expected.unused)


@pytest.mark.parametrize("momentum", [False, True])
@pytest.mark.parametrize("grouping", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_same_dictionary_and_trace_as_on_the_host(shape, grouping, momentum):
    penalties, more = Penalties(1e-2, np.inf, grouping), {"max_iter": 5, "momentum": momentum}
    expected = learnt(shape, penalties, plain.learn, **more)
    assert expected.trace[-1] < 0.99 * expected.trace[0]
    assert_same(learnt(shape, penalties, **more), expected)


@pytest.mark.parametrize("method", ["exact", "class"])
def test_an_approach_is_that_of_the_host(method):
    shape, penalties = (20, [9, 12, 7, 15], [4, 5, 3, 6], 5), Penalties(1e-2, 3.0, 0.3)
    more = {"method": method, "momentum": True, "approach": 7, "max_iter": 3}
    expected = learnt(shape, penalties, plain.learn, **more)
    assert_same(learnt(shape, penalties, **more), expected)
    without = learnt(shape, penalties, **{**more, "approach": 0})
    assert np.abs(without.dictionary - expected.dictionary).max() > 1e-3


def test_float32_samples_give_a_float32_dictionary():
    shape, penalties = (30, [9] * 4, [4] * 4, 3), Penalties(1e-2, np.inf, 0.1)
    found = learnt(shape, penalties, dtype=np.float32, max_iter=3)
    expected = learnt(shape, penalties, plain.learn, dtype=np.float32, max_iter=3)
    assert found.dictionary.dtype == np.float32
    assert_same(found, expected, 1e-3)


def test_an_atom_that_no_code_uses_keeps_its_value_and_is_reported():
    statistics, start, layout = problem(30, [9] * 4, [4] * 4, 2)
    apart = np.arange(30) == 29  # no sample and no other atom has any of it
    start[:, apart] = 0
    start[[1, 4]] = apart
    flat = Moments(
        statistics.counts,
        np.where(apart, 0, statistics.means),
        tuple(s._replace(array=np.where(apart, 0, s.array)) for s in statistics.scatters),
    )
    found = gpu.learn(
        flat, start, layout, Penalties(1e-2, np.inf, 0.1), device=CPU, method="class", max_iter=2
    )
    assert np.flatnonzero(found.unused).tolist() == [1, 4]
    assert_array_equal(found.dictionary[[1, 4]], start[[1, 4]])


def sweep_of(shape, penalties, start=None):
    statistics, given, layout = problem(*shape)
    D = torch.as_tensor(given if start is None else start)
    return ClassSweep(Uploaded.of(statistics, CPU), D, layout, penalties)


def test_atoms_keep_their_order_and_come_to_unit_norm():
    shape = (20, [9, 12, 7, 15], [4, 5, 3, 4], 5)
    rng = np.random.default_rng(1)
    start, other = rng.standard_normal((2, 21, 20))
    sweep = sweep_of(shape, Penalties(0.1, np.inf, 0.0), start)
    assert_allclose(sweep.dictionary, unit_rows(start))
    sweep.load(torch.as_tensor(unit_rows(other)))
    assert_allclose(sweep.dictionary, unit_rows(other))


def test_classes_of_about_one_size_go_together():
    sizes, atoms = [9, 10, 20, 9, 1], [4, 4, 4, 3, 1]
    parts = sweep_of((40, sizes, atoms, 2), Penalties(0.1, np.inf, 0.0)).parts
    assert [tuple(part.own.shape) for part in parts] == [
        (2, 4, 40), (1, 4, 40), (1, 3, 40), (1, 1, 40),
    ]  # fmt: skip
    assert [part.rows.shape[1] for part in parts] == [
        10,
        20,
        9,
        1,
    ]  # the mean is one, of rank n - 1


def test_nobody_looks_at_a_system_that_cannot_be_singular():
    shape = (40, [9] * 3, [4] * 3, 2)
    floor = np.finfo(float).eps * 6**2
    assert sweep_of(shape, Penalties(1.01 * floor, np.inf, 0.0)).is_safe
    assert not sweep_of(shape, Penalties(0.99 * floor, np.inf, 1.0)).is_safe


def test_all_stacks_must_be_safe():
    """Of classes with one atom and classes with nine."""
    shape = (40, [9, 20], [1, 9], 2)
    between = np.finfo(float).eps * 5**2
    assert not sweep_of(shape, Penalties(between, np.inf, 0.0)).is_safe


@pytest.mark.parametrize("scale", [1e-3, 1.0])
def test_the_floor_of_a_class_is_that_of_its_codes_and_rows(scale):
    """The floor of the shared atoms is the largest of them."""
    statistics, start, layout = problem(20, [9, 12, 7, 15], [4, 5, 3, 4], 5)
    scaled = Moments(
        statistics.counts,
        scale * statistics.means * np.array([1, 3, 0.1, 1])[:, None],
        tuple(s._replace(array=scale * s.array) for s in statistics.scatters),
    )
    uploaded = Uploaded.of(scaled, CPU)
    sweep = ClassSweep(uploaded, torch.as_tensor(start), layout, Penalties(0.1, np.inf, 0.0))
    floors = []
    for part in sweep.parts:
        coded = part.coded(sweep.atoms.dictionary, True)
        for X, Y, floor in zip(coded.codes.numpy(), part.rows.numpy(), coded.floors.tolist()):
            largest = np.linalg.norm(X.T @ Y, axis=1).max()
            assert_allclose(floor, 4 * np.finfo(float).eps * largest)
            floors.append(floor)
    sweep()
    assert_allclose(float(sweep.atoms.floor), max(floors))


def test_a_class_of_zeros_keeps_its_atoms():
    statistics, start, layout = problem(20, [9, 12], [4, 5], 2)
    empty = Moments(
        statistics.counts,
        statistics.means * np.array([[1], [0]]),
        tuple(s._replace(array=k * s.array) for k, s in enumerate(statistics.scatters[::-1]))[::-1],
    )
    sweep = ClassSweep(
        Uploaded.of(empty, CPU), torch.as_tensor(start), layout, Penalties(1, np.inf, 0)
    )
    sweep()
    assert_array_equal(sweep.unused.numpy()[layout.own(1)], True)
    assert_allclose(sweep.dictionary.numpy()[layout.own(1)], start[layout.own(1)])
    assert not sweep.unused.numpy()[layout.own(0)].any()


@pytest.mark.parametrize("grouping", [0.0, 0.5])
def test_dependent_atoms_without_ridge_are_an_error_that_names_the_class(grouping):
    statistics, start, layout = problem(30, [9] * 4, [4] * 4, 2)
    start[layout.own(2)] = start[layout.own(2)][0]
    with pytest.raises(UndeterminedCodesError, match="class 2 are not determined"):
        gpu.learn(
            statistics, start, layout, Penalties(0.0, np.inf, grouping), device=CPU, method="class"
        )
