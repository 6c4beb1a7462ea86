import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core import repulsion as module
from crosslabel.core.repulsion import Blocks, FewFeatures, ManyFeatures, blocks
from tests import naive

PARTS = [slice(0, 2), slice(2, 5), slice(5, 6)]
LABELS = np.array([0, 0, 1, 1, 1, 2])
ETA = 0.3


def dictionary(kind, n_features=8):
    """Atoms of which the Frobenius norm, or the largest row sum, bounds the form best."""
    D = np.random.default_rng(0).normal(size=(6, n_features))
    D = {"like": D + 2, "unlike": np.eye(6, n_features) + 0.01 * D, "any": D}[kind]
    return D / np.linalg.norm(D, axis=1, keepdims=True)


def moments(n_features):
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(9, 6)), rng.normal(size=(9, n_features))
    return X.T @ X, X.T @ Y


def literal(D, A, B, eta):
    value = eta * ((D @ D.T) ** 2)[LABELS[:, None] != LABELS].sum()
    for part in PARTS:
        value += np.vdot(D[part], A[part, part] @ D[part] - 2 * B[part])
    return value


@pytest.mark.parametrize("kind", ["like", "unlike", "any"])
@pytest.mark.parametrize("way", [FewFeatures, ManyFeatures])
@pytest.mark.parametrize("n_features", [4, 6, 8])
def test_each_block_takes_its_steps_from_where_the_others_have_moved(kind, way, n_features):
    D, (A, B) = dictionary(kind, n_features), moments(n_features)

    def curvature(Z, k):
        others = Z[LABELS[k] != LABELS]
        return A[k, k] + naive.eigenvalue_bound(2 * ETA * others.T @ others)

    by_hand, found = D, way(D.copy(), ETA)
    for _ in range(2):
        by_hand = naive.blocks_in_turn(
            lambda Z: literal(Z, A, B, ETA), by_hand, [range(6)[p] for p in PARTS], curvature, 2
        )
        for part in PARTS:
            found.update(part, A[part, part], B[part])
        assert_allclose(found.D, by_hand, atol=1e-9)
        assert_allclose(found.gram, found.D @ found.D.T, atol=1e-12)


def test_what_is_carried_along_is_that_of_the_atoms_where_they_are():
    D, (A, B) = dictionary("any"), moments(8)
    found = ManyFeatures(D.copy(), ETA)
    v = np.sign((D.T @ D) @ np.ones(8))
    assert_array_equal(found.signs, v)
    for part in [*PARTS, *PARTS]:
        found.update(part, A[part, part], B[part])
        overlap = found.D.T @ found.D
        assert_allclose(found.signed, overlap @ v, atol=1e-12)
        assert_allclose(found.square, (overlap**2).sum())


def of_few_values(singular):
    """Atoms of these singular values, along coordinates or not."""
    rng = np.random.default_rng(2)
    left = np.linalg.qr(rng.normal(size=(6, 6)))[0][:, : len(singular)]
    return (left * singular) @ np.linalg.qr(rng.normal(size=(8, len(singular))))[0].T


@pytest.mark.parametrize("D", [dictionary("like"), dictionary("unlike"), of_few_values([1.0, 0.1])])
def test_the_bound_is_the_least_of_three(D):
    found = ManyFeatures(D.copy(), ETA)
    for own in PARTS:
        rest = np.delete(D, np.arange(6)[own], axis=0)
        assert_allclose(found._bound(own), naive.eigenvalue_bound(rest.T @ rest))


def test_row_sums_are_not_formed_where_they_cannot_be_the_least(monkeypatch):
    formed = naive.captured(monkeypatch, module, "spectral_bound")
    ManyFeatures(dictionary("like"), ETA)._bound(PARTS[0])
    assert not formed
    ManyFeatures(dictionary("unlike"), ETA)._bound(PARTS[0])
    assert len(formed) == 1


def test_the_way_is_that_of_the_smaller_products():
    assert type(blocks(np.eye(3, 4), 1.0)) is type(blocks(np.eye(3), 1.0)) is ManyFeatures
    assert type(blocks(np.eye(4, 3), 1.0)) is FewFeatures
    assert type(blocks(np.eye(3), 0.0)) is Blocks


@pytest.mark.parametrize("eta", [0.0, ETA])
@pytest.mark.parametrize("n_features", [4, 6, 8])
def test_the_way_is_chosen_by_size_and_the_start_is_left_alone(eta, n_features):
    D, (A, B) = dictionary("any", n_features), moments(n_features)
    kept, found, same = D.copy(), blocks(D, eta), FewFeatures(D.copy(), eta)
    for part in PARTS:
        found.update(part, A[part, part], B[part])
        same.update(part, A[part, part], B[part])
    assert_array_equal(D, kept)
    assert_allclose(found.D, same.D, atol=1e-12)
    assert_allclose(found.gram, same.gram, atol=1e-12)
