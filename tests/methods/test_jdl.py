import numpy as np
from numpy.testing import assert_allclose

from crosslabel import DLSI, JDL
from tests.methods.faces import faces, never_rises


def test_objective_falls():
    X, y = faces()
    assert never_rises(JDL(4, shared_atoms=3, tol=0, random_state=0).fit(X, y).objective_trace_)


def test_without_common_atoms_and_criterion_each_class_learns_alone():
    X, y = faces()
    few = {"penalty": 0.05, "max_iter": 40, "tol": 0, "random_state": 0}
    joint = JDL(4, shared_atoms=0, fisher=0.0, **few).fit(X, y)
    alone = DLSI(4, incoherence=0, **few).fit(X, y)
    assert_allclose(joint.objective_trace_[-1], alone.objective_trace_[-1], rtol=0.02)


def test_all_classes_get_as_many_atoms_as_the_smallest_has_samples():
    X, y = faces()
    keep = np.r_[0:10, 10:13, 20:30]
    model = JDL(6, shared_atoms=2, random_state=0).fit(X[keep], y[keep])
    assert np.bincount(model.atom_labels_ + 1).tolist() == [2, 3, 3, 3]
