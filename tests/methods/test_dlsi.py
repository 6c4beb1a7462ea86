import numpy as np
from numpy.testing import assert_allclose

from crosslabel import DLSI
from crosslabel.core.lasso import lasso
from tests.methods.faces import faces, never_rises


def test_objective_falls():
    X, y = faces()
    model = DLSI(5, incoherence=0.1, tol=0, max_iter=15, random_state=0).fit(X, y)
    assert never_rises(model.objective_trace_)
    assert (np.linalg.norm(model.dictionary_, axis=1) <= 1 + 1e-9).all()


def test_scores_are_the_least_energies():
    X, y = faces()
    model = DLSI(4, penalty=0.02, random_state=0).fit(X, y)
    for c in range(3):
        D = model.dictionary_[model.atom_labels_ == c]
        A = lasso(D @ D.T, X @ D.T, 0.02)
        energy = ((X - A @ D) ** 2).sum(axis=1) + 0.02 * np.abs(A).sum(axis=1)
        assert_allclose(model.decision_function(X)[:, c], -energy, atol=1e-6)


def test_incoherence_makes_class_dictionaries_unlike():
    X, y = faces()

    def coherence(weight):
        model = DLSI(4, incoherence=weight, random_state=0).fit(X, y)
        squares = (model.dictionary_ @ model.dictionary_.T) ** 2
        return squares[model.atom_labels_[:, None] != model.atom_labels_].sum()

    assert coherence(1.0) < coherence(0.0)


def test_without_incoherence_a_class_does_not_see_the_others():
    X, y = faces()
    first = DLSI(4, incoherence=0, random_state=0, tol=0, max_iter=5, penalty=0.05)
    D = first.fit(X, y).dictionary_[first.atom_labels_ == 0]
    codes = lasso(D @ D.T, X[y == 0] @ D.T, 0.05)
    energy = ((X[y == 0] - codes @ D) ** 2).sum() + 0.05 * np.abs(codes).sum()
    assert energy <= 0.05 * np.sqrt(10) * 10  # far below the energy of ten unit samples, 10


def test_atoms_that_classes_have_in_common_can_be_left_out():
    X, y = faces()
    model = DLSI(4, coherence_cut=0.5, random_state=0).fit(X, y)
    resemblance = np.abs(model.dictionary_ @ model.dictionary_.T)
    resemblance[model.atom_labels_[:, None] == model.atom_labels_] = 0
    assert_allclose(model._kept, resemblance.max(axis=1) <= 0.5)
