from dataclasses import replace

from crosslabel.lab.spec import Method


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


def test_a_reason_is_given_where_it_fits(spec):
    assert spec.reason("global", "10") == "Few pixels."
    assert spec.reason("CRC", "10") == ""


def test_only_given_splits_and_chosen_classes_add_to_an_identity(spec):
    plain = next(spec.cells()).identity
    assert "indices" not in plain
    assert "codes_of" not in plain
    given = next(replace(spec, indices=("ab", "cd", "ef")).cells()).identity
    assert given == plain | {"indices": "ab"}
    other = next(replace(spec, codes_of=(4, 5)).cells()).identity
    assert other == plain | {"codes_of": (4, 5)}


def test_seeds_count_up_from_that_of_the_protocol(write_spec):
    spec = write_spec(("seed = 0", "seed = 40"))
    assert {cell.split: cell.seed for cell in spec.cells()} == {0: 40, 1: 41, 2: 42}


def test_a_method_stands_beside_the_row_it_names_or_that_has_its_name():
    named = Method("global", "Ours, GCC", "CrossLabelClassifier", paper="GCC")
    assert named.stands_beside("GCC")
    assert not named.stands_beside("global")
    plain = Method("KSVD", "K-SVD", "KSVD")
    assert plain.stands_beside("K-SVD")
    assert plain.stands_beside("KSVD")
    assert not plain.stands_beside("D-KSVD")


def test_what_was_said_of_a_quantity_is_found_by_place(spec):
    assert spec.said("accuracy")["global", "10"].value == 90.0
    assert spec.said("fit_seconds") == {}
