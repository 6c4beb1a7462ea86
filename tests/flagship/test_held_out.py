"""Scores of left-out samples against models that are trained without them, written out."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from crosslabel.core.spectral import energies
from crosslabel.flagship import held_out
from crosslabel.flagship.held_out import (
    Samples,
    axes_of,
    discriminants,
    global_evidence,
    local_evidence,
)


def drawn(n=24, m=6, seed=0, short=True):
    """Samples, known by short rows or by ones that are longer than there are samples."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    rows = rng.normal(size=(n, m)) + 2 * rng.normal(size=(3, m))[labels]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    fold, weights = np.arange(n) // 3 % 2, rng.uniform(0.5, 2, n)
    long = np.linalg.qr(rng.normal(size=(2 * n, m)))[0]
    return Samples(rows if short else rows @ long.T, labels, fold, weights), rows


def class_energy(samples, rows, label, n_atoms, ridge):
    """Q_c of the samples that fold 1 does not leave out."""
    members = (samples.labels == label) & (samples.fold != 1)
    weighted = np.sqrt(samples.weights[members])[:, None] * rows[members]
    _, s, axes = np.linalg.svd(weighted, full_matrices=False)
    q = energies(s, min(n_atoms, members.sum()), ridge)
    return (axes.T * q) @ axes


@pytest.mark.parametrize("short", [True, False])
@pytest.mark.parametrize(("n_atoms", "ridge"), [(2, 0.1), (30, 0.01), (3, 2.0)])
def test_local_evidence_is_of_the_exact_residual(n_atoms, ridge, short):
    samples, rows = drawn(short=short)
    (axes,) = axes_of([samples], 1, [(n_atoms, ridge)])
    (found,) = local_evidence(samples, 1, axes, [(n_atoms, ridge)])
    for place, query in enumerate(rows[samples.fold == 1]):
        for label in range(3):
            Q = class_energy(samples, rows, label, n_atoms, ridge)
            residual = np.sum(np.linalg.solve(np.eye(6) + Q / ridge, query) ** 2)
            assert found[place, label] == pytest.approx(-np.log(residual), rel=1e-6)


@pytest.mark.parametrize("short", [True, False])
def test_classes_of_other_sizes_stay_where_they_are(short):
    """Axes come by the size of the class, scores in the order of the classes."""
    samples, rows = drawn(short=short)
    labels = np.array([2, 0, 2, 1, 2, 0, 1, 2] * 3)
    samples = replace(samples, labels=labels, fold=np.arange(24) // 8 % 2)
    (axes,) = axes_of([samples], 1, [(3, 0.05)])
    assert [one.classes.tolist() for one in axes] == [[0, 1], [2]]
    rules = global_evidence(samples, 1, axes, 3, 0.05)
    (local,) = local_evidence(samples, 1, axes, [(3, 0.05)])
    energy = [class_energy(samples, rows, label, 3, 0.05) for label in range(3)]
    for place, query in enumerate(rows[samples.fold == 1]):
        z = np.linalg.solve(sum(energy) + 0.05 * np.eye(6), query)
        for label, Q in enumerate(energy):
            bare = -np.log(np.sum((query - Q @ z) ** 2))
            assert rules["global-residual"][place, label] == pytest.approx(bare, rel=1e-6)
            alone = np.sum(np.linalg.solve(np.eye(6) + Q / 0.05, query) ** 2)
            assert local[place, label] == pytest.approx(-np.log(alone), rel=1e-6)


@pytest.mark.parametrize("short", [True, False])
def test_global_evidence_is_of_one_code_over_all_atoms(short):
    samples, rows = drawn(short=short)
    (axes,) = axes_of([samples], 1, [(3, 0.05)])
    found = global_evidence(samples, 1, axes, 3, 0.05)
    energy = [class_energy(samples, rows, label, 3, 0.05) for label in range(3)]
    for place, query in enumerate(rows[samples.fold == 1]):
        z = np.linalg.solve(sum(energy) + 0.05 * np.eye(6), query)
        for label, Q in enumerate(energy):
            bare = -np.log(np.sum((query - Q @ z) ** 2))
            assert found["global-residual"][place, label] == pytest.approx(bare, rel=1e-6)
            longer = bare + 0.5 * np.log(z @ Q @ z)
            assert found["global-length"][place, label] == pytest.approx(longer, rel=1e-6)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("shrinkage", [0.01, 1.0])
def test_discriminants_are_those_of_the_other_folds(shrinkage, own):
    samples, rows = drawn()
    if own:  # features of unlike units
        rows = rows * 3.0 ** np.arange(6)
        samples = replace(samples, scaled=rows, own_variances=True)
    (found,) = discriminants(samples, 1, [shrinkage])
    seen, w = samples.fold != 1, samples.weights
    means, W = [], np.zeros((6, 6))
    for label in range(3):
        members = seen & (samples.labels == label)
        means.append(np.average(rows[members], axis=0, weights=w[members]))
        for row, weight in zip(rows[members], w[members]):
            W += weight * np.outer(row - means[-1], row - means[-1]) / w[seen].sum()
    W += shrinkage * np.diag(np.diag(W) if own else np.full(6, np.trace(W) / 6))
    for place, query in enumerate(rows[samples.fold == 1]):
        for label, mean in enumerate(means):
            expected = mean @ np.linalg.solve(W, query) - 0.5 * mean @ np.linalg.solve(W, mean)
            assert found[place, label] == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("own", [False, True])
def test_each_shrinkage_has_the_discriminant_that_it_has_alone(own):
    samples = replace(drawn()[0], own_variances=own)
    shrinkages = [3.0, 0.01, 1.0]
    together = discriminants(samples, 1, shrinkages)
    for found, shrinkage in zip(together, shrinkages):
        np.testing.assert_allclose(found, discriminants(samples, 1, [shrinkage])[0])


@pytest.mark.parametrize("shrinkage", [0.01, 1.0])
@pytest.mark.parametrize("varies", [True, False])
def test_discriminants_of_long_rows_are_the_same_by_products(shrinkage, varies):
    rng = np.random.default_rng(1)
    labels, fold = np.r_[np.arange(12) % 3, 3], np.r_[np.arange(12) // 3 % 2, 1]
    rows = rng.normal(size=(13, 20)) if varies else 10 * np.eye(4, 20)[labels]
    weights = rng.uniform(0.5, 2, 13)
    (found,) = discriminants(Samples(rows, labels, fold, weights), 1, [shrinkage])
    seen = np.flatnonzero(fold != 1)
    means = [
        np.average(rows[own], axis=0, weights=weights[own])
        for own in [*(seen[labels[seen] == c] for c in range(3)), seen]  # class 3 is left out
    ]
    W = np.zeros((20, 20))
    for i in seen:
        W += weights[i] * np.outer(*2 * [rows[i] - means[labels[i]]]) / weights[seen].sum()
    # Samples that do not vary are measured by their energy.
    scale = np.trace(W) / 13 if varies else 100.0
    solved = np.linalg.solve(W + shrinkage * scale * np.eye(20), np.transpose(means))
    expected = rows[fold == 1] @ solved - 0.5 * np.diag(means @ solved)
    assert np.allclose(found, expected)


def test_features_that_count_are_kept_where_samples_are_fewer():
    rows = np.random.default_rng(0).normal(size=(6, 9)) * 2.0 ** np.arange(9)
    labels, fold = np.arange(6) % 2, np.arange(6) // 2
    samples = Samples(rows, labels, fold, np.ones(6), own_variances=True)
    (found,) = discriminants(samples, 0, [0.5])
    seen = fold != 0
    means = np.array([rows[seen & (labels == c)].mean(axis=0) for c in range(2)])
    rest = rows[seen] - means[labels[seen]]
    W = rest.T @ rest / seen.sum()
    solved = np.linalg.solve(W + 0.5 * np.diag(np.diag(W)), means.T)
    expected = rows[:2] @ solved - 0.5 * np.diag(means @ solved)
    assert np.allclose(found, expected)


def test_a_kernel_is_known_by_its_products():
    samples, rows = drawn()

    def kernel(some, others):
        return rbf_kernel(some, others, gamma=0.7)

    curved = Samples(rows, samples.labels, samples.fold, samples.weights, kernel)
    exact = np.array([[np.exp(-0.7 * np.sum((a - b) ** 2)) for b in rows] for a in rows])
    some, others = np.array([1, 4, 2]), np.array([3, 5])
    assert np.allclose(curved.inner(some, others), exact[np.ix_(some, others)])
    known = Samples(np.linalg.cholesky(exact), samples.labels, samples.fold, samples.weights)
    for_kernel, for_rows = axes_of([curved, known], 1, [(3, 0.1)])
    found = local_evidence(curved, 1, for_kernel, [(3, 0.1)])
    assert np.allclose(found, local_evidence(known, 1, for_rows, [(3, 0.1)]), atol=1e-6)
    assert np.allclose(discriminants(curved, 1, [0.5]), discriminants(known, 1, [0.5]))


@pytest.mark.parametrize("short", [True, False])
@pytest.mark.parametrize("gamma", [None, 0.7])
@pytest.mark.parametrize("many", [0, 500])
def test_products_and_squared_norms_are_the_same_found_at_once_or_not(
    short, gamma, many, monkeypatch
):
    monkeypatch.setattr(held_out, "_MANY", many)
    monkeypatch.setattr(held_out, "_CHUNK", 5)
    samples, _ = drawn(short=short)
    rows = samples.scaled
    if gamma is None:
        exact = np.array([[a @ b for b in rows] for a in rows])
    else:
        samples = replace(samples, kernel=lambda a, b: rbf_kernel(a, b, gamma=gamma))
        exact = np.array([[np.exp(-gamma * np.sum((a - b) ** 2)) for b in rows] for a in rows])
    some, others = np.array([1, 4, 2]), np.array([3, 5])
    assert_allclose(samples.energy, np.diag(exact))
    assert_allclose(samples.inner(some, others), exact[np.ix_(some, others)], atol=1e-12)


def test_a_class_of_zeros_explains_nothing():
    rows = np.r_[np.zeros((4, 3)), np.eye(3), np.eye(3)[:1]]
    samples = Samples(rows, np.repeat([0, 1], 4), np.arange(8) % 2, np.ones(8))
    (axes,) = axes_of([samples], 1, [(2, 0.1)])
    found = local_evidence(samples, 1, axes, [(2, 0.1)])[0]
    assert np.allclose(found[2:, 0], 0)  # the first two queries are zeros themselves
    rules = global_evidence(samples, 1, axes, 2, 0.1)
    assert all(np.isfinite(scores).all() for scores in rules.values())


def test_samples_that_do_not_vary_leave_the_nearest_mean():
    rows = np.repeat(np.eye(3), 4, axis=0)
    samples = Samples(rows, np.repeat([0, 1, 2], 4), np.arange(12) % 2, np.ones(12))
    for found in discriminants(samples, 1, [0.01, 10.0]):
        assert np.array_equal(found.argmax(axis=1), samples.labels[samples.left_out(1)])


def written_out(rows, labels, seen, weights, shrinkage):
    """g_c of the samples that are not seen; a class without samples has the mean of all."""
    everything = np.average(rows[seen], axis=0, weights=weights[seen])
    means, W = [], np.zeros((rows.shape[1],) * 2)
    for label in np.unique(labels):
        own = seen & (labels == label)
        mean = np.average(rows[own], axis=0, weights=weights[own]) if own.any() else everything
        means.append(mean)
        for row, weight in zip(rows[own], weights[own]):
            W += weight * np.outer(row - mean, row - mean) / weights[seen].sum()
    scale = np.trace(W) / len(W)
    if scale == 0:
        scale = sum(weights[seen] * np.sum(rows[seen] ** 2, axis=1)) / weights[seen].sum()
    W += shrinkage * scale * np.eye(len(W))
    solved = np.linalg.solve(W, np.array(means).T)
    return rows[~seen] @ solved - 0.5 * np.sum(np.array(means).T * solved, axis=0)


@pytest.mark.parametrize("weight", [0.125, 1.0, 2.0])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_a_class_that_is_left_out_whole_has_the_mean_of_all(weight, scale):
    """Weights are powers of two, so that nothing is left of the class, not even rounding."""
    rng = np.random.default_rng(0)
    labels, fold = np.r_[np.arange(12) % 2, [2, 2]], np.r_[np.arange(12) // 2 % 3, [1, 1]]
    rows = scale * (rng.normal(size=(14, 4)) + 2 * rng.normal(size=(3, 4))[labels])
    weights = np.full(14, weight)
    if weight < 1:
        weights[3] = 1.0
    (found,) = discriminants(Samples(rows, labels, fold, weights), 1, [0.3])
    assert np.allclose(found, written_out(rows, labels, fold != 1, weights, 0.3))


def test_samples_that_hardly_vary_still_do():
    rng = np.random.default_rng(0)
    labels, fold = np.arange(24) % 3, np.arange(24) // 3 % 2
    rows = np.eye(3)[labels] + 3e-6 * rng.normal(size=(24, 3))
    (found,) = discriminants(Samples(rows, labels, fold, np.ones(24)), 1, [0.5])
    expected = written_out(rows, labels, fold != 1, np.ones(24), 0.5)
    assert np.allclose(found, expected, rtol=1e-3)


@pytest.mark.parametrize("scale", [0.25, 8.0])
def test_samples_that_do_not_vary_are_shrunk_by_their_energy(scale):
    labels, fold = np.repeat([0, 1, 2], 4), np.arange(12) % 2
    rows = scale * np.eye(3)[labels]
    (found,) = discriminants(Samples(rows, labels, fold, np.ones(12)), 1, [0.5])
    assert np.allclose(found, written_out(rows, labels, fold != 1, np.ones(12), 0.5))
    nothing = Samples(0 * rows, labels, fold, np.ones(12))
    assert np.array_equal(discriminants(nothing, 1, [0.5]), np.zeros((1, 6, 3)))


def test_a_class_of_no_mass_has_the_length_of_the_guard():
    rows = np.r_[np.zeros((4, 3)), np.eye(3), np.eye(3)[:1]]
    samples = Samples(rows, np.repeat([0, 1], 4), np.arange(8) % 2, np.ones(8))
    (axes,) = axes_of([samples], 1, [(2, 0.1)])
    found = global_evidence(samples, 1, axes, 2, 0.1)
    length = found["global-length"][2:, 0] - found["global-residual"][2:, 0]
    assert np.allclose(length, np.log(1e-9))


def alone(samples, number, *grid):
    """Axes of samples in one lift."""
    (found,) = axes_of([samples], number, grid)
    return found


def samples_of(sizes, scale=1.0, n_features=6, place=np.asarray):
    """Weighted samples of classes of these sizes; every fifth is left out by fold 0."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows = scale * rng.normal(size=(len(labels), n_features))
    fold = np.arange(len(labels)) % 5
    return Samples(place(rows), labels, fold, rng.uniform(0.5, 2, len(labels)))


def test_several_lifts_have_the_axes_of_each_alone():
    several, grid = [samples_of((6, 9, 7), scale) for scale in (1.0, 3.0)], [(2, 0.1), (4, 0.5)]
    for found, samples in zip(axes_of(several, 0, grid), several):
        for one, own in zip(found, alone(samples, 0, *grid), strict=True):
            assert_allclose(one.values, own.values)
            assert_allclose(one.combination, own.combination)
            assert_allclose(one.filled, own.filled)


def test_every_point_has_the_energies_of_its_atoms_and_ridge():
    samples, grid = samples_of((6, 9, 7)), [(2, 0.1), (20, 0.5), (3, 2.0)]
    for one in alone(samples, 0, *grid):
        for place, (n_atoms, ridge) in enumerate(grid):
            q = energies(one.values, min(n_atoms, one.members.shape[1]), ridge)
            assert_allclose(one.filled[:, place], q / (q + ridge))
        assert_allclose(one.at(grid[1:]), one.filled[:, 1:])


def test_a_device_takes_classes_of_about_one_size_together():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    sizes, grid = (12, 11, 8, 30, 13), [(3, 0.1), (50, 0.5)]
    samples, there = samples_of(sizes), samples_of(sizes, place=torch.as_tensor)
    queries = [local_evidence(one, 0, alone(one, 0, *grid), grid) for one in (samples, there)]
    assert len(alone(samples, 0, *grid)) == 4
    assert [one.classes.tolist() for one in alone(there, 0, *grid)] == [[2], [0, 1, 4], [3]]
    assert_allclose(queries[1].numpy(), queries[0], atol=1e-10)


def test_the_largest_axes_of_a_large_class_are_the_same_found_alone():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(240, 150))
    samples = Samples(rows, np.zeros(240, int), np.arange(240) % 2, np.ones(240))
    few, all_ = *alone(samples, 0, (5, 0.1)), *alone(samples, 0, (120, 0.1))
    assert few.values.shape == (1, 5)
    assert np.allclose(few.values, all_.values[:, :5])
    products = few.combination[0].T @ all_.combination[0, :, :5]
    assert np.allclose(np.abs(products), np.diag(few.values[0] ** -2))


def test_equal_samples_have_one_axis():
    rows = np.tile([0.6, 0.8], (4, 1))
    samples = Samples(rows, np.zeros(4, int), np.arange(4) % 2, np.ones(4))
    (found,) = alone(samples, 0, (2, 0.1))
    assert np.allclose(found.values, [[np.sqrt(2), 0]])
    assert not found.combination[..., 1].any()
    assert local_evidence(samples, 0, [found], [(2, 0.1)])[0].max() > 2


def test_a_sample_without_a_fold_is_in_every_training_part():
    rows = np.random.default_rng(0).normal(size=(7, 3))
    samples = Samples(rows, np.r_[0, np.repeat([1, 2], 3)], np.r_[-1, [0, 1, 2] * 2], np.ones(7))
    for number in range(3):
        (own,) = (one for one in alone(samples, number, (5, 0.1)) if 0 in one.classes)
        assert 0 in own.members


def test_more_axes_than_samples_may_be_asked_of_a_large_class():
    rows = np.random.default_rng(0).normal(size=(240, 150))
    samples = Samples(rows, np.zeros(240, int), np.arange(240) % 2, np.ones(240))
    (found,) = alone(samples, 0, (500, 0.1))
    expected = np.linalg.svd(rows[1::2], compute_uv=False)
    assert np.allclose(found.values, expected)


@pytest.mark.parametrize("together", [1, 40, held_out._TOGETHER])
@pytest.mark.parametrize("sizes", [(5, 4, 4, 4), (2,) * 104])
def test_axes_are_those_of_each_class_alone(sizes, together, monkeypatch):
    monkeypatch.setattr(held_out, "_TOGETHER", together)
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows, weights = rng.normal(size=(len(labels), 6)), rng.uniform(0.5, 2, len(labels))
    samples = Samples(rows, labels, np.full(len(labels), -1), weights)
    found = alone(samples, 0, (1, 0.1))
    assert sorted(np.concatenate([one.classes for one in found])) == list(range(len(sizes)))
    for c, members, values, combination in (each for one in found for each in zip(*one[:4])):
        own = np.sqrt(weights[labels == c])[:, None] * rows[labels == c]
        _, s, axis = np.linalg.svd(own)
        assert np.allclose(values, s[:1])
        assert np.allclose(np.abs(combination.T @ rows[members] @ axis[0]), 1)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_a_class_has_as_many_axes_as_its_rank_at_any_scale(scale):
    rng = np.random.default_rng(0)
    rows = scale * rng.normal(size=(60, 3)) @ rng.normal(size=(3, 50))
    samples = Samples(rows, np.zeros(60, int), np.full(60, -1), np.ones(60))
    (found,) = alone(samples, 0, (60, 0.1))
    assert np.count_nonzero(found.values) == 3
    assert not found.combination[..., 3:].any()
