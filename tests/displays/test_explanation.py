import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from crosslabel.displays import ExplanationDisplay


def test_the_first_class_is_the_one_that_is_predicted(model, digits):
    for query in digits[0][600:610]:
        display = ExplanationDisplay.from_estimator(model, query, shape=(8, 8))
        assert model.classes_[display.ranking[0]] == model.predict(query[None])[0]


def test_pictures_are_the_query_and_reconstructions_with_their_residuals(model, digits):
    display = ExplanationDisplay.from_estimator(model, digits[0][600], shape=(8, 8))
    query = digits[0][600] / np.linalg.norm(digits[0][600])
    shown = [axes.images[0].get_array().ravel() for axes in display.axes_[:4]]
    assert_allclose(shown[0], query)
    for picture, axes, c in zip(shown[1:], display.axes_[1:4], display.ranking):
        residual = np.linalg.norm(query - picture)
        assert axes.get_title() == f"{model.classes_[c]}: residual {residual:.2f}"


def test_the_code_is_the_winners_on_shared_atoms_and_each_class_s_on_its_own(model, digits):
    display = ExplanationDisplay.from_estimator(model, digits[0][600], shape=(8, 8))
    labels, code = model.atom_labels_, display.code
    winner = display.shares[display.ranking[0]]
    assert_allclose(code[labels == -1], winner.coefficients[:2])
    last = display.ranking[-1]
    assert_allclose(code[labels == last], display.shares[last].coefficients[2:])


def test_bars_are_costs_and_grow_downwards(model, digits):
    display = ExplanationDisplay.from_estimator(model, digits[0][600])
    lengths = [bar.get_width() for bar in display.axes_[-1].patches]
    assert lengths == sorted(lengths)
    assert_allclose(lengths[0], -max(share.score for share in display.shares))


def test_axes_that_cannot_be_divided_are_refused(model, digits):
    ax = Figure().add_axes((0.1, 0.1, 0.8, 0.8))
    with pytest.raises(ValueError, match="Give axes of `subplots`, or none"):
        ExplanationDisplay.from_estimator(model, digits[0][600], ax=ax)


def test_a_rules_own_explanation_gives_the_same_picture(model, digits):
    one = ExplanationDisplay.from_estimator(model, digits[0][600], most_classes=2)
    view = model.fitted_.view
    shares = view.prepared.explanation(one.query)
    two = ExplanationDisplay.from_predictions(
        one.query, shares, model.atom_labels_, names=list("abcdefghij"), most_classes=2
    )
    assert two.ranking == one.ranking
    assert len(two.axes_) == 5
    assert two.axes_[1].get_title().startswith("abcdefghij"[one.ranking[0]])
