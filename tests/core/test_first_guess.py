import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.core import first_guess as module
from crosslabel.core.lasso import lasso, soft_threshold


def admm_by_hand(G, b, penalty, Z, rho, relaxation=1.6):
    """Eighty steps of over-relaxed ADMM from the dual that fits the start."""
    t = penalty / 2 / rho
    U = np.clip((b - Z @ G) / rho, -t, t)
    for _ in range(80):
        X = np.linalg.solve(G + rho * np.eye(len(G)), (b + rho * (Z - U)).T).T
        mixed = relaxation * X + (1 - relaxation) * Z
        Z = soft_threshold(mixed + U, t)
        U = mixed + U - Z
    return Z


@pytest.mark.parametrize("started", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_the_first_guess_is_that_of_admm(monkeypatch, started, many):
    monkeypatch.setattr(module, "FEW_ATOMS", 7)
    monkeypatch.setattr(module, "SETTLED", 0.0)  # all steps are taken
    rng = np.random.default_rng(0)
    D, b = rng.normal(size=(8, 5)), rng.normal(size=(4, 8))
    G = D @ D.T
    penalty = np.linspace(1, 2, 8) * 1e-3 * np.abs(b).max() / np.diag(G).max()
    start = 0.1 * rng.normal(size=b.shape) if started else None
    found = module.first_guess(G, b, penalty if many else penalty.min(), start)
    rho = module.admm_step(G, penalty.min())
    Z = np.zeros_like(b) if start is None else start
    expected = admm_by_hand(G, b, penalty if many else penalty.min(), Z, rho)
    # In single precision.
    assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


def test_the_first_guess_is_the_start_where_few_of_many_atoms_are_used_or_it_is_near(monkeypatch):
    rng = np.random.default_rng(0)
    G, b = np.diag(rng.uniform(1, 4, 8)), rng.normal(size=(4, 8))
    edge = module.DENSE * np.abs(b).max() / np.diag(G).max()
    start = rng.normal(size=b.shape)

    def is_start(penalty, start=start, G=G, b=b):
        found = module.first_guess(G, b, penalty, start)
        assert found is not start
        return np.array_equal(found, start)

    for penalty in (0.9 * edge, 1.1 * edge):  # so few atoms are one working set
        assert not is_start(penalty)
    assert is_start(0.0)
    monkeypatch.setattr(module, "FEW_ATOMS", 8)
    assert not is_start(1.1 * edge)
    monkeypatch.setattr(module, "FEW_ATOMS", 7)
    assert not is_start(0.9 * edge)
    assert is_start(1.1 * edge)
    assert is_start(0.0)
    assert is_start(0.9 * edge, 0 * start, 0 * G, 0 * b)
    for scale in (1e-3, 1e3):  # it is the largest curvature that counts, whatever its size
        assert not is_start(0.9 * edge / scale, G=scale * G)
        assert is_start(1.1 * edge / scale, G=scale * G)
        assert not is_start(0.9 * edge * scale, b=scale * b)
        assert is_start(1.1 * edge * scale, b=scale * b)
    solved = soft_threshold(b, 0.45 * edge) / np.diag(G)
    assert is_start(0.9 * edge, solved)
    for n_off in (1, 3):  # it is the signal in the middle that counts
        some_off = solved.copy()
        some_off[:n_off, 0] += 1
        assert is_start(0.9 * edge, some_off) == (n_off == 1)
    # A fault of less than half the penalty is near enough.
    assert is_start(0.9 * edge, solved + 0.4 * edge / np.diag(G) * np.sign(solved))
    assert not is_start(0.9 * edge, solved + 0.5 * edge / np.diag(G) * np.sign(solved))


def solved_lasso(G, b, penalty, monkeypatch):
    """Codes far more exact than the first guess, which ADMM then is to leave alone."""
    monkeypatch.setattr(module, "STEPS", 1)
    codes = lasso(G, b, penalty, tol=1e-10)
    assert 0 < np.count_nonzero(codes) < codes.size
    return codes


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_a_step_from_the_solution_stays_there(monkeypatch, scale):
    """So the dual that it starts with is that of the solution, at any ρ."""
    rng = np.random.default_rng(0)
    D, b = rng.normal(size=(8, 5)), rng.normal(size=(4, 8))
    G = D @ D.T + 0.1 * np.eye(8)
    codes = solved_lasso(G, b, 1.0, monkeypatch)
    rho = scale * module.admm_step(G, 1.0)
    inverse = np.linalg.inv(G + rho * np.eye(8))
    found = module.admm(lambda R: R @ inverse, b @ inverse, 1.0, rho, codes, codes @ G - b)
    assert_allclose(found, codes, atol=2e-6)


def steps_taken(flips):
    """How many steps of ADMM are made where this many of 1000 entries change in each ten."""
    made, rho, threshold = [], 1.0, 0.5

    def solve(R):
        """Half as many entries are far beyond the threshold: others from look to look."""
        made.append(1)
        far = np.zeros_like(R)
        first = len(made) // 10 * flips % 500
        far[0, first : first + flips // 2] = 1e6
        return far - R

    zero = np.zeros((1, 1000))
    module.admm(solve, zero, 2 * rho * threshold, rho, zero, zero)
    return len(made)


def test_admm_ends_where_hardly_a_sign_changes():
    assert steps_taken(0) == module.LOOK_EVERY
    assert steps_taken(20) == module.STEPS


def test_the_step_of_admm_follows_the_penalty_or_the_usual_eigenvalue():
    G = np.diag([1.0, 4.0, 16.0])
    assert_allclose(module.admm_step(G, 1e-3), 0.3 * 4)
    assert_allclose(module.admm_step(G, 0.9), 0.9 * 3**0.5)
    for last in (0.0, -1.0):
        assert_allclose(module.admm_step(np.diag([1.0, last]), 1e-3), 1e-3 * 2**0.5)


def test_few_signals_are_guessed_only_where_the_penalty_is_very_small(monkeypatch):
    monkeypatch.setattr(module, "FEW_ATOMS", 0)
    monkeypatch.setattr(module, "ATOMS_PER_SIGNAL", 4)
    b = np.random.default_rng(0).normal(size=(3, 8))

    def is_guessed(b, share):
        return module.first_guess(np.eye(8), b, share * np.abs(b).max(), None).any()

    for share, guessed in ((module.VERY_DENSE, [True, True]), (module.DENSE, [True, False])):
        assert [is_guessed(b[:n], 0.9 * share) for n in (2, 1)] == guessed
    assert not is_guessed(b, 1.1 * module.DENSE)


def test_the_steps_end_where_few_signs_change(monkeypatch):
    """An orthonormal dictionary shows the signs after the first steps."""
    b = np.random.default_rng(0).normal(size=(5, 8))
    taken = []
    for steps in (module.LOOK_EVERY, 2 * module.LOOK_EVERY, 8 * module.LOOK_EVERY):
        monkeypatch.setattr(module, "STEPS", steps)
        taken.append(module.first_guess(np.eye(8), b, 0.5, None))
    assert not np.array_equal(taken[0], np.zeros_like(b))
    np.testing.assert_array_equal(taken[1], taken[2])
    np.testing.assert_array_equal(np.sign(taken[2]), np.sign(soft_threshold(b, 0.25)))


def test_a_guess_changes_nothing_but_the_time(monkeypatch):
    rng = np.random.default_rng(0)
    D = 3 * rng.normal(size=40) + rng.normal(size=(80, 40))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    G, b = D @ D.T, (D[:9] + 0.02 * rng.normal(size=(9, 40))) @ D.T
    guessed = lasso(G, b, 1e-3, tol=1e-7)
    assert module.first_guess(G, b, 1e-3, None).any()
    for share in ("DENSE", "VERY_DENSE"):
        monkeypatch.setattr(module, share, 0.0)
    assert not module.first_guess(G, b, 1e-3, None).any()
    assert_allclose(lasso(G, b, 1e-3, tol=1e-7) @ D, guessed @ D, atol=1e-7)
