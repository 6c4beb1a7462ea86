import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import LLC
from tests.methods.faces import faces


def by_hand(x, B, k, ridge):
    """min ‖x − cB‖² + λ tr(C)‖c‖² with Σc = 1 over the nearest atoms, by its Lagrangian."""
    nearest = np.argsort(((B - x) ** 2).sum(axis=1))[:k]
    Z = B[nearest] - x
    weight = ridge * (Z**2).sum()
    system = np.zeros((k + 1, k + 1))
    system[:k, :k] = 2 * (B[nearest] @ B[nearest].T + weight * np.eye(k))
    system[:k, k] = system[k, :k] = 1
    right = np.append(2 * B[nearest] @ x, 1.0)
    code = np.zeros(len(B))
    code[nearest] = np.linalg.solve(system, right)[:k]
    return code


@pytest.mark.parametrize("ridge", [1e-2, 0.5])
def test_codes_are_those_of_the_paper_over_a_codebook_learnt_or_given(ridge):
    X, _ = faces()
    learnt = LLC(6, n_neighbors=3, ridge=ridge, random_state=0).fit(X)
    assert learnt.codebook_.shape == (6, 20)
    codes = learnt.transform(X)
    assert_allclose(codes, [by_hand(x, learnt.codebook_, 3, ridge) for x in X], atol=1e-9)
    given = LLC(learnt.codebook_, n_neighbors=3, ridge=ridge).fit(X)
    assert_allclose(given.transform(X), codes, atol=1e-12)
    assert len(learnt.get_feature_names_out()) == 6


def test_one_seed_gives_one_codebook_of_means():
    X, _ = faces()
    first, second = (LLC(4, random_state=3).fit(X).codebook_ for _ in range(2))
    assert_array_equal(first, second)
    nearest = ((X[:, None] - first) ** 2).sum(axis=2).argmin(axis=1)
    means = [X[nearest == k].mean(axis=0) for k in range(4)]
    assert_allclose(first, means, atol=1e-6)


def test_a_codebook_of_another_width_is_refused():
    X, _ = faces()
    with pytest.raises(ValueError, match="same features"):
        LLC(np.eye(7)).fit(X)
