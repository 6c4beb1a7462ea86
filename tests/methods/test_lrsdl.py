import numpy as np
from numpy.testing import assert_allclose

from crosslabel import FDDL, LRSDL
from tests.methods.faces import faces, never_rises


def test_objective_falls():
    X, y = faces()
    assert never_rises(LRSDL(4, shared_atoms=3, tol=0, random_state=0).fit(X, y).objective_trace_)


def test_without_shared_atoms_it_is_fddl():
    X, y = faces()
    few = {"fisher": 0.05, "tol": 0, "max_iter": 5, "random_state": 0}
    low_rank = LRSDL(4, shared_atoms=0, penalty=0.01, weight=0.5, **few).fit(X, y)
    fisher = FDDL(4, penalty=0.02, weight=1.0, **few).fit(X, y)  # their λ₁ differ by the half
    assert_allclose(low_rank.dictionary_, fisher.dictionary_, atol=1e-10)
    ours, theirs = 2 * low_rank.decision_function(X), fisher.decision_function(X)
    assert_allclose(ours - ours[:, :1], theirs - theirs[:, :1], atol=1e-8)


def test_a_large_nuclear_norm_lowers_the_rank_of_the_shared_atoms():
    X, y = faces(n_per_class=20)

    def rank(nuclear):
        model = LRSDL(3, shared_atoms=5, nuclear=nuclear, random_state=0).fit(X, y)
        return np.linalg.matrix_rank(model.dictionary_[model.atom_labels_ == -1], tol=1e-6)

    assert rank(3.0) < rank(1e-6)
