import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel.core.atoms import AtomLayout
from crosslabel.methods.class_dictionary import alternate, coherence, local_energies
from tests import naive


def halving(D, codes):
    """A round that halves what is above ten."""
    return D / 2, [*codes, float(D[0])], 10 + float(D[0]) / 2


@pytest.mark.parametrize("max_iter", [1, 4])
def test_rounds_go_on_from_each_other_and_the_trace_holds_their_values(max_iter):
    D, codes, trace = alternate(halving, np.array([16.0]), [], max_iter, 0.0)
    assert codes == [16.0, 8.0, 4.0, 2.0][:max_iter]
    assert_array_equal(trace, [18.0, 14.0, 12.0, 11.0][:max_iter])
    assert D[0] == 16 / 2**max_iter


@pytest.mark.parametrize(
    ("values", "tol", "rounds"),
    [
        ([100.0, 90.0, 89.0, 80.0], 0.02, 3),  # the third lowers it by about one part in ninety
        ([100.0, 90.0, 80.0, 70.0], 0.1, 4),
        ([100.0, 80.0, 80.0, 70.0], 0.0, 3),  # it has settled
        ([100.0, 80.0, 90.0, 70.0], 0.0, 3),
        ([5.0, -10.0, -10.5, -30.0], 0.1, 3),  # a part of its size, whatever its sign
        ([8.0, 4.0, 2.0, 0.0], 1.0, 2),  # exactly that part
        ([100.0, 50.0, 45.0, 30.0], 0.105, 4),  # of what it is now, not of what it was
    ],
)
def test_rounds_end_when_the_objective_settles(values, tol, rounds):
    steps = iter(values)
    _, count, trace = alternate(lambda D, n: (D, n + 1, next(steps)), np.zeros(1), 0, 4, tol)
    assert count == rounds
    assert_array_equal(trace, values[:rounds])


def test_local_energies_are_those_of_the_lasso():
    atoms = naive.problem()[0][:4]
    residuals, codes = local_energies(naive.queries(), atoms, 0.15)
    for y, residual, code in zip(naive.queries(), residuals, codes):
        x = naive.lasso(atoms @ atoms.T, atoms @ y, 0.15)
        assert_allclose(code, x, atol=1e-6)
        assert_allclose(residual, ((y - x @ atoms) ** 2).sum(), atol=1e-6)


def test_a_perfect_fit_leaves_no_residual_below_zero_and_small_ones_stay():
    residuals, _ = local_energies(np.array([[0.0, 0.3], [0.4, 0.0]]), np.eye(2)[:1], 1e-12)
    assert_allclose(residuals, [0.09, 0], atol=1e-9)
    rng = np.random.default_rng(0)
    residuals, _ = local_energies(rng.normal(size=(200, 3)), rng.normal(size=(3, 3)), 1e-14)
    assert (residuals >= 0).all()


def test_coherence_is_that_of_all_pairs_of_parts():
    layout = AtomLayout(2, (1, 3))
    D = np.random.default_rng(0).normal(size=(6, 4))
    value = 0.0
    for i in range(6):
        for j in range(6):
            if layout.labels[i] != layout.labels[j]:
                value += (D[i] @ D[j]) ** 2
    assert_allclose(coherence(D @ D.T, layout), value)
