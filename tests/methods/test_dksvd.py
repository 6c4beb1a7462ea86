import numpy as np
from numpy.testing import assert_allclose

from crosslabel import DKSVD, KSVD
from crosslabel.core.ksvd import ksvd
from tests import naive
from tests.methods.faces import faces

FEW = {"sparsity": 2, "init_iter": 1, "max_iter": 3, "random_state": 0}
X, LABELS = naive.problem()


def test_dictionary_and_classifier_are_one_ksvd_of_samples_and_indicators():
    gamma, rho = 0.3, 0.5
    model = naive.learn(DKSVD(2, label_weight=gamma, ridge=rho, **FEW), X, LABELS)
    D, _ = model._start(X, LABELS)
    H = np.eye(3)[LABELS]
    W = naive.ridge(naive.pursuits(D, X, 2), H, rho)
    atoms = np.concatenate([D, np.sqrt(gamma) * W], axis=1)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    atoms, _ = ksvd(np.concatenate([X, np.sqrt(gamma) * H], axis=1), atoms, 2, n_iter=3)
    norms = np.linalg.norm(atoms[:, :6], axis=1, keepdims=True)
    assert_allclose(model.dictionary_, atoms[:, :6] / norms, atol=1e-9)
    assert_allclose(model.classifier_, atoms[:, 6:] / norms / np.sqrt(gamma), atol=1e-9)
    scores = naive.pursuits(model.dictionary_, naive.queries(), 2) @ model.classifier_
    assert_allclose(model._scores(naive.queries()), scores, atol=1e-9)


def test_without_label_weight_it_is_ksvd():
    X, y = faces()
    joint, plain = DKSVD(4, label_weight=0, **FEW).fit(X, y), KSVD(4, **FEW).fit(X, y)
    assert_allclose(joint.dictionary_, plain.dictionary_, atol=1e-10)
    assert_allclose(joint.decision_function(X), plain.decision_function(X), atol=1e-8)
