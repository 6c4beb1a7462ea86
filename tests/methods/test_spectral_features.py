import numpy as np
from numpy.testing import assert_allclose

from crosslabel import SpectralFeatures
from tests import naive

X, LABELS = naive.problem()


def similarity(a, b, width):
    return np.exp(-((a - b) ** 2).sum() / width)


def test_features_are_eigenvectors_of_the_normalised_cut():
    model = naive.learn(SpectralFeatures(4, width=0.5), X, LABELS)
    width = 0.5 * np.mean([((a - b) ** 2).sum() for a in X for b in X])
    S = np.array([[similarity(a, b, width) for b in X] for a in X])
    roots = np.sqrt(S.sum(axis=1))
    M = np.array([[S[i, j] / (roots[i] * roots[j]) for j in range(12)] for i in range(12)])
    values = np.sort(np.linalg.eigvals(M).real)[::-1]
    assert_allclose(values[0], 1)
    assert_allclose(model.eigenvalues_, values[1:5])
    assert_allclose(M @ model.embedding_, model.embedding_ * values[1:5], atol=1e-10)
    assert_allclose(model.embedding_.T @ model.embedding_, np.eye(4), atol=1e-10)
    assert_allclose(roots @ model.embedding_, 0, atol=1e-10)


def test_a_query_is_mapped_by_its_similarities_and_a_sample_to_itself():
    model = naive.learn(SpectralFeatures(3, width=0.5), X, LABELS)
    width = 0.5 * np.mean([((a - b) ** 2).sum() for a in X for b in X])
    degrees = [sum(similarity(a, b, width) for b in X) for a in X]
    features = []
    for y in naive.queries():
        s = np.array([similarity(y, x, width) for x in X])
        terms = [
            s[i] / np.sqrt(s.sum() * degrees[i]) * model.embedding_[i] / model.eigenvalues_
            for i in range(12)
        ]
        features.append(sum(terms))
    expected = [
        [-min(((f - p) ** 2).sum() for p in model.embedding_[c == LABELS]) for c in range(3)]
        for f in features
    ]
    assert_allclose(model._scores(naive.queries()), expected, atol=1e-10)
    assert_allclose(model._features(X), model.embedding_, atol=1e-10)
