import numpy as np
from numpy.testing import assert_allclose

from crosslabel import DKSVD, KSVD
from tests.methods.faces import faces

FEW = {"sparsity": 3, "init_iter": 3, "max_iter": 5, "random_state": 0}


def test_without_label_weight_it_is_ksvd():
    X, y = faces()
    joint, plain = DKSVD(4, label_weight=0, **FEW).fit(X, y), KSVD(4, **FEW).fit(X, y)
    assert_allclose(joint.dictionary_, plain.dictionary_, atol=1e-10)
    assert_allclose(joint.decision_function(X), plain.decision_function(X), atol=1e-8)


def test_the_scores_are_the_learnt_classifiers_and_atoms_have_unit_norm():
    X, y = faces(n_per_class=20)
    model = DKSVD(4, label_weight=0.05, **FEW).fit(X, y)
    scores = np.empty((60, 3))
    scores[:, model._class_order] = model._codes(X) @ model.classifier_
    assert_allclose(model.decision_function(X), scores)
    assert_allclose(np.linalg.norm(model.dictionary_, axis=1), 1)
    assert model.score(X, y) >= 0.95
