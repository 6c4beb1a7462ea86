import pytest
from numpy.testing import assert_allclose

from crosslabel import COPAR, DLSI
from tests.methods.faces import faces, never_rises


@pytest.mark.parametrize("shared", [0, 2])
def test_objective_falls(shared):
    X, y = faces()
    model = COPAR(4, shared_atoms=shared, incoherence=0.05, tol=0, max_iter=12, random_state=0)
    assert never_rises(model.fit(X, y).objective_trace_)


def test_without_shared_atoms_and_coupling_it_is_a_dictionary_for_each_class():
    X, y = faces()
    few = {"incoherence": 0, "tol": 0, "max_iter": 6, "random_state": 0}
    # Codes barred from other classes' atoms leave both fits the same: twice the l1 weight.
    apart = COPAR(4, shared_atoms=0, penalty=0.04, suppression=1e8, **few).fit(X, y)
    classes = DLSI(4, penalty=0.02, **few).fit(X, y)
    assert_allclose(apart.dictionary_, classes.dictionary_, atol=1e-3)
    assert_allclose(apart.objective_trace_, 2 * classes.objective_trace_, rtol=1e-3)


@pytest.mark.parametrize("coding", ["global", "local"])
def test_both_rules_tell_the_classes_apart(coding):
    X, y = faces(n_per_class=20)
    model = COPAR(4, shared_atoms=2, coding=coding, random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) >= 0.9
    assert (model.atom_labels_ == -1).sum() == 2
