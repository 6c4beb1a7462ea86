from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from crosslabel.lab.records import Store
from crosslabel.lab.report.content import AtomSheet, BarChart, Confusion, LineChart, StemGrid
from crosslabel.lab.report.gather_figures import (
    MOST_LINES,
    atoms,
    codes,
    confusions,
    convergence,
    figures,
    sweeps,
    times,
)
from crosslabel.lab.spec_files import load_specs
from tests.lab.report.synthetic import fill, write_specs


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    specs = {spec.name: spec for spec in load_specs(write_specs(folder / "specs"))}
    return specs, fill(Store(folder / "store"), folder / "specs")


def of(made, name):
    specs, store = made
    return specs[name], store.found(specs[name].cells())


def test_a_sweep_has_the_mean_and_deviation_at_each_value(made):
    spec, records = of(made, "figure-5")
    (chart,) = sweeps(spec, records)
    assert (chart.x_title, chart.y_title) == ("λ (suppression)", "accuracy, %")
    for series, one in zip(("20", "32"), chart.series):
        for x, mean, deviation in one.points:
            own = [
                100 * record.accuracy
                for cell, record in records.items()
                if cell.setting.series == series and cell.setting.x == x
            ]
            assert len(own) == 3
            assert mean == pytest.approx(np.mean(own))
            assert deviation == pytest.approx(np.std(own, ddof=1))


def test_published_points_are_a_dashed_line(made):
    spec, records = of(made, "figure-5")
    said = tuple(
        replace(spec_value(), setting=setting.name, value=90.0 + setting.x)
        for setting in spec.settings
        if setting.series == "32"
    )
    (chart,) = sweeps(replace(spec, published=said), records)
    dashed = [one for one in chart.series if one.dashed]
    assert [one.name for one in dashed] == ["32 per person, paper"]
    assert dashed[0].points == tuple((x, 90.0 + x, None) for x in (0, 0.2, 2, 20, 2000))


def spec_value():
    from crosslabel.lab.published import Published

    return Published("global", "", "accuracy", 0.0)


def test_no_more_lines_than_there_are_marks(made):
    spec, records = of(made, "table-2")
    many = {}
    for cell, record in records.items():
        if cell.method.ours:
            for number in range(5):
                setting = replace(cell.setting, name=f"{cell.setting.name}-{number}")
                many[replace(cell, setting=setting)] = record
    settings = tuple({cell.setting.name: cell.setting for cell in many}.values())
    wide = replace(spec, settings=settings)
    (chart,) = convergence(wide, {replace(c, spec=wide): r for c, r in many.items()})
    assert len(chart.series) == MOST_LINES < len(settings)


def test_bars_are_medians_in_the_units_of_the_page_fastest_first(made):
    spec, records = of(made, "table-4")
    fit, query = times(spec, records)
    assert (fit.title, fit.unit) == ("Training time, 32 per person", "s")
    assert (query.title, query.unit) == ("Time per query, 32 per person", "ms")
    ours = [r.fit_seconds for c, r in records.items() if c.method.ours]
    assert fit.rows[0] == ("Cross-label suppression, GCC", pytest.approx(np.median(ours)), "ours")
    assert fit.rows[0][1] < fit.rows[1][1]
    assert query.rows[0][1] == pytest.approx(0.1)  # 0.1 / 1000 s
    assert list(times(replace(spec, serial=False), records)) == []


def test_convergence_is_relative_to_the_last_objective(made):
    spec, records = of(made, "table-2")
    (chart,) = convergence(spec, records)
    trace = np.array([1 + 0.5**step for step in range(20)])
    for one in chart.series:
        assert [x for x, _, _ in one.points] == list(range(1, 21))
        assert_allclose([y for _, y, _ in one.points], trace / trace[-1])
    assert list(convergence(*of(made, "figure-5"))) == []


def test_codes_are_of_the_first_split_at_each_setting(made):
    spec, records = of(made, "figure-6")
    (grid,) = codes(spec, records)
    for number, setting in enumerate(spec.settings):
        (record,) = (
            r for c, r in records.items() if c.split == 0 and c.setting.name == setting.name
        )
        expected = [record.extra["codes"][name] for name in grid.classes]
        assert_allclose(grid.values[number], expected)
    labels = np.asarray(record.extra["atom_labels"])
    assert_allclose(grid.own, labels == np.arange(3)[:, None])


def test_confusions_are_the_flagships_alone(made):
    spec, records = of(made, "table-9")
    (found,) = confusions(spec, records)
    assert found.title == "Cross-label suppression, GCC, 100 per class"
    total = sum(np.sum(r.extra["confusion"]) for c, r in records.items() if c.method.ours)
    assert found.counts.sum() == total


def test_atoms_are_of_the_last_setting_that_kept_them(made):
    specs, store = made
    (found,) = atoms(*of(made, "table-2"), store)
    assert found.title.endswith("32 per person")
    assert found.pictures.shape == (45, 12, 10)
    assert found.labels.min() == -1
    assert list(atoms(*of(made, "table-9"), store)) == []


def test_all_figures_of_a_spec_come_together(made):
    kinds = {
        name: {type(figure) for figure in figures(*of(made, name), made[1])} for name in made[0]
    }
    assert kinds == {
        "table-2": {LineChart, AtomSheet},
        "figure-5": {LineChart},
        "figure-6": {StemGrid},
        "table-4": {BarChart},
        "table-9": {Confusion},
        "table-10": set(),
    }
