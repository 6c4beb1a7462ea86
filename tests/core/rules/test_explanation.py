import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from crosslabel.core.rules.explanation import share


@given(seed=st.integers(0, 10**6), n_atoms=st.integers(1, 5))
def test_a_contribution_is_what_the_atom_takes_off_the_energy(seed, n_atoms):
    random = np.random.default_rng(seed)
    D, y, x = (random.normal(size=shape) for shape in ((7, 4), 4, n_atoms))
    atoms = random.permutation(7)[:n_atoms]
    found = share(y, D, atoms, x, score=-1.5, also=" and more")
    residual = np.sqrt(sum((y[j] - sum(x * D[atoms, j])) ** 2 for j in range(4)))
    assert_allclose(found.residual, residual)
    for k in range(n_atoms):
        cross = sum(x[k] * x[m] * (D[atoms[k]] @ D[atoms[m]]) for m in range(n_atoms))
        assert_allclose(found.contributions[k], 2 * x[k] * (D[atoms[k]] @ y) - cross, atol=1e-9)
    assert_allclose(found.contributions.sum() + residual**2, y @ y)
    assert_allclose(found.mass, sum(abs(x)))
    assert found.score == -1.5
    assert found.reason == f"leave a residual of {residual:.3f} and more"
