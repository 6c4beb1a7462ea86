import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from crosslabel import CRC, DPL, CrossLabelClassifier, CrossLabelClassifierCV, RejectingClassifier
from crosslabel.displays import AtomsDisplay, CodesDisplay, ExplanationDisplay, RulesDisplay
from crosslabel.displays.given import check_model, check_most, labelled_atoms, pixels

DRAWN = [
    lambda model, X, y: AtomsDisplay.from_estimator(model),
    lambda model, X, y: CodesDisplay.from_estimator(model, X, y),
    lambda model, X, y: ExplanationDisplay.from_estimator(model, X[0]),
]


@pytest.mark.parametrize("draw", DRAWN)
def test_the_estimator_with_a_grid_is_drawn_as_the_flagship_is(draw, digits):
    X, y = digits[0][:200], digits[1][:200]
    model = CrossLabelClassifierCV(atoms_per_class=[2], ridges=[0.1], rules=["local"], cv=2)
    assert draw(model.fit(X, y), X, y).figure_.axes


def test_atoms_of_a_comparison_method_are_drawn(digits):
    model = DPL(atoms_per_class=2, random_state=0).fit(digits[0][:200], digits[1][:200])
    display = AtomsDisplay.from_estimator(model, shape=(8, 8))
    assert len(display.ax_.images) == 20


@pytest.mark.parametrize("draw", DRAWN)
@pytest.mark.parametrize(
    "around",
    [lambda inner: CRC(), make_pipeline, RejectingClassifier],
    ids=lambda one: one.__name__,
)
def test_a_model_without_what_is_drawn_is_refused_by_its_name(draw, around, digits):
    X, y = digits[0][:100], digits[1][:100]
    model = around(CrossLabelClassifier(rule="local", ridge=0.1)).fit(X, y)
    with pytest.raises(TypeError, match=f"^{type(model).__name__} has no `.*Give a CrossLabelCl"):
        draw(model, X, y)


@pytest.mark.parametrize("draw", DRAWN)
def test_who_is_not_fitted_yet_is_told_so(draw, digits):
    for model in (CrossLabelClassifier(), CrossLabelClassifierCV()):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            draw(model, *digits)


def test_a_class_in_place_of_a_model_is_told_how_to_become_one():
    with pytest.raises(TypeError, match=r"CRC is a class: give .* CRC\(\)\.fit\(X, y\)"):
        check_model(CRC, "classes_")


@pytest.mark.parametrize("most", [0, -1, 1.5, "all"])
def test_nothing_cannot_be_drawn(most):
    with pytest.raises(ValueError, match="most_atoms is how many are drawn"):
        check_most("most_atoms", most)


def test_atoms_are_rows_with_a_label_each():
    rows, labels = labelled_atoms([[1, 2], [3, 4]], [-1, 0])
    assert_array_equal(rows, [[1.0, 2.0], [3.0, 4.0]])
    assert_array_equal(labels, [-1, 0])


@pytest.mark.parametrize(
    ("atoms", "labels", "told"),
    [
        ([1.0, 2.0], [0, 1], r"its shape is \(2,\)"),
        (np.zeros((0, 4)), [], r"its shape is \(0, 4\)"),
        ([[1.0]], [0, 1], r"1 atoms, but atom_labels has the shape \(2,\)"),
        ([[1.0]], ["cat"], r"the first are \['cat'\]"),
        ([[1.0]], [-2], r"the first are \[-2\]"),
        ([[1.0]], [0.5], r"the first are \[0.5\]"),
    ],
)
def test_other_arrays_are_refused(atoms, labels, told):
    with pytest.raises(ValueError, match=told):
        labelled_atoms(atoms, labels)


def test_pixels_are_left_as_they_are_but_for_an_offset():
    vectors = np.arange(10.0).reshape(2, 5)
    assert pixels(vectors, None) is vectors
    assert_array_equal(pixels(vectors, (5, 1)), vectors)
    assert_array_equal(pixels(vectors, (2, 2)), vectors[:, :4])


@pytest.mark.parametrize("shape", [8, (8, 8, 1), "8x8", (0, 5), (2.5, 2)])
def test_what_is_no_shape_is_shown(shape):
    with pytest.raises(ValueError, match="shape is the height and width of an image"):
        pixels(np.zeros((1, 5)), shape)


def test_an_explanation_does_not_show_a_part_of_a_vector_as_an_image(model, digits):
    with pytest.raises(ValueError, match=r"64 features do not fill images of shape \(3, 3\)"):
        ExplanationDisplay.from_estimator(model, digits[0][0], shape=(3, 3))


def test_one_query_is_explained_as_a_vector_or_as_a_row(model, digits):
    one = ExplanationDisplay.from_estimator(model, digits[0][0])
    two = ExplanationDisplay.from_estimator(model, digits[0][:1])
    assert_array_equal(one.query, two.query)
    with pytest.raises(ValueError, match="One query is explained, but 2 were given"):
        ExplanationDisplay.from_estimator(model, digits[0][:2])
    with pytest.raises(ValueError, match="no class"):
        ExplanationDisplay.from_predictions(digits[0][0], [], model.atom_labels_)


def test_codes_need_samples_of_each_class_and_labels_of_each_sample(model, digits):
    X, y = digits[0][:50], digits[1][:50]
    codes, labels = model.transform(X), model.atom_labels_
    with pytest.raises(ValueError, match="y has 5 classes, but the atoms belong to 10"):
        CodesDisplay.from_predictions(y[y < 5], codes[y < 5], labels)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        CodesDisplay.from_estimator(model, X, y[1:])


@pytest.mark.parametrize(
    ("changed", "error", "told"),
    [
        ({"estimator": CRC()}, TypeError, "CRC has no `rule` to vary"),
        ({"rules": "local"}, ValueError, "rules is a list of names"),
        ({"rules": ["lokal"]}, ValueError, "lokal"),
        ({"rules": []}, ValueError, "rules is a list of names"),
        ({"param_name": "lambda"}, ValueError, "no parameter 'lambda'"),
        ({"param_range": []}, ValueError, "one at least"),
        ({"param_range": ["rbf"]}, ValueError, "numbers that stand on the axis"),
        ({"param_range": [-1.0]}, ValueError, "-1.0"),
    ],
)
def test_curves_of_nothing_are_refused(changed, error, told, digits):
    X, y = digits[0][:100], digits[1][:100]
    given = {"estimator": CrossLabelClassifier(atoms_per_class=2), "param_name": "ridge"}
    with pytest.raises(error, match=told):
        RulesDisplay.from_estimator(X=X, y=y, **{**given, "param_range": [0.1], "cv": 2, **changed})


@pytest.mark.parametrize("labels", [[0, 1], [[0]], [[0, 1], [0, 1]]])
def test_labels_have_a_row_for_each_value(labels):
    given = {"param_name": "ridge", "param_range": [0.1]}
    with pytest.raises(ValueError, match=r"a row for each value .* \(1, 2\)"):
        RulesDisplay.from_predictions([0, 1], {"local": labels}, **given)
    with pytest.raises(TypeError, match="y_pred maps the name of each rule"):
        RulesDisplay.from_predictions([0, 1], [labels], **given)
