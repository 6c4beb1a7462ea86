import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.lab.report import figures
from tests.core.problems import problem


@pytest.fixture
def dictionary():
    _, _, layout, D = problem()
    return D, layout.labels


def test_atoms_get_a_row_for_each_class_and_one_for_the_shared(dictionary):
    D, labels = dictionary
    figure = figures.draw_atoms(D, labels, ["a", "b", "c"], (3, 4))
    (axes,) = figure.axes
    assert len(axes.images) == len(D)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["shared", "a", "b", "c"]


def test_an_atom_and_its_negative_look_the_same(dictionary):
    D, labels = dictionary
    one = figures.draw_atoms(D, labels, ["a", "b", "c"], (3, 4))
    two = figures.draw_atoms(-D, labels, ["a", "b", "c"], (3, 4))
    for a, b in zip(one.axes, two.axes):
        for left, right in zip(a.images, b.images):
            assert_allclose(left.get_array(), right.get_array())


def test_codes_are_drawn_with_all_class_names_that_fit(dictionary):
    D, labels = dictionary
    figure = figures.draw_codes(np.abs(D[:3] @ D.T), labels, ["a", "b", "c"])
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["a", "b", "c"]


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'crosslabel\[plot\]'"):
        figures.new_figure()
