import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import spectral
from crosslabel.core.atoms import AtomLayout
from crosslabel.core.gpu import closed_form as device
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.rotation import exemplars
from tests import naive
from tests.core.problems import samples

COUNTS = (3, 9, 9, 10, 20, 1)


def class_rows(n_features, dtype=np.float64):
    X, labels = samples(np.random.default_rng(0), COUNTS, n_features)
    weights = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    rows = device.ClassRows.of(torch.as_tensor(X.astype(dtype)), torch.as_tensor(weights), COUNTS)
    return rows, Moments.from_samples(X, labels, len(COUNTS), weights)


@pytest.mark.parametrize("n_features", [6, 12, 40])
@pytest.mark.parametrize("together", [1, 2**26])
@pytest.mark.parametrize("looked_at", [None, 5, 64])
def test_atoms_and_objectives_are_those_of_the_host(n_features, together, looked_at, monkeypatch):
    """Classes of fewer and more samples than features, of fewer samples than atoms."""
    monkeypatch.setattr(device, "TOGETHER", together)
    rows, statistics = class_rows(n_features)
    layout, likeness = AtomLayout(0, (3, 4, 5, 4, 4, 1)), None
    if looked_at is not None:
        parts = np.split(rows.X.numpy(), np.cumsum(COUNTS)[:-1])
        few = [part[:looked_at] for part in parts]
        likeness = np.concatenate(
            [part[exemplars(part, k)] for part, k in zip(few, layout.per_class)]
        )
    expected = spectral.closed_form(statistics, layout, Penalties(0.05, np.inf, 0.0), likeness)
    found = device.closed_form(rows, layout.per_class, 0.05, looked_at)
    if looked_at is None:
        # Rows of equal norm may then turn in either order: what they span is the same.
        for c in range(layout.n_classes):
            mine, theirs = found.atoms.numpy()[layout.own(c)], expected.dictionary[layout.own(c)]
            assert_allclose(mine.T @ mine, theirs.T @ theirs, atol=1e-10)
    else:
        assert_allclose(found.atoms.numpy(), expected.dictionary, atol=1e-10)
    assert_allclose(found.atoms.norm(dim=1).numpy(), 1)
    assert_allclose(found.values.numpy(), np.ravel(expected.apart), atol=1e-10)
    assert not found.unused.any()


def test_float32_stays_float32_and_zeros_use_no_atom():
    rows, _ = class_rows(12, np.float32)
    rows.X[3:12] = 0  # the second class
    found = device.closed_form(rows, (2,) * 6, 0.05, 64)
    assert found.atoms.dtype == torch.float32
    assert_allclose(found.atoms.norm(dim=1).numpy(), 1, rtol=1e-6)
    assert_array_equal(np.flatnonzero(found.unused.numpy()), [2, 3])


def test_atoms_are_turned_by_the_weighted_means_of_their_classes(monkeypatch):
    calls = naive.captured(monkeypatch, device, "unit_atoms")
    rows, statistics = class_rows(12)
    device.closed_form(rows, (3, 4, 5, 4, 4, 1), 0.05, None)
    means = np.concatenate([args[3].numpy() for args, _, _ in calls])
    by_first = np.argsort(means[:, 0]), np.argsort(statistics.means[:, 0])
    assert_allclose(means[by_first[0]], statistics.means[by_first[1]])


def test_several_sets_of_samples_are_solved_together_as_each_alone():
    """Of other widths, atoms and ridges."""
    sets = [class_rows(12)[0], class_rows(13)[0], class_rows(11)[0]]
    sizes, ridges = [(3, 4, 5, 4, 4, 1), (2,) * 6, (5, 4, 3, 2, 1, 1)], [0.05, 0.5, 2.0]
    alone = [device.closed_form(*one, 64) for one in zip(sets, sizes, ridges)]
    together, per_class = device.ClassRows.stacked(sets), [k for own in sizes for k in own]
    found, atoms = device.closed_form(together, per_class, np.repeat(ridges, 6), 64), 0
    for k, (one, rows) in enumerate(zip(alone, sets)):
        own = found.part(slice(6 * k, 6 * k + 6), slice(atoms, atoms + len(one.atoms)))
        atoms += len(one.atoms)
        width = rows.X.shape[1]
        assert_allclose(own.atoms[:, :width].numpy(), one.atoms.numpy(), atol=1e-10)
        assert not own.atoms[:, width:].any()
        assert_allclose(own.values.numpy(), one.values.numpy(), rtol=1e-10)
        assert_array_equal(own.unused.numpy(), one.unused.numpy())


@pytest.mark.parametrize("shown", range(len(COUNTS) + 1))
def test_the_first_classes_alone_are_given_likeness(shown):
    rows, per_class = class_rows(12)[0], (3, 4, 5, 4, 4, 1)
    found = device.closed_form(rows, per_class, 0.05, 64, shown).atoms
    likely, free = (device.closed_form(rows, per_class, 0.05, n).atoms for n in (64, None))
    n_likely = sum(per_class[:shown])
    assert_allclose(found.numpy(), torch.cat([likely[:n_likely], free[n_likely:]]), atol=1e-10)
