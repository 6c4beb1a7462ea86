import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.flagship import twins
from crosslabel.flagship.held_out import Samples
from crosslabel.flagship.twins import NEAR, equal_groups, near_twins


def test_equal_rows_are_found_whatever_their_place():
    X = np.random.default_rng(0).normal(size=(8, 3))
    X[5] = X[1]
    X[7] = X[1]
    X[6] = X[0]
    groups = equal_groups(X)
    assert [group.tolist() for group in groups] == [[0, 6], [1, 5, 7]]
    assert equal_groups(X[:5]) == []


def test_rows_of_one_hash_are_equal_only_if_their_values_are(monkeypatch):
    monkeypatch.setattr(twins, "row_hashes", lambda X: np.zeros(len(X), np.uint64))
    assert equal_groups(np.array([[1.0, 2.0], [1.0, 3.0]])) == []


def test_near_pairs_are_those_of_a_naive_search():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 5))
    labels = rng.permutation(np.arange(40) % 4)
    other = np.flatnonzero(labels != labels[3])[:2]
    X[other] = X[3] + 0.05 * rng.normal(size=(2, 5))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    np.fill_diagonal(distances, np.inf)
    usual = np.sqrt(np.median(distances.min(axis=1) ** 2))
    expected = {}
    for a in range(40):
        b = int(distances[a].argmin())
        if labels[a] != labels[b] and distances[a, b] <= NEAR * usual:
            expected[min(a, b), max(a, b)] = distances[a, b] / usual
    found = near_twins(Samples(X, labels, np.zeros(40, int), np.ones(40)))
    assert len(found) >= 2
    assert [pair[:2] for pair in found] == sorted(expected, key=expected.get)
    assert_allclose([pair.distance for pair in found], sorted(expected.values()))


def test_pairs_of_one_class_are_no_concern():
    X = np.repeat(np.random.default_rng(2).normal(size=(10, 4)), 2, axis=0)
    X[1::2] += 1e-3
    labels = np.repeat(np.arange(10) % 2, 2)
    assert near_twins(Samples(X, labels, np.zeros(20, int), np.ones(20))) == []


@pytest.mark.parametrize("chunk", [7, 128])
def test_near_pairs_along_a_line(chunk, monkeypatch):
    """Neighbours one apart are usual; a pair is nearer than 0.7 of that, and of two classes."""
    monkeypatch.setattr(twins, "_CHUNK", chunk)
    places = [0.0, 0.65, 1.25, 3.0, 3.75, *range(6, 26), 27.0, 27.3]
    labels = np.array([0, 1, 0, 0, 1, *(n % 2 for n in range(20)), 0, 0])
    X = np.array(places)[:, None]
    found = near_twins(Samples(X, labels, np.zeros(len(X), int), np.ones(len(X))))
    assert [pair[:2] for pair in found] == [(1, 2), (0, 1)]
    assert_allclose([pair.distance for pair in found], [0.6, 0.65])
