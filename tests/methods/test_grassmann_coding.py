import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel import GrassmannCoding
from crosslabel.core.scaling import unit_rows
from tests import naive
from tests.methods.faces import never_rises

LABELS = np.repeat([0, 1, 2], [5, 4, 4])


def subspaces(n, seed, p=2, M=5):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n, M, p)))[0]


BASES, QUERIES = subspaces(13, 0), subspaces(3, 1)


def rows(bases):
    return bases.reshape(len(bases), -1) / np.sqrt(2)  # of unit norm, as samples come


def apart(U, V):
    return ((U @ U.T - V @ V.T) ** 2).sum() / (2 * 2)


def kernel(some, width=2.0):
    mean = np.mean([[apart(U, V) for V in BASES] for U in BASES])
    return np.array([[np.exp(-apart(U, V) / (width * mean)) for V in BASES] for U in some])


def learnt(**settings):
    model = GrassmannCoding(2, dimension=2, width=2.0, penalty=0.2, random_state=0, **settings)
    return naive.learn(model, rows(BASES), LABELS)


def embed(model, bases):
    """Coordinates in which products are kernel values, by the kernel written out."""
    return kernel(bases) @ model._basis


def test_products_of_coordinates_are_kernel_values():
    Z = embed(learnt(), BASES)
    assert_allclose(Z @ Z.T, kernel(BASES), atol=1e-9)


def test_the_objective_is_the_printed_one_and_its_codes_are_optimal():
    model = learnt(max_iter=4)
    Z, D = embed(model, BASES), model.atoms_
    codes = np.array([naive.lasso(D @ D.T, D @ z, 0.2) for z in Z])
    value = ((Z - codes @ D) ** 2).sum() + 0.2 * np.abs(codes).sum()
    assert_allclose(model.objective_trace_[-1], value, rtol=1e-5)
    assert never_rises(learnt(max_iter=12).objective_trace_)
    assert (np.sqrt((D**2).sum(axis=1)) <= 1 + 1e-12).all()


def test_more_rounds_lower_what_is_left_of_local_codes():
    trace = learnt(coding="local", n_neighbors=2, max_iter=8).objective_trace_
    assert trace[-1] < trace[0]


def by_neighbours(z, D, k):
    """min ‖z − xD‖² + 1e-4 tr(C)‖x‖² with Σx = 1 over the nearest atoms, by its Lagrangian."""
    near = np.argsort(((D - z) ** 2).sum(axis=1))[:k]
    C = (D[near] - z) @ (D[near] - z).T
    system = np.zeros((k + 1, k + 1))
    system[:k, :k] = 2 * (C + 1e-4 * np.trace(C) * np.eye(k))
    system[:k, k] = system[k, :k] = 1
    x = np.zeros(len(D))
    x[near] = np.linalg.solve(system, np.append(np.zeros(k), 1.0))[:k]
    return x


@pytest.mark.parametrize("coding", ["sparse", "local"])
def test_the_labels_regressed_on_the_codes_decide(coding):
    model = learnt(coding=coding, n_neighbors=3, ridge=0.3, max_iter=3)
    D = model.atoms_
    code = {
        "sparse": lambda z: naive.lasso(D @ D.T, D @ z, 0.2),
        "local": lambda z: by_neighbours(z, D, 3),
    }[coding]
    codes = np.array([code(z) for z in embed(model, BASES)])
    W = naive.ridge(codes, np.eye(3)[LABELS], 0.3)
    expected = [code(z) @ W for z in embed(model, QUERIES)]
    assert_allclose(model._scores(rows(QUERIES)), expected, atol=1e-3)


def test_a_basis_may_be_turned_within_its_subspace():
    model = learnt()
    turned = QUERIES @ subspaces(3, 5, p=2, M=2)
    assert_allclose(model._scores(rows(turned)), model._scores(rows(QUERIES)), atol=1e-9)


def test_what_is_no_basis_is_refused():
    X = np.random.default_rng(0).normal(size=(12, 10))
    y = np.arange(12) % 3
    with pytest.raises(ValueError, match="no orthonormal basis of 2 columns"):
        GrassmannCoding(dimension=2).fit(X, y)
    with pytest.raises(ValueError, match="10 values, which are no basis of dimension=3"):
        GrassmannCoding(dimension=3).fit(X, y)
    with pytest.raises(ValueError, match="at least 100"):  # ten columns of one row each
        GrassmannCoding(dimension=10).fit(X, y)


def test_bases_may_come_with_columns_of_unit_norm():
    plain = GrassmannCoding(2, dimension=2, width=2.0, penalty=0.2, random_state=0, normalize=False)
    whole = naive.learn(plain, BASES.reshape(len(BASES), -1), LABELS)
    found = whole._scores(QUERIES.reshape(len(QUERIES), -1))
    assert_allclose(found, learnt()._scores(rows(QUERIES)), atol=1e-9)
    assert_allclose(whole._as_bases(BASES.reshape(len(BASES), -1)), BASES)


def test_a_basis_may_span_the_whole_space():
    whole = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 2, 2)))[0]
    model = GrassmannCoding(2, dimension=2, random_state=0)
    assert_allclose(model._as_bases(rows(whole)), whole)


@pytest.mark.parametrize(("error", "fits"), [(3e-4, True), (3e-3, False), (-3e-3, False)])
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_products_of_columns_may_be_off_by_a_part_of_their_squares(error, fits, scale):
    model = GrassmannCoding(dimension=2, normalize=False)
    U = scale * BASES[:1]
    U = np.stack([U[..., 0], U[..., 1] + error * U[..., 0]], axis=-1)
    if fits:
        assert_allclose(model._as_bases(U.reshape(1, -1)), U)
    else:
        with pytest.raises(ValueError, match="no orthonormal basis of 2 columns"):
            model._as_bases(U.reshape(1, -1))


def test_distances_and_sizes_of_bases_of_any_length():
    model = learnt()
    long = QUERIES * np.array([1.0, 2.0, 0.5])[:, None, None]
    own, distances = model._distances(long)
    assert_allclose(own, [np.linalg.norm(U @ U.T) ** 2 / 2 for U in long])
    assert_allclose(distances, [[apart(U, V) for V in BASES] for U in long], atol=1e-12)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_distances_of_rounding_leave_the_subspaces_own_size(size, monkeypatch):
    model, rounding = learnt(), 1000 * np.finfo(float).eps
    for part, unit in [(0.9, 1.0), (1.1, 1.1 * rounding)]:
        distances = np.full((13, 13), part * rounding * size)
        monkeypatch.setattr(model, "_distances", lambda _, d=distances: (np.full(13, size), d))
        model._embed_samples()
        assert_allclose(model._gamma, 1 / (2.0 * unit * size))


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_subspaces_that_are_equal_but_for_rounding_are_learnt_at_any_length(length):
    rng = np.random.default_rng(0)
    [line] = unit_rows(rng.normal(size=(1, 12)))
    X = length * line * rng.choice([-1.0, 1.0], size=(20, 1))
    X *= 1 + np.finfo(float).eps * rng.integers(-1, 2, size=X.shape)
    model = GrassmannCoding(2, normalize=False, max_iter=2, random_state=0)
    scores = model.fit(X, np.arange(20) % 2).decision_function(X)
    assert_allclose(scores, scores[0], atol=1e-6)
