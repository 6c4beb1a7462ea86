import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from crosslabel.features import RandomFaces


@parametrize_with_checks([RandomFaces(random_state=0)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


X = np.random.default_rng(0).standard_normal((20, 2000))


def test_directions_have_unit_norm_and_depend_on_the_seed_only():
    a = RandomFaces(50, random_state=3).fit(X)
    b = RandomFaces(50, random_state=3).fit(-2 * X)
    np.testing.assert_array_equal(a.components_, b.components_)
    np.testing.assert_allclose(np.linalg.norm(a.components_, axis=1), 1, rtol=1e-12)
    assert np.abs(a.components_ - RandomFaces(50, random_state=4).fit(X).components_).max() > 0.01


def test_distances_nearly_survive():
    Z = RandomFaces(504, random_state=0).fit_transform(X) * np.sqrt(2000 / 504)
    ratio = np.linalg.norm(Z[:10] - Z[10:], axis=1) / np.linalg.norm(X[:10] - X[10:], axis=1)
    np.testing.assert_allclose(ratio, 1, atol=0.15)


def test_inverse_has_the_same_projection():
    model = RandomFaces(30, random_state=0).fit(X)
    Z = model.transform(X)
    np.testing.assert_allclose(model.transform(model.inverse_transform(Z)), Z, atol=1e-9)
