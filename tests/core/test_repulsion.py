import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.repulsion import FewFeatures, ManyFeatures, blocks
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
