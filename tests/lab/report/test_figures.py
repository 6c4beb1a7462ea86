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
    shown = [axes for axes in figure.axes if axes.images]
    assert len(shown) == len(D)
    assert {text.get_text() for axes in figure.axes for text in axes.texts} == {
        "shared", "a", "b", "c",
    }  # fmt: skip


def test_an_atom_and_its_negative_look_the_same(dictionary):
    D, labels = dictionary
    one = figures.draw_atoms(D, labels, ["a", "b", "c"], (3, 4))
    two = figures.draw_atoms(-D, labels, ["a", "b", "c"], (3, 4))
    for a, b in zip(one.axes, two.axes):
        for left, right in zip(a.images, b.images):
            assert_allclose(left.get_array(), right.get_array())


def test_mean_absolute_codes_average_each_class():
    codes = np.array([[1.0, -2.0], [-3.0, 0.0], [5.0, 5.0]])
    means = figures.mean_absolute_codes(codes, np.array([0, 0, 1]), 2)
    assert_allclose(means, [[2, 1], [5, 5]])


def test_codes_are_drawn_with_all_class_names_that_fit(dictionary):
    D, labels = dictionary
    figure = figures.draw_codes(np.abs(D[:3] @ D.T), labels, ["a", "b", "c"])
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["a", "b", "c"]


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'crosslabel\[plot\]'"):
        figures.new_figure()
