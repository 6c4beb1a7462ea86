import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from crosslabel.displays import AtomsDisplay


def pictures(display):
    return [image.get_array() for image in display.ax_.images]


def test_atoms_get_a_row_for_each_class_and_one_for_the_shared(model):
    display = AtomsDisplay.from_estimator(model, shape=(8, 8), most_classes=20)
    assert len(pictures(display)) == len(model.dictionary_)
    shown = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert shown == ["shared", *map(str, range(10))]


def test_pictures_are_the_atoms_themselves_turned_to_the_light(model):
    display = AtomsDisplay.from_estimator(model, shape=(8, 8), most_classes=20)
    for picture, atom in zip(pictures(display), model.dictionary_):
        assert_allclose(picture.ravel(), atom * (1 if atom.sum() >= 0 else -1))


def test_rows_and_columns_are_limited(model):
    display = AtomsDisplay.from_estimator(model, shape=(8, 8), most_classes=3, most_atoms=2)
    assert len(pictures(display)) == 6


def test_each_atom_lies_in_its_own_cell(model):
    display = AtomsDisplay.from_estimator(model, shape=(8, 8), most_classes=3, most_atoms=2)
    cells = {(int(x[0]), int(x[3])) for x in (i.get_extent() for i in display.ax_.images)}
    assert cells == {(column, row) for row in range(3) for column in range(2)}


def test_the_coordinate_of_an_offset_is_left_out(digits):
    atoms = np.hstack([digits[0][:2], [[7.0], [7.0]]])
    display = AtomsDisplay.from_predictions(atoms, [0, 1], shape=(8, 8))
    assert_allclose(pictures(display)[1].ravel(), digits[0][1])


def test_a_shape_that_does_not_fit_is_an_error_with_the_numbers(model):
    with pytest.raises(ValueError, match=r"64 features .* shape \(5, 5\)"):
        AtomsDisplay.from_estimator(model, shape=(5, 5))


def test_curves_where_there_is_no_image():
    atoms = np.array([[0.0, 1.0, 0.5], [0.0, 2.0, 4.0], [3.0, 3.0, 3.0]])
    display = AtomsDisplay.from_predictions(atoms, [0, 0, 1], names=["up", "flat"])
    lines = display.ax_.lines
    assert len(lines) == 3
    x, y = lines[1].get_data()
    assert x.min() > 1
    assert x.max() < 2
    # The axis of rows points down: the highest value is the least y, and inside the cell.
    assert_allclose(y, [0.92, 0.5, 0.08])


def test_a_figure_grows_with_rows_and_columns(model):
    display = AtomsDisplay(model.dictionary_, model.atom_labels_, list("0123456789"), (16, 8))
    assert_allclose(display.figure_size(), (1.2 + 0.8 * 4, 0.4 + 1.6 * 10))
    assert_allclose(display.figure_size(3, 2), (1.2 + 0.8 * 2, 0.4 + 1.6 * 3))


def test_draws_on_the_axes_it_is_given(model):
    ax = Figure().subplots()
    display = AtomsDisplay.from_estimator(model, shape=(8, 8), ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
