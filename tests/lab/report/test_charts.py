import re
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosslabel.lab.report import charts
from crosslabel.lab.report.charts import LINES, STEMS, Series


def parsed(svg):
    return ElementTree.fromstring(svg)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 8))
def test_round_ticks_enclose_the_range_evenly(low, width, n_ticks):
    assume(width > 1e-6 * abs(low))  # or steps are lost to rounding
    high = low + width
    ticks = charts.round_ticks(low, high, n_ticks)
    step = ticks[1] - ticks[0]
    slack = 1e-6 * max(abs(low), abs(high), step)
    assert ticks[0] <= low + slack
    assert ticks[-1] >= high - slack
    assert len(ticks) <= n_ticks + 3
    digits = f"{step:.6e}"[0]
    assert digits in "1259"  # 9.99… is 10 after rounding


def test_a_grid_with_zero_gets_even_steps():
    axis = charts.steps_axis("λ", [0, 0.2, 2, 20, 2000])
    assert [axis.place(value) for value in (0, 0.2, 2, 20, 2000)] == [0, 0.25, 0.5, 0.75, 1]
    assert [text for _, text in axis.ticks] == ["0", "0.2", "2", "20", "2000"]


def test_a_log_axis_has_powers_of_ten_at_equal_distances():
    axis = charts.log_axis("error", 0.002, 50)
    assert [text for _, text in axis.ticks] == ["0.001", "0.01", "0.1", "1", "10", "100"]
    assert axis.place(1.0) - axis.place(0.1) == pytest.approx(axis.place(0.1) - axis.place(0.01))


def test_points_lie_where_the_axes_say():
    series = (Series("a", ((0.0, 90.0, None), (10.0, 100.0, 1.0))),)
    x, y = charts.linear_axis("x", 0, 10), charts.linear_axis("y", 90, 100)
    svg = parsed(charts.lines(series, x, y, "label"))
    places = [g.get("transform") for g in svg.iter("g") if g.get("transform")]
    assert places == [
        f"translate({LINES.across(0):g} {LINES.up(0):g})",
        f"translate({LINES.across(1):g} {LINES.up(1):g})",
    ]
    assert [title.text for title in svg.iter("title")] == [
        "a: 90.00 at 0",
        "a: 100.00 ± 1.00 at 10",
    ]
    assert svg.get("aria-label") == "label"


def test_bars_are_as_long_as_their_values():
    rows = [("ours", 1.0, "ours"), ("rival", 4.0, "rival")]
    svg = parsed(charts.bars(rows, lambda value: f"{value} s", "times"))
    short, long = (float(rect.get("width")) for rect in svg.iter("rect"))
    assert long == pytest.approx(4 * short)
    assert [t.text for t in svg.iter("text")] == ["ours", "1.0 s", "rival", "4.0 s"]


def test_own_atoms_are_drawn_apart_and_shaded_in_runs():
    own = [False, True, True, False, False, True]
    svg = parsed(charts.stems([0.1, 0.4, 0.5, 0.1, 0.0, 0.3], own, 0.5, "codes"))
    stems = {path.get("class"): path.get("d") for path in svg.iter("path") if path.get("class")}
    assert stems["stem"].count("M") == 3
    assert stems["stem own"].count("M") == 3
    bands = [rect for rect in svg.iter("rect") if rect.get("class") == "band"]
    atom = (STEMS.across(1) - STEMS.across(0)) / len(own)
    assert [float(b.get("width")) for b in bands] == pytest.approx([2 * atom, atom], abs=0.02)
    heights = [float(top) for top in re.findall(r"V([\d.]+)", stems["stem own"])]
    assert heights[1] < heights[0] < heights[2]  # larger values stand higher
