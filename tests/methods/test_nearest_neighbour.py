import numpy as np
from numpy.testing import assert_allclose

from crosslabel.methods import nearest_neighbour
from crosslabel.methods.nearest_neighbour import nearest_scores


def test_the_score_is_the_least_squared_distance_to_a_class(monkeypatch):
    rng = np.random.default_rng(0)
    queries, points = rng.normal(size=(7, 3)), rng.normal(size=(9, 3))
    parts = [slice(0, 2), slice(2, 9)]
    expected = [
        [-min(((q - p) ** 2).sum() for p in points[part]) for part in parts] for q in queries
    ]
    assert_allclose(nearest_scores(queries, points, parts), expected, atol=1e-12)
    monkeypatch.setattr(nearest_neighbour, "_BLOCK", 3)
    # In another order, so that no memory of the first call passes for an answer.
    assert_allclose(nearest_scores(queries[::-1], points, parts), expected[::-1], atol=1e-12)
