"""The loop on a device gives what NumPy's gives. CI has no GPU: the device is torch's CPU."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from crosslabel.core import solver as plain
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gpu import solver as gpu
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import unit_rows

CPU = torch.device("cpu")
PAPER = Penalties(8e-3, 2e3, 2e-2)


def problem(n_features, sizes, atoms, shared, dtype=np.float64):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(len(sizes)), sizes)
    means = 1 + rng.standard_normal((len(sizes), n_features))
    X = unit_rows(means[y] + rng.standard_normal((len(y), n_features))).astype(dtype)
    start = unit_rows(rng.standard_normal((shared + sum(atoms), n_features))).astype(dtype)
    statistics = Moments.from_samples(X, y, len(sizes))
    return statistics, start, AtomLayout(shared, tuple(atoms))


SHAPES = [
    pytest.param((30, [9] * 4, [4] * 4, 0), id="balanced"),
    pytest.param((300, [9] * 4, [4] * 4, 3), id="fewer atoms than features"),
    pytest.param((20, [9, 12, 7, 15], [4, 5, 3, 6], 5), id="unbalanced, shared atoms"),
    pytest.param((20, [30] * 9, [12] * 9, 40), id="several chunks and blocks"),
]


@pytest.mark.parametrize(
    "penalties",
    [PAPER, Penalties(1e-2, 1.5, 0.5), Penalties(1e-2, 0.0, 0.5), Penalties(1e-2, 0.3, 0.0)],
)
@pytest.mark.parametrize("shape", SHAPES)
def test_same_dictionary_and_trace_as_on_the_host(shape, penalties):
    statistics, start, layout = problem(*shape)
    expected = plain.learn(statistics, start, layout, penalties, max_iter=6)
    found = gpu.learn(statistics, start, layout, penalties, device=CPU, max_iter=6)
    np.testing.assert_allclose(found.dictionary, expected.dictionary, atol=1e-9)
    np.testing.assert_allclose(found.trace, expected.trace, rtol=1e-9)
    np.testing.assert_array_equal(found.unused, expected.unused)


def test_objective_never_rises():
    statistics, start, layout = problem(20, [9, 12, 7, 15], [4, 5, 3, 6], 5)
    trace = gpu.learn(statistics, start, layout, PAPER, device=CPU, max_iter=30).trace
    assert np.all(np.diff(trace) <= 1e-12 * abs(trace[0]))


def test_stops_where_the_rule_says_although_it_looks_seldom():
    statistics, start, layout = problem(30, [9] * 4, [4] * 4, 0)
    expected = plain.learn(statistics, start, layout, PAPER, max_iter=50, tol=1e-4)
    found = gpu.learn(statistics, start, layout, PAPER, device=CPU, max_iter=50, tol=1e-4)
    assert len(found.trace) == len(expected.trace)
    assert len(found.trace) % gpu.LOOK != 0  # the stop lies between two looks
    np.testing.assert_allclose(found.dictionary, expected.dictionary, atol=1e-9)


def test_a_callback_sees_every_iteration_and_can_stop():
    statistics, start, layout = problem(30, [9] * 4, [4] * 4, 0)
    seen = []

    def stop_at_five(iteration, value):
        seen.append((iteration, value))
        return iteration == 5

    found = gpu.learn(
        statistics, start, layout, PAPER, device=CPU, max_iter=20, callback=stop_at_five
    )
    assert seen == list(enumerate(found.trace))
    assert len(seen) == 6


def test_an_atom_that_no_code_uses_keeps_its_value_and_is_reported():
    statistics, start, layout = problem(30, [9] * 4, [4] * 4, 0)
    start[:, -1] = 0
    start[3] = np.arange(30) == 29  # no sample and no other atom has any of it
    flat = Moments(
        statistics.counts,
        np.where(np.arange(30) == 29, 0, statistics.means),
        tuple(
            s._replace(array=np.where(np.arange(30) == 29, 0, s.array)) for s in statistics.scatters
        ),
    )
    found = gpu.learn(flat, start, layout, Penalties(1e-2, 0.0, 0.0), device=CPU, max_iter=1)
    assert found.unused.tolist() == [j == 3 for j in range(16)]
    np.testing.assert_array_equal(found.dictionary[3], start[3])


def test_float32_samples_give_a_float32_dictionary():
    statistics, start, layout = problem(30, [9] * 4, [4] * 4, 2, np.float32)
    found = gpu.learn(statistics, start, layout, PAPER, device=CPU, max_iter=3)
    expected = plain.learn(statistics, start, layout, PAPER, max_iter=3)
    assert found.dictionary.dtype == np.float32
    np.testing.assert_allclose(found.dictionary, expected.dictionary, atol=1e-3)


def test_dependent_atoms_without_ridge_are_an_error_that_names_the_class():
    statistics, start, layout = problem(30, [9] * 4, [4] * 4, 0)
    start[layout.own(2)] = start[layout.own(2)][0]
    with pytest.raises(np.linalg.LinAlgError, match="class 2 are not determined"):
        gpu.learn(statistics, start, layout, Penalties(0.0, 5.0, 0.0), device=CPU)
    with pytest.raises(np.linalg.LinAlgError, match="The codes are not determined"):
        gpu.learn(statistics, start, layout, Penalties(0.0, 0.0, 0.0), device=CPU)


class Scripted:
    """A sweep whose objective is written down; its dictionary is the number of the sweep."""

    def __init__(self, values):
        self.values = iter(values)
        self.dictionary, self.unused = torch.zeros(1), torch.zeros(1)

    def __call__(self):
        self.dictionary = self.dictionary + 1
        self.unused = self.dictionary
        return torch.tensor(next(self.values), dtype=torch.float64)

    def load(self, dictionary):
        self.dictionary = dictionary


@pytest.fixture(params=["one after the other", "with momentum"])
def iterate(request, monkeypatch):
    """Either loop; momentum is that of a plain step."""
    monkeypatch.setattr(gpu, "Momentum", lambda swept: swept)
    return gpu.iterate_ahead if "momentum" in request.param else gpu.iterate


@pytest.mark.parametrize(
    ("values", "tol", "n_iter"),
    [
        ([8.0, 4.0, 3.0, 2.9, 2.8, 2.7], 0.1, 4),
        ([2.0, 1.0, 0.5, 0.25, 0.125, 0.0625], 1.0, 6),  # falls by just the part: goes on
        ([1.0, 1.0, 0.5, 0.2, 0.1, 0.05], 0.01, 2),
        ([-1.0, -1.05, -2.0, -4.0, -8.0, -16.0], 0.1, 2),  # a part of the size, whatever the sign
        ([5.0, 4.0, 3.0, 2.0, 3.0, 1.0], 0.0, 5),  # a rise ends it
    ],
)
def test_the_rule_stops_where_the_objective_falls_by_less_than_a_part(iterate, values, tol, n_iter):
    D, unused, trace = iterate(Scripted(values), 6, tol)
    assert trace == values[:n_iter]
    assert float(D) == float(unused) == n_iter


def test_a_callback_stops_what_still_falls(iterate):
    values = [8.0, 4.0, 2.0, 1.0, 0.5]
    D, _, trace = iterate(Scripted(values), 5, 0.1, lambda iteration, value: value == 2.0)
    assert (float(D), trace) == (3, values[:3])


def test_the_memory_that_training_needs_is_said(monkeypatch):
    """Three matrices of atoms and classes; per feature, the atoms of nine states and all rows."""

    def too_small(*_):
        raise torch.OutOfMemoryError("too much")

    monkeypatch.setattr(gpu.Uploaded, "of", too_small)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (2**30, 2**31))
    scatters = [SimpleNamespace(array=range(30_000)), SimpleNamespace(array=range(50_000))]
    moments = SimpleNamespace(n_classes=20_000, n_features=7_000, scatters=scatters)
    dictionary = np.broadcast_to(0.0, (40_000, 7_000))
    needed = 3 * 8 * (40_000 + 20_000) ** 2 + 8 * 7_000 * (9 * 40_000 + 20_000 + 80_000)
    with pytest.raises(MemoryError, match=f"needs about {needed / 2**30:.1f} GiB on cpu"):
        gpu.learn(moments, dictionary, None, PAPER, device=CPU)
