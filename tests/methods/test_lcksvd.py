import numpy as np
from numpy.testing import assert_allclose

from crosslabel import DKSVD, KSVD, LCKSVD
from tests.methods.faces import faces

FEW = {"sparsity": 3, "init_iter": 3, "max_iter": 5, "random_state": 0}


def test_with_both_weights_zero_it_is_ksvd():
    X, y = faces()
    labelled = LCKSVD(4, consistency=0, label_weight=0, **FEW).fit(X, y)
    plain = KSVD(4, **FEW).fit(X, y)
    assert_allclose(labelled.dictionary_, plain.dictionary_, atol=1e-10)
    assert_allclose(labelled.decision_function(X), plain.decision_function(X), atol=1e-8)


def test_without_consistency_it_is_dksvd():
    X, y = faces()
    labelled = LCKSVD(4, consistency=0, label_weight=0.02, **FEW).fit(X, y)
    joint = DKSVD(4, label_weight=0.02, **FEW).fit(X, y)
    assert_allclose(labelled.decision_function(X), joint.decision_function(X), atol=1e-8)


def test_the_first_variant_regresses_its_classifier_afterwards():
    X, y = faces()
    model = LCKSVD(4, label_weight=0, ridge=0.5, **FEW).fit(X, y)
    codes = model._codes(X)
    W = np.linalg.solve(codes.T @ codes + 0.5 * np.eye(12), codes.T @ np.eye(3)[y])
    assert_allclose(model.decision_function(X), codes @ W, atol=1e-8)


def test_consistent_codes_use_the_atoms_of_their_class():
    X, y = faces(n_per_class=20)

    def share(consistency):
        model = LCKSVD(4, consistency=consistency, **FEW).fit(X, y)
        codes = np.abs(X @ model.dictionary_.T) * (model._codes(X) != 0)
        own = model.atom_labels_ == y[:, None]
        return codes[own].sum() / codes.sum()

    assert share(0.1) >= share(0.0) - 0.02
    assert share(0.1) > 0.5
