import sys
from subprocess import run

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.lab.records import Store
from crosslabel.lab.report.content import AtomSheet, BarChart, Confusion, LineChart, StemGrid
from crosslabel.lab.report.gather import gather
from crosslabel.lab.spec_files import load_specs
from tests.lab.report.synthetic import PEOPLE, fill, write_specs


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gather")
    specs = load_specs(write_specs(folder / "specs"))
    store = fill(Store(folder / "store"), folder / "specs")
    return specs, store, {s.name: s for s in gather(store, specs).sections}


def records_of(made, name):
    specs, store, _ = made
    return store.found(next(spec for spec in specs if spec.name == name).cells())


def test_values_are_means_over_the_splits_in_per_cent(made):
    table = made[2]["table-2"].tables[0]
    ours = [
        100 * record.accuracy
        for cell, record in records_of(made, "table-2").items()
        if (cell.method.name, cell.setting.name) == ("global", "10")
    ]
    entry = table.rows[0].entries[0]
    assert entry.ours.mean == pytest.approx(np.mean(ours))
    assert entry.ours.deviation == pytest.approx(np.std(ours, ddof=1))
    assert (entry.done, entry.wanted, entry.verdict) == (3, 3, "above")


def test_a_value_below_says_why_and_a_quoted_one_is_marked(made):
    table = made[2]["table-2"].tables[0]
    below = table.rows[0].entries[1]
    assert (below.verdict, below.reason) == ("below", "The images are smaller, 100 % & more.")
    elsewhere = table.rows[-1]
    assert elsewhere.method == "elsewhere"
    assert elsewhere.entries[1].quoted
    assert elsewhere.entries[1].ours is None


def test_methods_of_one_size_are_ranked_in_each_column(made):
    ranks = next(words for words in made[2]["table-2"].words if words.header == ("column", "order"))
    assert [row[0] for row in ranks.rows] == ["10 per person", "32 per person"]
    table = made[2]["table-2"].tables[0]
    for k, (_, order) in enumerate(ranks.rows):
        shown = {row.method: row.entries[k].ours for row in table.rows if row.entries[k].ours}
        names = sorted(shown, key=lambda name: -shown[name].mean)
        assert [part.split(" (")[0] for part in order.split("; ")] == [
            f"{name} {shown[name].mean:.2f}" for name in names
        ]
    assert "(2 of 3 splits)" in ranks.rows[1][1]


def test_missing_cells_are_counted(made):
    section = made[2]["table-2"]
    assert (section.done, section.wanted) == (11, 12)
    assert "1 of 12 cells" in section.missing[0]
    rival = section.tables[0].rows[1].entries[1]
    assert (rival.done, rival.wanted) == (2, 3)


def test_absent_data_are_named_with_their_origin(made, monkeypatch, tmp_path):
    specs, _, _ = made
    monkeypatch.setenv("CROSSLABEL_DATA", str(tmp_path))
    section = gather(Store(tmp_path / "none"), specs).sections[-1]
    assert "dyntexpp is not on this machine" in section.missing[0]
    assert "$CROSSLABEL_DATA/dyntexpp" in section.missing[0]
    assert section.tables == ()


def test_times_carry_no_verdict_but_a_ratio(made):
    section = made[2]["table-4"]
    training = section.tables[0]
    assert training.unit == "s"
    assert training.rows[0].entries[0].paper.mean == 2.5
    assert {entry.verdict for _, _, entry in training.entries()} == {""}
    assert section.tables[1].unit == "ms"
    assert section.tables[1].rows[0].entries[0].ours.mean == pytest.approx(0.1)
    methods, _, _, here, paper, met = section.words[0].rows[0]
    assert methods == "A_rival & co / Cross-label suppression, GCC"
    assert float(here.rstrip("×")) == pytest.approx(7, abs=1)
    assert (paper, met) == ("4.6×", "reached")
    bars = [figure for figure in section.figures if isinstance(figure, BarChart)]
    assert [bar.unit for bar in bars] == ["s", "ms"]
    assert [row[2] for row in bars[0].rows] == ["ours", "rival"]


def test_a_sweep_is_a_line_for_each_series(made):
    (chart,) = made[2]["figure-5"].figures
    assert isinstance(chart, LineChart)
    assert [one.name for one in chart.series] == ["20 per person", "32 per person"]
    assert [x for x, _, _ in chart.series[0].points] == [0, 0.2, 2, 20, 2000]
    assert chart.steps
    assert made[2]["figure-5"].notes == ("The gain is smaller than in the paper.",)


def test_codes_mark_the_atoms_of_their_class(made):
    (grid,) = (f for f in made[2]["figure-6"].figures if isinstance(f, StemGrid))
    assert grid.classes == tuple(PEOPLE[:3])
    assert grid.settings == ("γ = 0, λ = 0", "γ = 0.5, λ = 2000")
    assert grid.own.sum(axis=1).tolist() == [4, 4, 4]
    for index in range(3):
        assert grid.values[:, index, grid.own[index]].min() > 0.3


def test_confusions_are_summed_over_the_splits(made):
    (confusion,) = (f for f in made[2]["table-9"].figures if isinstance(f, Confusion))
    ours = [
        record.extra["confusion"]
        for cell, record in records_of(made, "table-9").items()
        if cell.method.ours
    ]
    assert_allclose(confusion.counts, np.sum(ours, axis=0))


def test_atoms_and_the_trace_of_the_flagship_are_shown(made):
    figures = made[2]["table-2"].figures
    (atoms,) = (f for f in figures if isinstance(f, AtomSheet))
    assert atoms.pictures.shape == (45, 12, 10)
    assert "32 per person" in atoms.title
    (trace,) = (f for f in figures if isinstance(f, LineChart))
    assert [one.name for one in trace.series] == ["10 per person", "32 per person"]
    assert trace.series[0].points[-1][1] == 1.0


def test_the_environment_names_all_machines(made):
    specs, store, _ = made
    facts = dict(gather(store, specs).environment)
    assert facts["processor"] == "Abacus <9>"
    assert facts["threads"] == "openblas 1"
    assert facts["crosslabel"] == "1.2.3"


def test_a_report_needs_no_estimator():
    code = (
        "import sys, crosslabel.app.report\n"
        "sys.exit(any(name.startswith('crosslabel.methods.') for name in sys.modules))"
    )
    assert run([sys.executable, "-c", code], check=False).returncode == 0
