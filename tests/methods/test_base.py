import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from crosslabel import DLSI
from crosslabel.core.atoms import AtomLayout
from crosslabel.methods.base import ComparisonMethod
from tests import naive
from tests.methods.faces import faces


class Means(ComparisonMethod):
    """The nearest mean: a method that keeps what it was given to learn from."""

    def __init__(self, normalize=True):
        self.normalize = normalize

    def _learn(self, X, labels):
        self.X, self.labels = X, labels
        self.means = np.stack([X[labels == c].mean(axis=0) for c in range(labels[-1] + 1)])
        self._name_atoms(AtomLayout(2, (1,) * len(self.means)))

    def _scores(self, X):
        assert X.dtype == np.float64
        return -((X[:, None] - self.means) ** 2).sum(axis=2)


X, LABELS = naive.problem()
NAMES = np.array(["pear", "apple", "fig"])[LABELS]


def test_a_method_without_its_two_functions_cannot_be_made():
    assert inspect.isabstract(ComparisonMethod)
    assert {"_learn", "_scores"} <= ComparisonMethod.__abstractmethods__

    class Half(ComparisonMethod):
        def _learn(self, X, labels):
            """No scores."""

    with pytest.raises(TypeError, match="_scores"):
        Half()


def test_a_method_learns_from_sorted_unit_samples_in_float64_as_many_as_were_given():
    order = np.random.default_rng(0).permutation(12)
    rows = np.concatenate([order, [3, 3]])  # one sample three times
    model = Means().fit(3 * X[rows].astype(np.float32), NAMES[rows])
    assert model.X.dtype == np.float64
    assert_allclose(np.linalg.norm(model.X, axis=1), 1, rtol=1e-6)
    assert (np.diff(model.labels) >= 0).all()
    named = model.classes_[model._class_order[model.labels]]
    for x, name in zip(model.X, named):
        assert name == NAMES[np.abs(X - x).sum(axis=1).argmin()]
    assert len(model.X) == 14
    assert (np.abs(model.X - X[3]).max(axis=1) < 1e-6).sum() == 3


def test_scores_come_in_the_order_of_the_class_names():
    model = Means().fit(X, NAMES)
    assert_array_equal(model.classes_, ["apple", "fig", "pear"])
    for j, name in enumerate(model.classes_):
        mean = X[name == NAMES].mean(axis=0)
        expected = -((X - mean) ** 2).sum(axis=1)
        assert_allclose(model.decision_function(5 * X.astype(np.float32))[:, j], expected, 1e-4)
    nearest = model.classes_[model.decision_function(X).argmax(axis=1)]
    assert_array_equal(model.predict(X), nearest)


def test_atoms_are_named_by_the_place_of_their_class_and_shared_ones_by_minus_one():
    model = Means().fit(X, NAMES)
    assert_array_equal(model.atom_labels_[:2], -1)
    for mean, place in zip(model.means, model.atom_labels_[2:]):
        of_class = X[model.classes_[place] == NAMES]
        assert_allclose(mean, of_class.mean(axis=0))


def test_two_classes_decide_by_the_difference_of_their_scores():
    two = LABELS < 2
    model = Means().fit(X[two], NAMES[two])
    scores = -((X[:, None] - [X[n == NAMES].mean(axis=0) for n in ("apple", "pear")]) ** 2).sum(2)
    assert_allclose(model.decision_function(X), scores[:, 1] - scores[:, 0])
    assert_array_equal(model.predict(X), np.array(["apple", "pear"])[scores.argmax(axis=1)])


@pytest.mark.parametrize("normalize", [True, False])
def test_samples_keep_their_size_unless_they_are_normalised(normalize):
    model = Means(normalize=normalize).fit(3 * X, NAMES)
    norms = np.linalg.norm(model.X, axis=1)
    assert_allclose(norms, 1 if normalize else 3)


def test_a_fit_that_fails_leaves_the_model_as_it_was(monkeypatch):
    model = Means().fit(X, NAMES)
    before, scores = dict(vars(model)), model.decision_function(X)

    def fails(self, X, labels):
        self.means = None
        raise RuntimeError("half-way")

    monkeypatch.setattr(Means, "_learn", fails)
    with pytest.raises(RuntimeError, match="half-way"):
        model.fit(np.eye(4), list("abcd"))
    with pytest.raises(ValueError, match="two classes"):
        model.fit(np.eye(4), list("aaaa"))
    assert vars(model).keys() == before.keys()
    assert_array_equal(model.decision_function(X), scores)
    assert not Means().__sklearn_is_fitted__()


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_values_whose_squares_leave_their_range_are_refused_unless_normalised(scale):
    with pytest.raises(ValueError, match=r"Rescale X, or use normalize=True"):
        Means(normalize=False).fit(scale * X, NAMES)
    model = Means(normalize=False).fit(X, NAMES)
    with pytest.raises(ValueError, match=r"Rescale X, or use normalize=True"):
        model.predict(scale * X)
    assert_array_equal(Means().fit(scale * X, NAMES).predict(X), Means().fit(X, NAMES).predict(X))


def test_samples_too_unlike_in_size_are_refused_unless_normalised():
    unlike = X * np.where(np.arange(12) % 2, 1.0, 1e-40)[:, None]
    with pytest.raises(ValueError, match="largest sample has norm"):
        Means(normalize=False).fit(unlike, NAMES)
    alike = Means().fit(X, NAMES).decision_function(X)
    assert_allclose(Means().fit(unlike, NAMES).decision_function(X), alike)


def test_queries_are_checked_whatever_holds_them():
    model = Means().fit(X, NAMES)
    expected = model.decision_function(X)
    assert_allclose(model.decision_function(X.tolist()), expected)
    assert_allclose(model.decision_function(np.asfortranarray(X)), expected)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((1, 6), np.nan))
    with pytest.raises(NotFittedError):
        Means().predict(X)


def test_atoms_may_be_counted_class_by_class_in_the_order_of_the_classes():
    X, y = faces()
    names = np.array(["c", "a", "b"])[y]
    model = DLSI([2, 1, 3], max_iter=2, random_state=0).fit(X, names)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert np.bincount(model.atom_labels_).tolist() == [2, 1, 3]
    same = DLSI([2, 2, 2], max_iter=2, random_state=0).fit(X, names)
    plain = DLSI(2, max_iter=2, random_state=0).fit(X, names)
    assert_allclose(same.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("counts", [[2, 1], [2, 1, 0], [2.5, 1, 3]])
def test_counts_of_atoms_that_do_not_fit_the_classes_are_told(counts):
    X, y = faces()
    with pytest.raises(ValueError, match="there are 3 classes: give one whole number"):
        DLSI(counts).fit(X, y)


def test_the_gram_matrix_is_that_of_the_atoms_and_is_not_stored():
    model = Means()
    model.dictionary_ = np.random.default_rng(0).normal(size=(3, 5))
    products = [[a @ b for b in model.dictionary_] for a in model.dictionary_]
    assert_allclose(model._gram, products)
    assert "_gram" not in model.__getstate__()
