import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from crosslabel.features import Eigenfaces


@parametrize_with_checks([Eigenfaces(), Eigenfaces(3, center=True)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


X = np.random.default_rng(0).standard_normal((30, 8)) + 1


def test_centred_is_pca():
    ours = Eigenfaces(4, center=True).fit(X)
    theirs = PCA(4, svd_solver="full").fit(X)
    np.testing.assert_allclose(np.abs(ours.components_), np.abs(theirs.components_), atol=1e-8)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-8)


def test_uncentred_directions_are_the_best_approximation():
    model = Eigenfaces(3).fit(X)
    values = np.linalg.svd(X, compute_uv=False)
    error = ((X - model.inverse_transform(model.transform(X))) ** 2).sum()
    np.testing.assert_allclose(error, (values[3:] ** 2).sum(), rtol=1e-9)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(3), atol=1e-9)
    assert not model.mean_.any()


def test_inner_products_survive_when_all_directions_are_kept():
    Z = Eigenfaces(300).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, X @ X.T, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_kept(dtype):
    assert Eigenfaces(2).fit_transform(X.astype(dtype)).dtype == dtype


def test_there_are_no_more_directions_than_training_rows():
    X = np.random.default_rng(0).normal(size=(7, 30))
    assert Eigenfaces(6000).fit(X).components_.shape == (7, 30)
    assert Eigenfaces(6000).fit_transform(X).shape == (7, 7)
