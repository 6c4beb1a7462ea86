import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from crosslabel import GaussianDiscriminant, NearestClassMean
from tests import naive
from tests.methods.faces import faces


@pytest.mark.parametrize("shrinkage", [0.02, 3.0])
def test_scores_are_the_formula(shrinkage):
    X, labels = naive.problem()
    model = naive.learn(GaussianDiscriminant(shrinkage), X, labels)
    means = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    W = sum(np.outer(x - means[c], x - means[c]) for x, c in zip(X, labels)) / len(X)
    inverse = np.linalg.inv(W + shrinkage * np.trace(W) / 6 * np.eye(6))
    expected = [
        [mean @ inverse @ y - 0.5 * mean @ inverse @ mean for mean in means]
        for y in naive.queries()
    ]
    assert_allclose(model._scores(naive.queries()), expected, atol=1e-10)


def test_little_shrinkage_decides_as_linear_discriminant_analysis():
    X, y = faces(n_per_class=30, n_features=8)
    model = GaussianDiscriminant(1e-9, normalize=False).fit(X[::2], y[::2])
    rival = LinearDiscriminantAnalysis(solver="lsqr", priors=np.full(3, 1 / 3))
    rival.fit(X[::2], y[::2])
    assert np.mean(model.predict(X) == rival.predict(X)) == 1


def test_much_shrinkage_decides_as_the_nearest_mean():
    X, y = faces(n_per_class=12)
    model = GaussianDiscriminant(1e9).fit(X[::2], y[::2])
    assert (model.predict(X) == NearestClassMean().fit(X[::2], y[::2]).predict(X)).all()
