import re

import numpy as np
import pytest

from crosslabel.lab.report.charts import Series
from crosslabel.lab.report.content import AtomSheet, BarChart, Confusion, LineChart, StemGrid
from crosslabel.lab.report.html_figures import (
    MOST_ATOMS,
    MOST_CLASSES,
    MOST_POINTS,
    draw_figure,
    side_by_side,
)
from crosslabel.lab.report.markup import Markup


def cells(text):
    return re.findall(r"<td[^>]*>(.*?)</td>", text)


def test_a_line_chart_has_its_numbers_as_a_table():
    series = (
        Series("a", ((0.0, 90.0, 1.5), (2.0, 95.0, None))),
        Series("b", ((2.0, 80.0, None),), dashed=True),
    )
    text = draw_figure(LineChart("Accuracy", series, "λ", "accuracy, %", steps=True))
    assert cells(text) == ["90 ± 1.50", "—", "95", "80"]
    assert re.findall(r'<th[^>]*scope="row"[^>]*>(.*?)</th>', text) == ["0", "2"]
    assert 'aria-label="Accuracy: accuracy, % against λ for a, b"' in text
    assert text.count("<li>") == 2


def test_one_series_needs_no_legend():
    text = draw_figure(
        LineChart("T", (Series("a", ((1.0, 2.0, None), (2.0, 1.0, None))),), "x", "y")
    )
    assert "<li>" not in text


def test_a_long_trace_is_thinned_in_its_table():
    points = tuple((float(x), 1.0 + 1 / (1 + x), None) for x in range(100))
    text = draw_figure(LineChart("T", (Series("a", points),), "iteration", "objective"))
    assert len(cells(text)) == 20 <= MOST_POINTS  # every fifth


@pytest.mark.parametrize(
    ("logarithmic", "ticks"), [(True, ["1", "10", "100"]), (False, ["0", "60"])]
)
def test_the_scale_of_y_may_be_logarithmic(logarithmic, ticks):
    series = (Series("a", ((0.0, 1.0, None), (1.0, 100.0, None))),)
    text = draw_figure(LineChart("T", series, "x", "y", logarithmic=logarithmic))
    found = re.findall(r'class="tick end">(.*?)<', text)
    assert set(ticks) <= set(found)
    assert ("10" in found) == logarithmic


def test_bars_say_their_names_and_values():
    text = draw_figure(
        BarChart("Training time", (("ours", 0.5, "ours"), ("SRC", 20.0, "rival")), "s")
    )
    assert "0.5\u00a0s" in text
    assert 'aria-label="Training time: ours 0.5\u00a0s; SRC 20\u00a0s"' in text


def test_stems_say_how_much_of_a_code_is_on_its_own_atoms():
    values = np.array([[[0.3, 0.3, 0.2, 0.2]]])
    own = np.array([[True, True, False, False]])
    text = draw_figure(StemGrid("Codes", ("λ = 0",), ("person 1",), values, own))
    assert "person 1: 60 % of the code on its own atoms" in text
    empty = draw_figure(StemGrid("Codes", ("λ = 0",), ("p",), np.zeros((1, 1, 4)), own))
    assert "p: 0 % of the code" in empty


def test_atoms_are_strips_by_class_and_the_rest_is_counted():
    labels = np.repeat(np.arange(-1, 14), MOST_ATOMS + 2)
    pictures = np.random.default_rng(0).random((labels.size, 4, 3))
    names = tuple(f"person {number}" for number in range(14))
    text = draw_figure(AtomSheet("Atoms", pictures, labels, names))
    assert text.count("<img") == MOST_CLASSES * MOST_ATOMS
    assert f"{MOST_ATOMS} atoms of shared" in text
    assert f"The first {MOST_CLASSES} classes of 15." in text
    few = draw_figure(AtomSheet("Atoms", pictures[:4], labels[:4] + 1, names))
    assert "The first" not in few
    assert "4 atoms of person 0" in few


def test_a_confusion_matrix_is_drawn_by_its_own_module():
    text = draw_figure(Confusion("Scenes", ("a", "b"), np.array([[3.0, 1.0], [0.0, 4.0]])))
    assert 'class="confusion"' in text
    assert "87.5 % recognised" in text


def test_what_has_no_drawing_is_said():
    with pytest.raises(TypeError, match="no drawing of str"):
        draw_figure("a figure")


def test_no_charts_leave_nothing_behind():
    assert side_by_side([]) == ""
    assert side_by_side([Markup("<p></p>")]) == '<div class="charts"><p></p></div>'
