from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crosslabel import CrossLabelClassifier


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    y = np.repeat(["x", "y", "z"], 12)
    X = 3 * np.eye(3, 8)[np.arange(36) // 12] + rng.normal(size=(36, 8))
    return CrossLabelClassifier(random_state=0, atoms_per_class=4).fit(X, y), X


def test_classes_stand_in_the_order_of_their_scores(model):
    classifier, X = model
    chances, labels = classifier.predict_proba(X), classifier.predict(X)
    for query, label, row in zip(classifier.explain(X), labels, chances):
        assert query.label == label
        numbers = [view.number for view in query.views]
        assert_array_equal(numbers, np.argsort(-row, kind="stable"))
        assert_allclose([view.probability for view in query.views], row[numbers])
        assert [view.name for view in query.views] == classifier.classes_[numbers].tolist()


def test_the_heaviest_atoms_are_the_classs_own_by_their_coefficients(model):
    classifier, X = model
    (query,) = classifier.explain(X[:1], ["a", "b", "c"])
    assert query.label in "abc"
    for rank, view in enumerate(query.views):
        heaviest = query.heaviest(rank, 3)
        own = np.flatnonzero(query.atom_labels == view.number)
        weights = np.abs(query.code[own])
        assert heaviest == own[np.argsort(-weights, kind="stable")][:3].tolist()


def test_the_sentence_says_when_the_discriminant_decides(model):
    classifier, X = model
    for query in classifier.explain(X):
        first, second = query.views[:2]
        said = query.sentence("It")
        assert said.startswith(f"It is labelled {first.name} by the {query.rule} rule (")
        overruled = query.rule != query.shown and second.share.score > first.share.score
        assert ("discriminant speaks for" in said) == overruled
    assert query.as_dict()["classes"][0]["name"] == query.label


@pytest.mark.parametrize(
    ("rule", "order", "is_said"),
    [
        ("joint", (1, 0), True),
        ("joint", (0, 1), False),
        ("joint", (0, 0), False),
        ("local", (1, 0), False),
    ],
)
def test_the_discriminant_speaks_where_atoms_say_another_class(model, rule, order, is_said):
    classifier, X = model
    query = classifier.explain(X[:1])[0]
    by_atoms = sorted(query.views, key=lambda view: -view.share.score)
    query = replace(query, rule=rule, shown="local", views=tuple(by_atoms[k] for k in order))
    said = query.sentence()
    assert (f"; the discriminant speaks for {query.views[0].name}." in said) == is_said
