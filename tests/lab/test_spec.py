import inspect
from importlib import import_module

import pytest

from crosslabel.datasets.catalogue import DATASETS
from crosslabel.lab.figure_data import EXTRAS
from crosslabel.lab.inputs import LEARNT, PROTOCOLS, STATELESS
from crosslabel.lab.run import build
from crosslabel.lab.spec import FOLDER, SpecError, load_spec, load_specs, spec_names

SHIPPED = sorted(place.stem for place in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_spec_can_be_run_as_it_is_written(name):
    spec = load_spec(name)
    assert spec.data["name"] in DATASETS
    loader = DATASETS[spec.data["name"]].loader
    inspect.signature(loader).bind(None, **{k: v for k, v in spec.data.items() if k != "name"})
    assert spec.protocol["kind"] in PROTOCOLS
    assert set(spec.keep) <= {*EXTRAS, "dictionary"}
    for cell in spec.cells(limit_splits=1):
        model = build(cell)  # the method exists and has these parameters
        if hasattr(model, "_validate_params"):
            model._validate_params()
        for step in cell.features:
            if step["step"] != "Pyramid":
                known = STATELESS | LEARNT
                known[step["step"]](**{k: v for k, v in step.items() if k != "step"})
        if spec.protocol["kind"] == "per_class":
            assert cell.setting.n_train >= 1


def test_the_ten_items_of_the_paper_are_there_in_order():
    specs = load_specs()
    assert [spec.name for spec in specs] == spec_names()
    assert [spec.item for spec in specs] == sorted(spec.item for spec in specs)
    assert {spec.item for spec in specs} == set(range(1, 11))


def test_every_published_value_is_marked_and_the_paper_figures_are_there():
    values = {
        (spec.name, p.method, p.setting, p.quantity): p.value
        for spec in load_specs()
        for p in spec.published
        if p.mark in ("measured", "quoted")
    }
    assert values["table-1", "global", "6", "accuracy"] == 95.92
    assert values["table-2", "global", "32", "accuracy"] == 98.62
    assert values["table-3", "global", "32", "accuracy"] == 98.49
    assert values["table-5", "global", "30", "accuracy"] == 77.94
    assert values["table-7", "local", "100", "accuracy"] == 98.66
    assert len(values) == sum(len(spec.published) for spec in load_specs())


def test_cells_are_methods_by_settings_by_splits(spec):
    cells = list(spec.cells())
    assert len(cells) == len(set(cells)) == 2 * 2 * 3
    assert {cell.split for cell in spec.cells(limit_splits=2)} == {0, 1}
    assert len(list(spec.cells(limit_splits=99))) == 12


def test_parameters_at_a_setting_override_those_of_the_method(spec):
    atoms = {
        cell.setting.name: cell.parameters["atoms_per_class"]
        for cell in spec.cells()
        if cell.method.name == "global"
    }
    assert atoms == {"5": 3, "10": 5}


def test_a_method_may_have_features_of_its_own(spec):
    assert {len(cell.features) for cell in spec.cells() if cell.method.name == "CRC"} == {1}
    assert {len(cell.features) for cell in spec.cells() if cell.method.name == "global"} == {2}


def test_a_method_may_run_at_some_settings_only(write_spec):
    spec = write_spec(('estimator = "CRC"', 'estimator = "CRC"\nsettings = ["10"]'))
    assert {c.setting.name for c in spec.cells() if c.method.name == "CRC"} == {"10"}


def test_a_sweep_is_a_setting_for_each_value_on_the_axis():
    figure = load_spec("figure-suppression")
    assert figure.kind == "figure"
    assert figure.axis == "suppression"
    series = {setting.series for setting in figure.settings}
    assert series == {"20", "32"}
    for setting in figure.settings:
        assert setting.parameters["suppression"] == setting.x
    assert len(figure.settings) == len({setting.name for setting in figure.settings})


def test_a_reason_is_given_where_it_fits(spec):
    assert spec.reason("global", "10") == "Few pixels."
    assert spec.reason("CRC", "10") == ""


def test_reading_specs_loads_no_estimator():
    source = inspect.getsource(import_module("crosslabel.lab.spec"))
    assert "sklearn" not in source
    assert "numpy" not in source


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "Digits"', "", "lacks 'title'"),
        ("item = 1", "item = = 1", "is not a spec"),
        ('mark = "quoted"', 'mark = "heard"', "mark of K-SVD 'heard'"),
        ('mark = "quoted"', 'mark = "measured"', "K-SVD"),
        ('accuracy = { "10" = 90.0 }', 'accuracy = { "11" = 90.0 }', "'11' is none of 10, 5"),
        ('slow = "global"', 'slow = "nobody"', "nobody"),
        ('at = { "5"', 'at = { "6"', "setting of method global '6'"),
        ('"fit_seconds"]', '"mood"]', "quantity 'mood'"),
        ('name = "CRC"', 'name = "global"', "the same name"),
        ('label = "Ours"', 'colour = "red"', "colour"),
    ],
)
def test_a_mistake_in_a_spec_is_said(write_spec, old, new, said):
    with pytest.raises(SpecError, match=said):
        write_spec((old, new))


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(SpecError, match=r"no table or figure 'table-99'.*table-2"):
        load_spec("table-99")
