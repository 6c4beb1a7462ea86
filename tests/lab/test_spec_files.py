import inspect
from importlib import import_module

import pytest

from crosslabel.datasets.catalogue import DATASETS
from crosslabel.lab import paper, spec_files
from crosslabel.lab.figure_data import EXTRAS
from crosslabel.lab.inputs import LEARNT, PROTOCOLS, STATELESS
from crosslabel.lab.published import Published
from crosslabel.lab.run import build
from crosslabel.lab.spec import SpecError
from crosslabel.lab.spec_files import FOLDER, load_spec, load_specs

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
    assert sorted(spec.name for spec in specs) == SHIPPED
    assert [spec.item for spec in specs] == sorted(spec.item for spec in specs)
    assert {spec.item for spec in specs} == set(range(1, 11))


def test_a_sweep_is_a_setting_for_each_value_on_the_axis():
    figure = load_spec("figure-suppression")
    assert figure.kind == "figure"
    assert figure.axis == "suppression"
    series = {setting.series for setting in figure.settings}
    assert series == {"20", "32"}
    for setting in figure.settings:
        assert setting.parameters["suppression"] == setting.x
    assert len(figure.settings) == len({setting.name for setting in figure.settings})


def test_reading_specs_loads_no_estimator():
    for name in ("spec", "spec_files", "paper"):
        source = inspect.getsource(import_module(f"crosslabel.lab.{name}"))
        assert "sklearn" not in source
        assert "numpy" not in source


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "Digits"', "", "lacks 'title'"),
        ("item = 1", "item = = 1", "is not a spec"),
        ("item = 1", 'item = 1\npaper = ["yoga"]', "no section 'yoga'.*scene15"),
        ("item = 1", 'item = 1\npaper = ["yale"]', "1 columns for SVM, and the spec 2 settings"),
        ("ours = true", 'ours = true\nparameters_of = "yoga"', "parameters_of 'yoga' is none of"),
        ('accuracy = { "10" = 90.0 }', 'accuracy = { "11" = 90.0 }', "'11' is none of 10, 5"),
        ('slow = "global"', 'slow = "nobody"', "nobody"),
        ('at = { "5"', 'at = { "6"', "setting of method global '6'"),
        ('"fit_seconds"]', '"mood"]', "quantity 'mood'"),
        ('name = "CRC"', 'name = "global"', "the same name"),
        ('label = "Ours"', 'colour = "red"', "colour"),
    ],
)
def test_a_mistake_in_a_spec_is_said(write_spec, old, new, said):
    with pytest.raises(SpecError, match=f"(?s){said}"):
        write_spec((old, new))


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(SpecError, match=r"no table or figure 'table-99'.*table-2"):
        load_spec("table-99")


def test_each_file_is_read_once(monkeypatch):
    read = []
    loads = spec_files.tomllib.loads
    monkeypatch.setattr(spec_files.tomllib, "loads", lambda text: read.append(text) or loads(text))
    paper.sections()  # what the paper printed is read once for all
    read.clear()
    load_specs()
    assert len(read) == len(set(read)) == len(SHIPPED)
    read.clear()
    load_spec("table-2")
    assert len(read) == 1


def test_printed_values_stand_under_every_method_that_claims_their_row(write_spec):
    spec = write_spec(
        ("item = 1", 'item = 1\npaper = ["scene15"]'),
        ('[[setting]]\nname = "5"\nn_train = 5\n\n', ""),
        ('at = { "5" = { atoms_per_class = 3 } }', 'paper = "GCC"'),
        ('name = "CRC"\n', 'name = "CRC"\npaper = "GCC"\n'),
    )
    said = spec.said("accuracy")
    assert said["CRC", "10"] == Published("CRC", "10", "accuracy", 98.30, 0.26)
    assert said["LCC", "10"] == Published("LCC", "10", "accuracy", 98.66, 0.25)
    assert ("GCC", "10") not in said
    # A value that the spec states itself comes after the paper's table, and counts.
    assert said["global", "10"].value == 90.0
