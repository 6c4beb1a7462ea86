import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq, minimize

from crosslabel.core.atoms import AtomLayout
from crosslabel.core.moments import Moments
from crosslabel.core.objective import Penalties
from crosslabel.core.scaling import unit_rows
from crosslabel.core.solver import learn
from crosslabel.core.spectral import closed_form, energies, unexplained
from tests.core.problems import problem, problems

ridges = st.floats(-3, 1).map(lambda e: 10.0**e)


def limit(ridge):
    return Penalties(ridge, np.inf, 0.0)


def naive(X, labels, D, layout, ridge):
    """Σ ‖y − xD‖² + β‖x‖² over the samples, with codes on own and shared atoms alone."""
    values = np.zeros(layout.n_classes)
    for c in range(layout.n_classes):
        A, Y = D[layout.free(c)], X[labels == c]
        # The augmented problem [A √β]: no normal equations, so that β = 0 works too.
        whole = np.concatenate([A.T, np.sqrt(ridge) * np.eye(len(A))])
        wanted = np.concatenate([Y.T, np.zeros((len(A), len(Y)))])
        codes = np.linalg.lstsq(whole, wanted, rcond=None)[0]
        values[c] = np.sum((wanted - whole @ codes) ** 2)
    return values


@given(problems(), ridges)
@settings(max_examples=60)
def test_the_trace_is_the_objective_at_the_exact_codes(data, ridge):
    X, labels, layout, _ = data
    solution = closed_form(Moments.from_samples(X, labels, layout.n_classes), layout, limit(ridge))
    values = naive(X, labels, solution.dictionary, layout, ridge)
    assert_allclose(solution.trace, [values.sum()], rtol=1e-6, atol=1e-9)
    assert_allclose(np.linalg.norm(solution.dictionary, axis=1), 1, rtol=1e-12)
    if layout.shared == 0:
        assert_allclose(np.concatenate(solution.apart), values, rtol=1e-6, atol=1e-9)
    else:
        assert solution.apart == ()


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("ridge", [0.03, 1.0])
def test_no_descent_from_anywhere_ends_lower(k, ridge):
    """The original problem: unit-norm atoms, codes eliminated, several starts."""
    rng = np.random.default_rng(k)
    X, labels = rng.normal(size=(6, 4)) * [2, 1, 0.7, 0.5] + [1, 0, 0, 1], np.zeros(6, int)
    layout = AtomLayout(0, (k,))
    best = closed_form(Moments.from_samples(X, labels, 1), layout, limit(ridge)).trace[0]

    def value(flat):
        return naive(X, labels, unit_rows(flat.reshape(k, 4)), layout, ridge)[0]

    ends = [minimize(value, rng.normal(size=4 * k), method="BFGS").fun for _ in range(6)]
    assert min(ends) >= best * (1 - 1e-9)
    assert_allclose(min(ends), best, rtol=1e-4)


@pytest.mark.parametrize("n_features", [7, 40])
def test_never_above_the_iterations(n_features):
    X, labels, layout, D = problem(sizes=(9, 4, 12), shared=0, n_features=n_features)
    statistics = Moments.from_samples(X, labels, 3)
    iterated = learn(statistics, D, layout, limit(0.05), method="class", max_iter=50)
    solution = closed_form(statistics, layout, limit(0.05))
    assert solution.trace[0] <= iterated.trace[-1] * (1 + 1e-12)
    assert all(ours[0] <= theirs[-1] for ours, theirs in zip(solution.apart, iterated.apart))


def test_a_class_alone_is_learnt_as_among_others():
    X, labels, layout, _ = problem(sizes=(5, 9, 5), per_class=(3, 2, 3), shared=0)
    statistics = Moments.from_samples(X, labels, 3)
    likeness = np.random.default_rng(0).normal(size=(layout.n_atoms, X.shape[1]))
    for wanted in (None, likeness):
        whole = closed_form(statistics, layout, limit(0.1), wanted)
        for c, n_atoms in enumerate(layout.per_class):
            own = None if wanted is None else wanted[layout.own(c)]
            alone = closed_form(
                statistics.reordered(np.array([c])), AtomLayout(0, (n_atoms,)), limit(0.1), own
            )
            assert_allclose(alone.dictionary, whole.dictionary[layout.own(c)], atol=1e-10)
            assert_allclose(alone.trace[0], whole.apart[c][0])


def test_weights_count_as_repeated_samples():
    X, labels, layout, _ = problem(shared=0)
    weights = np.tile([1, 3, 2], 6)
    a = Moments.from_samples(X, labels, 3, weights)
    b = Moments.from_samples(X.repeat(weights, axis=0), labels.repeat(weights), 3)
    one, other = (closed_form(s, layout, limit(0.1)) for s in (a, b))
    assert_allclose(one.trace, other.trace)
    assert_allclose(one.dictionary, other.dictionary, atol=1e-7)


def test_likeness_turns_the_atoms_and_changes_nothing_else():
    X, labels, layout, _ = problem(shared=2, n_features=30)
    statistics = Moments.from_samples(X, labels, 3)
    likeness = np.concatenate([X[:2], *(X[labels == c][:3] for c in range(3))])
    plain, alike = (closed_form(statistics, layout, limit(0.1), like) for like in (None, likeness))
    assert alike.trace == plain.trace
    for part in layout.parts():
        A, B = plain.dictionary[part], alike.dictionary[part]
        assert_allclose(A.T @ A, B.T @ B, atol=1e-10)

    def distance(D):
        return np.linalg.norm((D - likeness)[layout.shared :])

    assert distance(alike.dictionary) < distance(plain.dictionary)
    means = np.repeat(statistics.means, 3, axis=0)
    assert (np.sum(plain.dictionary[2:] * means, axis=1) >= 0).all()
    assert (np.sum(alike.dictionary * likeness, axis=1)[2:] >= 0).all()


@pytest.mark.parametrize("shared", [0, 2])
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_zeros_single_and_equal_samples_and_more_atoms_than_rank(ridge, shared):
    rng = np.random.default_rng(0)
    equal, plane = np.tile(rng.normal(size=5), (4, 1)), rng.normal(size=(6, 2))
    X = np.concatenate([np.zeros((3, 5)), equal, rng.normal(size=(1, 5)), plane @ np.eye(2, 5)])
    labels = np.repeat([0, 1, 2, 3], [3, 4, 1, 6])
    layout = AtomLayout(shared, (4, 4, 4, 4))
    solution = closed_form(Moments.from_samples(X, labels, 4), layout, limit(ridge))
    D = solution.dictionary
    assert_allclose(np.linalg.norm(D, axis=1), 1, rtol=1e-12)
    assert_allclose(solution.trace[0], naive(X, labels, D, layout, ridge).sum(), atol=1e-9)
    assert solution.unused.tolist() == [False] * shared + [True] * 4 + [False] * 12
    if ridge == 0:
        assert_allclose(solution.trace, [0], atol=1e-9)
    if shared == 0:
        assert_allclose(np.abs(D[layout.own(1)] @ equal[0]), np.linalg.norm(equal[0]))


def test_classes_without_samples_get_atoms_that_nobody_uses():
    statistics = Moments.empty(2, 4, np.dtype(float))
    solution = closed_form(statistics, AtomLayout(3, (2, 3)), limit(0.1))
    assert_allclose(np.linalg.norm(solution.dictionary, axis=1), 1)
    assert solution.unused.tolist() == [False] * 3 + [True] * 5
    assert solution.trace == [0]


def test_shared_atoms_are_the_main_directions_within_classes():
    X, labels, layout, _ = problem(shared=2, n_features=8)
    centred = np.concatenate([X[labels == c] - X[labels == c].mean(axis=0) for c in range(3)])
    solution = closed_form(Moments.from_samples(X, labels, 3), layout, limit(0.1))
    expected = np.linalg.svd(centred)[2][:2]
    assert_allclose(np.abs(solution.dictionary[:2] @ expected.T), np.eye(2), atol=1e-9)


def test_beside_shared_atoms_the_spectra_in_their_metric_are_filled():
    """With unpriced axes, literal matrices: directions, and the best energies along them."""
    X, labels, layout, _ = problem(sizes=(4, 4, 4), per_class=(4, 4, 4), shared=2, n_features=9)
    ridge = 0.2
    solution = closed_form(Moments.from_samples(X, labels, 3), layout, limit(ridge))
    D = solution.dictionary
    energies, frame = np.linalg.eigh(np.eye(9) + D[:2].T @ D[:2] / ridge)
    metric = (frame / np.sqrt(energies)) @ frame.T
    for c in range(3):
        own = D[layout.own(c)]
        inner = metric @ own.T @ own @ metric
        moment = metric @ X[labels == c].T @ X[labels == c] @ metric
        assert_allclose(inner @ moment, moment @ inner, atol=1e-9)  # the same axes
        values, axes = np.linalg.eigh(moment)
        q = np.diag(axes.T @ inner @ axes)[-4:]
        prices = np.sum(np.linalg.solve(metric, axes[:, -4:]) ** 2, axis=0)
        slopes = values[-4:] / (q + ridge) ** 2 / prices  # one level wherever q is positive
        assert_allclose(slopes[q > 1e-9], slopes[q > 1e-9].max(), rtol=1e-6)
        assert (slopes <= slopes[q > 1e-9].max() * (1 + 1e-6)).all()


def test_float32_atoms_are_those_of_float64():
    X, labels, layout, _ = problem(shared=2, n_features=30)
    X = X.astype(np.float32)
    exact = closed_form(Moments.from_samples(X.astype(float), labels, 3), layout, limit(0.1))
    single = closed_form(Moments.from_samples(X, labels, 3), layout, limit(0.1))
    assert single.dictionary.dtype == np.float32
    assert_allclose(single.dictionary, exact.dictionary, atol=1e-4)
    assert_allclose(single.trace, exact.trace, rtol=1e-6)


def test_factor_and_matrix_scatters_give_the_same_atoms():
    X, labels, layout, _ = problem(sizes=(5, 6, 7), shared=2, n_features=12)
    factors = Moments.from_samples(X, labels, 3)
    matrices = Moments(
        factors.counts,
        factors.means,
        tuple(s._replace(array=s.matrix(), is_factor=False) for s in factors.scatters),
    )
    for shared in (0, 2):
        layout = AtomLayout(shared, (3, 3, 3))
        a, b = (closed_form(s, layout, limit(0.1)) for s in (factors, matrices))
        assert_allclose(a.trace, b.trace, rtol=1e-10)
        assert_allclose(a.dictionary, b.dictionary, atol=1e-7)


def test_samples_below_zero_use_their_atoms():
    X = -np.abs(np.random.default_rng(0).normal(size=(2, 5)))
    statistics = Moments.from_samples(X, np.arange(2), 2, np.ones(2))
    found = closed_form(statistics, AtomLayout(0, (1, 1)), Penalties(0.1, np.inf, 0.0))
    assert not found.unused.any()


values = st.lists(
    st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.floats(1e-3, 10)), min_size=1, max_size=8
).map(lambda v: np.sort(v)[::-1])
any_ridge = st.one_of(st.just(0.0), st.floats(-4, 2).map(lambda e: 10.0**e))


def filled(slopes, prices, k, beta):
    """Find the level 1/ν at which the energies of the k steepest axes cost k."""
    places = np.argsort(-slopes, kind="stable")[:k]

    def spent(level):
        return np.sum(prices[places] * np.maximum(0, slopes[places] * level - beta))

    high = (k + beta * prices.sum()) / (slopes * prices)[places].max() + 1
    level = brentq(lambda level: spent(level) - k, 0, high, xtol=1e-300, rtol=1e-15)
    q = np.zeros(len(slopes))
    q[places] = np.maximum(0, slopes[places] * level - beta)
    return q


@given(values, st.integers(1, 10), any_ridge)
def test_energies_are_filled_to_one_level(s, k, beta):
    q = energies(s, k, beta)
    assert_allclose(q.sum(), k, rtol=1e-9)
    assert (q >= 0).all()
    assert np.count_nonzero(q) <= k
    if s[0] > 0:
        assert_allclose(q, filled(s, np.ones(len(s)), k, beta), atol=1e-8 * k)
    else:
        assert_allclose(q[: min(k, len(s))], k / min(k, len(s)))


@given(values, st.integers(1, 10), any_ridge, st.integers(0, 10**6))
def test_prices_are_paid(s, k, beta, seed):
    w = np.random.default_rng(seed).uniform(1, 20, len(s))
    q = energies(s, k, beta, w)
    assert_allclose(w @ q, k, rtol=1e-9)
    if s[0] > 0:
        assert_allclose(q, filled(s / np.sqrt(w), w, k, beta), atol=1e-8 * k)


@given(values, st.integers(1, 8), st.floats(1e-3, 10), st.integers(0, 10**6))
def test_nothing_else_that_can_be_afforded_leaves_less(s, k, beta, seed):
    rng = np.random.default_rng(seed)
    w = rng.uniform(1, 5, len(s))
    for prices in (None, w if k >= len(s) else None):  # with prices the places are a heuristic
        best = unexplained(s, energies(s, k, beta, prices), beta)
        for _ in range(20):
            other = rng.exponential(size=len(s)) ** 2
            other[rng.permutation(len(s))[k:]] = 0
            other *= k / (other @ (np.ones(len(s)) if prices is None else prices))
            assert best <= np.sum(beta * s**2 / (other + beta)) * (1 + 1e-12)


def test_a_whole_grid_at_once():
    s = np.sort(np.random.default_rng(0).exponential(size=(4, 6)))[:, ::-1]
    ridge, n_atoms = np.array([0.0, 0.1, 3.0])[:, None, None], np.array([1, 3, 9])[:, None]
    q = energies(s, n_atoms, ridge)
    assert q.shape == (3, 3, 4, 6)
    left = unexplained(s, q, ridge)
    for i, beta in enumerate([0.0, 0.1, 3.0]):
        for j, k in enumerate([1, 3, 9]):
            for c in range(4):
                assert_allclose(q[i, j, c], energies(s[c], k, beta))
                assert_allclose(left[i, j, c], unexplained(s[c], q[i, j, c], beta))


def test_a_large_ridge_costs_no_digits():
    s = np.array([2.0, 2.0, 2.0, 1.0])
    assert_allclose(energies(s, 3, 1e12), [1, 1, 1, 0], rtol=1e-12)


def test_without_ridge_only_what_has_no_energy_is_left():
    s, q = np.array([3.0, 2.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 0.0])
    assert unexplained(s, q, 0.0) == 1.0


@pytest.mark.parametrize("beta", [0.1, 2.0])
def test_what_is_left_is_the_formula(beta):
    s, q = np.array([3.0, 2.0, 1.0]), np.array([1.5, 0.5, 0.0])
    assert_allclose(unexplained(s, q, beta), sum(beta * a**2 / (b + beta) for a, b in zip(s, q)))


def test_a_class_of_zeros_shares_its_atoms_equally():
    assert_allclose(energies(np.zeros(5), 3, 0.1), [1, 1, 1, 0, 0])
