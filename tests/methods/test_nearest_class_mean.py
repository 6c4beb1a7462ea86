import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import NearestClassMean
from tests import naive


def test_the_score_ranks_by_distance_to_the_mean_of_each_class():
    X, labels = naive.problem()
    model = naive.learn(NearestClassMean(), X, labels)
    means = [sum(X[labels == c]) / np.sum(labels == c) for c in range(3)]
    assert_allclose(model.means_, means)
    scores = model._scores(naive.queries())
    for query, row in zip(naive.queries(), scores):
        costs = np.array([0.5 * ((query - mean) ** 2).sum() for mean in means])
        assert_allclose(row - row[0], costs[0] - costs, atol=1e-12)


def test_without_unit_norm_lengths_count():
    X = np.array([[1.0, 0], [1.2, 0], [5.0, 0], [5.5, 0]])
    y = ["short", "short", "long", "long"]
    model = NearestClassMean(normalize=False).fit(X, y)
    assert_array_equal(model.predict([[2.0, 0], [4.0, 0]]), ["short", "long"])
