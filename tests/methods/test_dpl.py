import numpy as np
from numpy.testing import assert_allclose

from crosslabel import DPL
from tests.methods.faces import faces, never_rises

TAU, LAMBDA, GAMMA = 0.05, 0.003, 1e-4


def test_objective_falls():
    X, y = faces(n_per_class=12)
    assert never_rises(DPL(5, random_state=0, max_iter=30).fit(X, y).objective_trace_)


def test_projections_solve_the_normal_equations_of_the_paper():
    X, y = faces(n_per_class=12)
    model = DPL(5, fidelity=TAU, suppression=LAMBDA, ridge=GAMMA, random_state=0).fit(X, y)
    for c in range(3):
        own, others = X[y == c], X[y != c]
        P = model.projection_[model.atom_labels_ == c]
        T = TAU * own.T @ own + LAMBDA * others.T @ others + GAMMA * np.eye(20)
        # P T = τ A Xᵀ for the codes A: whatever they are, P T lies in the span of the samples.
        codes = np.linalg.lstsq(own.T, (P @ T).T / TAU, rcond=None)[0]
        assert_allclose(own.T @ codes * TAU, (P @ T).T, atol=1e-9)


def test_scores_are_the_residuals_of_the_pair():
    X, y = faces()
    model = DPL(4, random_state=0).fit(X, y)
    for c in range(3):
        own = model.atom_labels_ == c
        image = X @ model.projection_[own].T @ model.dictionary_[own]
        assert_allclose(
            model.decision_function(X)[:, c], -((X - image) ** 2).sum(axis=1), atol=1e-10
        )


def test_more_suppression_gives_less_energy_to_other_classes():
    X, y = faces()

    def leak(suppression):
        model = DPL(4, suppression=suppression, random_state=0).fit(X, y)
        codes = X @ model.projection_.T
        return (codes[model.atom_labels_ != y[:, None]] ** 2).mean()

    assert leak(1.0) < leak(1e-3)
