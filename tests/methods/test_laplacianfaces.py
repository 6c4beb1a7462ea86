import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import Laplacianfaces
from crosslabel.methods.laplacianfaces import principal_components
from tests import naive

X, LABELS = naive.problem(sizes=(7, 6, 5), n_features=5)


def graph(samples, k):
    """Heat weights of neighbours, in either direction, scaled to one unit of degree per sample."""
    n = len(samples)
    distances = np.array([[((a - b) ** 2).sum() for b in samples] for a in samples])
    near = [[j for j in np.argsort(row) if j != i][:k] for i, row in enumerate(distances)]
    t = np.mean([distances[i, j] for i in range(n) for j in near[i]])
    S = np.zeros((n, n))
    for i in range(n):
        for j in near[i]:
            S[i, j] = S[j, i] = np.exp(-distances[i, j] / t)
    return S * n / S.sum()


def whole_graph(supervised, k):
    if not supervised:
        return graph(X, k)
    S = np.zeros((len(X), len(X)))
    for c in range(3):
        own = np.flatnonzero(c == LABELS)
        S[np.ix_(own, own)] = graph(X[own], k)
    return S


def ratio(a, S):
    """Σ S_ij (aᵀx_i − aᵀx_j)² / 2 over Σ d_i (aᵀx_i)², with centred samples."""
    values = (X - X.mean(axis=0)) @ a
    apart = sum(
        S[i, j] * (values[i] - values[j]) ** 2 for i in range(len(X)) for j in range(len(X))
    )
    return apart / 2 / (S.sum(axis=1) * values**2).sum()


@pytest.mark.parametrize("supervised", [True, False])
def test_directions_are_the_least_ratios_of_the_paper(supervised):
    model = naive.learn(
        Laplacianfaces(4, n_neighbors=2, energy=1, supervised=supervised), X, LABELS
    )
    S = whole_graph(supervised, 2)
    centred = X - X.mean(axis=0)
    degrees = np.diag(S.sum(axis=1))
    values = np.linalg.eigvals(
        np.linalg.solve(centred.T @ degrees @ centred, centred.T @ (degrees - S) @ centred)
    )
    ratios = [ratio(a, S) for a in model.components_]
    assert_allclose(ratios, np.sort(values.real)[:4], atol=1e-9)
    embedded = centred @ model.components_.T
    assert_allclose(embedded.T @ degrees @ embedded, np.eye(4), atol=1e-9)
    assert_allclose(model.embedding_, embedded, atol=1e-10)


def test_the_nearest_sample_after_the_map_decides():
    model = naive.learn(Laplacianfaces(2), X, LABELS)
    Q = naive.queries(5)
    mapped = (Q - X.mean(axis=0)) @ model.components_.T
    expected = [
        [-min(((q - p) ** 2).sum() for p in model.embedding_[c == LABELS]) for c in range(3)]
        for q in mapped
    ]
    assert_allclose(model._scores(Q), expected, atol=1e-10)


@pytest.mark.parametrize(("energy", "expected"), [(0.5, 1), (0.85, 2), (0.95, 3), (1, 3)])
def test_principal_components_are_as_few_as_hold_the_energy(energy, expected):
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 3)))[0].T
    rows = np.diag(np.sqrt([6.0, 3.0, 1.0])) @ axes  # the energies 0.6, 0.3 and 0.1
    basis = principal_components(np.concatenate([rows, -rows]), energy)
    assert_allclose(np.abs(basis @ axes.T), np.eye(3)[:expected], atol=1e-12)


def test_samples_that_do_not_vary_have_no_components():
    assert principal_components(np.zeros((3, 4)), 0.98).shape == (0, 4)


def test_a_single_row_is_its_own_component():
    assert_allclose(np.abs(principal_components(np.array([[3.0, 4.0]]), 1)), [[0.6, 0.8]])


def test_the_map_sees_the_principal_components_of_centred_samples():
    model = naive.learn(Laplacianfaces(2, energy=0.7), X, LABELS)
    _, values, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    few = np.searchsorted(np.cumsum(values**2) / (values**2).sum(), 0.7) + 1
    assert few < len(axes)
    assert_allclose(model.components_ @ axes[few:].T, 0, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_components_of_rounding_are_left_out(scale):
    rng = np.random.default_rng(0)
    rows = scale * rng.normal(size=(6, 2)) @ rng.normal(size=(2, 5))
    basis = principal_components(rows, 1)
    assert len(basis) == 2
    assert_allclose(rows @ basis.T @ basis, rows, atol=1e-12 * scale)


def test_there_is_one_direction_less_than_classes_where_none_are_named():
    assert naive.learn(Laplacianfaces(None), X, LABELS).components_.shape == (2, 5)
