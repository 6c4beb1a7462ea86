import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import DKSVD, KSVD, LCKSVD, MCDL, JointDictionary
from crosslabel.core.ksvd import ksvd
from crosslabel.methods.sparse_linear import (
    joint_codes,
    ridge_regression,
    sparse_codes,
    split_atoms,
)
from crosslabel.methods.start import class_layout, start_atoms
from tests import naive

X, LABELS = naive.problem()


def test_the_start_is_ksvd_of_each_class_on_its_own():
    model = DKSVD(2, sparsity=1, init_iter=2, rank_one="exact", random_state=0)
    model._class_order = np.array([2, 0, 1])
    D, layout = model._start(X, LABELS)
    centroids = start_atoms(X, LABELS, class_layout(LABELS, 2), 0)
    for c in range(3):
        own = slice(2 * c, 2 * c + 2)
        alone, _ = ksvd(X[c == LABELS], centroids[own], 1, n_iter=2, rank_one="exact")
        assert_allclose(D[own], alone)
    assert layout.per_class == (2, 2, 2)
    assert_array_equal(model.atom_labels_, [2, 2, 0, 0, 1, 1])


@pytest.mark.parametrize("method", [KSVD, DKSVD, LCKSVD, JointDictionary, MCDL])
def test_samples_turned_into_more_features_than_samples_turn_the_atoms(method):
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(20, 6)))[0].T
    few = {"sparsity": 2, "init_iter": 1, "max_iter": 3, "random_state": 0}
    plain = naive.learn(method(2, **few), X, LABELS)
    turned = naive.learn(method(2, **few), X @ turn, LABELS)
    assert_allclose(turned.dictionary_, plain.dictionary_ @ turn, atol=1e-9)
    assert_allclose(turned.classifier_, plain.classifier_, atol=1e-9)


def test_scores_are_the_classifier_of_the_pursuits_code():
    model = DKSVD(2, sparsity=2, max_iter=7)
    rng = np.random.default_rng(0)
    D, W = naive.problem()[0], rng.normal(size=(12, 3))
    model._keep(D, W)
    expected = naive.pursuits(D, naive.queries(), 2) @ W
    assert_allclose(model._scores(naive.queries()), expected, atol=1e-12)
    assert not model._scores(naive.queries())[-1].any()
    assert model.n_iter_ == 7


def test_sparse_codes_are_those_of_pursuit():
    D = X[[0, 3, 6, 9]]
    assert_allclose(sparse_codes(X, D, 2), naive.pursuits(D, X, 2), atol=1e-10)


def test_ridge_regression_is_the_least_squares_of_stacked_rows():
    rng = np.random.default_rng(0)
    codes, targets = rng.normal(size=(9, 4)), rng.normal(size=(9, 3))
    found = ridge_regression(codes, targets, 0.3)
    assert_allclose(found, naive.ridge(codes, targets, 0.3))
    for _ in range(20):
        other = found + 1e-3 * rng.normal(size=found.shape)
        assert ((targets - codes @ other) ** 2).sum() + 0.3 * (other**2).sum() > (
            (targets - codes @ found) ** 2
        ).sum() + 0.3 * (found**2).sum()


def test_codes_beside_which_the_ridge_is_lost_get_the_least_classifier():
    codes, targets = 2.0**40 * np.ones((3, 2)), np.array([[2.0], [2.0], [2.0]])
    found = ridge_regression(codes, targets, 1e-3)
    assert_allclose(found, np.linalg.pinv(codes) @ targets)


def test_atoms_and_what_is_below_them_are_divided_by_the_atoms_norms():
    stacked = np.array([[3.0, 4.0, 10.0], [0.0, 0.5, 2.0], [0.0, 0.0, 7.0], [1e-300, 0, 5.0]])
    D, below = split_atoms(stacked, 2)
    assert_allclose(D, [[0.6, 0.8], [0, 1], [0, 0], [1e-300, 0]])
    assert_allclose(below, [[2], [4], [7], [5]])
    D, below = split_atoms(np.array([[1e-280, 0, 5e-280]]), 2)
    assert_allclose(D, [[1, 0]])
    assert_allclose(below, [[5]])


def stacked_by_hand(model, D, targets, weights):
    """K-SVD of [Y √w T] from the ridge regression of the targets, step by step."""
    A = naive.ridge(naive.pursuits(D, X, model.sparsity), targets, model.ridge)
    rows = np.concatenate([X, targets * np.sqrt(weights)], axis=1)
    atoms = np.concatenate([D, A * np.sqrt(weights)], axis=1)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    atoms, _ = ksvd(rows, atoms, model.sparsity, n_iter=model.max_iter, rank_one=model.rank_one)
    norms = np.linalg.norm(atoms[:, :6], axis=1, keepdims=True)
    return atoms[:, :6] / norms, atoms[:, 6:] / norms


@pytest.mark.parametrize("rank_one", ["approximate", "exact"])
def test_stacked_ksvd_learns_the_weighted_targets_with_the_dictionary(rank_one):
    model = DKSVD(2, sparsity=2, ridge=0.5, max_iter=2, rank_one=rank_one)
    rng = np.random.default_rng(0)
    D, targets, weights = X[::2], rng.normal(size=(12, 2)), np.array([0.3, 2.0])
    atoms, below = stacked_by_hand(model, D, targets, weights)
    found, learnt = model._stacked_ksvd(X, D, sparse_codes(X, D, 2), targets, weights)
    assert_allclose(found, atoms, atol=1e-9)
    assert_allclose(learnt, below / np.sqrt(weights), atol=1e-9)


def test_stacked_ksvd_regresses_afterwards_what_has_no_weight():
    model = DKSVD(2, sparsity=2, ridge=0.5, max_iter=2)
    rng = np.random.default_rng(0)
    D, targets, weights = X[::2], rng.normal(size=(12, 2)), np.array([0.0, 0.7])
    atoms, below = stacked_by_hand(model, D, targets, weights)
    found, learnt = model._stacked_ksvd(X, D, sparse_codes(X, D, 2), targets, weights)
    assert_allclose(found, atoms, atol=1e-9)
    assert_allclose(learnt[:, 1], below[:, 1] / np.sqrt(0.7), atol=1e-9)
    regressed = naive.ridge(naive.pursuits(found, X, 2), targets, 0.5)
    assert_allclose(learnt[:, 0], regressed[:, 0], atol=1e-9)


def test_atoms_of_any_norm_are_compared_by_direction_and_a_zero_atom_does_no_harm():
    H = np.eye(3)[LABELS]
    rng = np.random.default_rng(0)
    D, W = rng.normal(size=(4, 6)), rng.normal(size=(4, 3))
    D[2], W[2] = 0, 0
    codes = joint_codes(X, H, D, W, 2)
    assert not codes[:, 2].any()
    stacked, rows = np.concatenate([D, W], axis=1), np.concatenate([X, H], axis=1)
    norms = np.linalg.norm(stacked, axis=1)
    norms[2] = 1
    assert_allclose(codes, naive.pursuits(stacked / norms[:, None], rows, 2) / norms, atol=1e-12)
    scaled = joint_codes(X, H, 3 * D, 3 * W, 2)
    assert_allclose(scaled, codes / 3, atol=1e-12)
    assert_array_equal(codes != 0, scaled != 0)


def test_groups_of_atoms_see_a_copy_of_the_labels_each():
    H = np.eye(3)[LABELS]
    rng = np.random.default_rng(1)
    D, W, groups = rng.normal(size=(5, 6)), rng.normal(size=(5, 3)), np.array([0, 1, 0, 1, 1])
    stacked = np.zeros((5, 6 + 3 + 3))
    stacked[:, :6] = D
    for k, group in enumerate(groups):
        stacked[k, 6 + 3 * group : 9 + 3 * group] = W[k]
    norms = np.linalg.norm(stacked, axis=1)
    rows = np.concatenate([X, H, H], axis=1)
    expected = naive.pursuits(stacked / norms[:, None], rows, 3) / norms
    assert_allclose(joint_codes(X, H, D, W, 3, groups), expected, atol=1e-10)
