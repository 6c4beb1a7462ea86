import numpy as np

from crosslabel import JointDictionary
from tests.methods.faces import faces, never_rises


def test_objective_falls():
    X, y = faces(n_per_class=20)
    model = JointDictionary(6, sparsity=18, init_iter=2, max_iter=10, random_state=0).fit(X, y)
    # With as many coefficients as atoms the codes are exact too, so that no step may raise it.
    assert never_rises(model.objective_trace_)
    assert (np.linalg.norm(model.dictionary_, axis=1) <= 1 + 1e-9).all()


def test_the_classifier_is_optimal_for_the_last_codes():
    X, y = faces()
    model = JointDictionary(3, sparsity=9, init_iter=2, max_iter=40, random_state=0).fit(X, y)
    assert model.objective_trace_[-1] <= model.objective_trace_[0]
    assert model.score(X, y) >= 0.9
