"""The project's copy of what the paper printed, and every spec beside it, value by value."""

import os
import tomllib
from pathlib import Path

import pytest

from crosslabel.lab import paper
from crosslabel.lab.spec_files import load_spec, load_specs

SPECS = load_specs()
SECTION = {
    "table-1": "yale",
    "table-2": "extended_yale_b_eigenfaces",
    "table-3": "extended_yale_b_random_faces",
    "table-4": "extended_yale_b_times",
    "table-5": "caltech101",
    "table-6": "caltech101_times",
    "table-7": "scene15",
    "table-8": "dyntex",
    "table-9": "ucf50",
}
# The flagship's row in each table: the rule that the paper's text names for it.
FLAGSHIP = {
    ("table-1", "global"): "GCC",
    ("table-1", "local"): "LCC",
    ("table-1", "spectral"): "GCC",
    ("table-1", "spectral-local"): "LCC",
    ("table-1", "chosen"): "GCC",
    ("table-1", "chosen-local"): "LCC",
    ("table-2", "global"): "GCC",
    ("table-2", "chosen"): "GCC",
    ("table-2", "after"): "GCC",
    ("table-2", "after-paper"): "GCC",
    ("table-2", "log"): "GCC",
    ("table-3", "global"): "GCC",
    ("table-4", "global"): "GCC",
    ("table-5", "local"): "LCC",
    ("table-5", "paper"): "LCC",
    ("table-5", "paper-kmeans"): "LCC",
    ("table-5", "paper-roots"): "LCC",
    ("table-6", "local"): "LCC",
    ("table-6", "paper"): "LCC",
    ("table-7", "global"): "GCC",
    ("table-7", "paper-global"): "GCC",
    ("table-7", "local"): "LCC",
    ("table-7", "paper-local"): "LCC",
    ("table-8", "local"): "LCC",
    ("table-9", "global"): "GCC",
}
# Section, the words of its dictionary, and what they mean: atoms per class and shared ones, from
# the training samples per class.
DICTIONARIES = {
    "yale": ("15 x 4 + 5 shared", lambda n: (4, 5)),
    "extended_yale_b_eigenfaces": (
        "10 atoms per person at 10; 15 at 20 and 32",
        lambda n: (10 if n == 10 else 15, 0),
    ),
    "caltech101": ("training images - 1 atoms per class, 100 shared", lambda n: (n - 1, 100)),
    "scene15": ("15 x 30, no shared atoms", lambda n: (30, 0)),
    "dyntex": ("36 x 30, no shared atoms", lambda n: (30, 0)),
    "ucf50": ("50 x 75, no shared atoms", lambda n: (75, 0)),
}


def test_the_copy_is_the_file_beside_the_data():
    data = os.environ.get("CROSSLABEL_DATA")
    place = Path(data or ".").parent / "paper" / "published.toml"
    if data is None or not place.is_file():
        pytest.skip("There is no $CROSSLABEL_DATA/../paper/published.toml to compare with.")
    assert tomllib.loads(place.read_text("utf-8")) == paper.sections()


def naive(section):
    """(quantity, method, column) to (mean, deviation), by walking through the section."""
    content = paper.sections()[section]
    found = {}
    for key, quantity in (
        ("accuracy", "accuracy"),
        ("train_s", "fit_seconds"),
        ("query_ms", "query_seconds"),
    ):
        for method, entry in content.get(key, {}).items():
            nested = isinstance(entry, list) and (key != "accuracy" or isinstance(entry[0], list))
            for column, value in enumerate(entry if nested else [entry]):
                pair = value if isinstance(value, list) else [value]
                if pair:
                    pair = [v / 1000 if key == "query_ms" else v for v in pair]
                    found[quantity, method, column] = (*pair, None)[:2]
    return found


def test_the_tables_of_the_paper_have_199_values_and_46_deviations():
    """With the test below, so do the specs."""
    found = [value for section in SECTION.values() for value in naive(section).values()]
    assert len(found) == 199
    assert sum(deviation is not None for _, deviation in found) == 46


@pytest.mark.parametrize("name", SECTION)
def test_every_value_of_the_paper_is_in_its_spec_and_no_other(name):
    spec = load_spec(name)
    rows = {m.name: FLAGSHIP.get((name, m.name)) for m in spec.methods}
    columns = {setting.name: number for number, setting in enumerate(spec.settings)}
    found = {}
    for p in spec.published:
        method = spec.method.get(p.method)
        row = p.method if method is None else rows[p.method] or method.paper or method.label
        row = "SVM" if row == "Linear SVM" else row
        found.setdefault((p.quantity, row, columns[p.setting]), set()).add((p.value, p.deviation))
    expected = naive(SECTION[name])
    assert found.keys() == expected.keys()
    for key, values in found.items():
        ((value, deviation),) = values
        assert value == pytest.approx(expected[key][0], rel=1e-12)
        assert deviation == expected[key][1]


def test_each_rule_stands_beside_the_papers_row_of_that_rule():
    claimed = {
        (spec.name, method.name): method.paper
        for spec in SPECS
        for method in spec.methods
        if method.ours and method.paper
    }
    assert claimed == FLAGSHIP
    for (name, method), row in claimed.items():
        given = load_spec(name).method[method].parameters
        (rule,) = given.get("rules", [given.get("rule")])
        assert row == {"global": "GCC", "local": "LCC"}[rule]


def test_only_what_the_text_calls_quoted_is_marked():
    marked = {(s.name, p.method) for s in SPECS for p in s.published if p.quoted}
    assert {method for name, method in marked if name == "table-2"} == {"FDDL", "CRC", "RCR", "LRC"}
    assert {method for name, method in marked if name == "table-3"} == {
        "SupGraphDL", "SupGraphDL-L", "LCKSVD",
    }  # fmt: skip
    assert {method for name, method in marked if name == "table-1"} == {
        "SRC", "DKSVD", "DLSI", "LCKSVD", "COPAR", "FDDL", "Laplacianfaces",
        "SpectralFeatures",
    }  # fmt: skip
    assert {name for name, _ in marked} == {"table-1", "table-2", "table-3"}


def published_methods():
    return [(s, m) for s in SPECS for m in s.methods if m.parameters_of]


@pytest.mark.parametrize(("spec", "method"), published_methods(), ids=lambda one: one.name)
def test_what_is_said_to_have_the_papers_parameters_has_them(spec, method):
    rule = method.parameters["rule"]
    content = paper.sections()[method.parameters_of]
    words, size = DICTIONARIES[method.parameters_of]
    assert words in content["dictionary"]
    for setting in filter(method.runs_at, spec.settings):
        given = method.parameters_at(setting)
        for key in ("ridge", "suppression"):
            assert given[key] == content[key]
        by_rule = {"local": 10, "global": 1} if spec.name == "table-7" else {}
        assert given["grouping"] == by_rule.get(rule, content["grouping"])
        assert (given["atoms_per_class"], given.get("shared_atoms", 0)) == size(setting.n_train)


def test_every_table_has_a_row_with_the_papers_parameters():
    assert {spec.name for spec, _ in published_methods()} == set(SECTION)


def test_the_rule_picks_its_number_out_of_words():
    assert paper.parameters("scene15", "local") == {
        "ridge": 2e-3, "suppression": 0.2, "grouping": 10.0,
    }  # fmt: skip
    assert paper.parameters("scene15", "global")["grouping"] == 1.0
    assert paper.parameters("yale", "local")["grouping"] == 1.0
    with pytest.raises(ValueError, match="no value for the joint rule"):
        paper.parameters("scene15", "joint")
    with pytest.raises(ValueError, match="no section 'yoga'"):
        paper.parameters("yoga", "local")


@pytest.mark.parametrize(
    ("name", "size", "repeats"),
    [("table-1", 6, 50), ("table-7", 100, 10), ("table-8", 50, 10), ("table-9", None, 5)],
)
def test_training_samples_and_splits_are_those_of_the_setting(name, size, repeats):
    spec = load_spec(name)
    assert [setting.n_train for setting in spec.settings] == [size]
    assert spec.splits == repeats
    words = paper.sections()[SECTION[name]]["setting"]
    said = {"table-1": "6 per person train", "table-7": "100 per class train; 10 splits",
            "table-8": "half train; 10 splits", "table-9": "five-fold group-wise"}  # fmt: skip
    assert said[name] in words


@pytest.mark.parametrize(("name", "section"), [("table-2", "extended_yale_b_eigenfaces"),
                                               ("table-5", "caltech101")])  # fmt: skip
def test_columns_are_training_samples_per_class(name, section):
    sizes = [setting.n_train for setting in load_spec(name).settings]
    assert sizes == paper.sections()[section]["columns"]


def test_figures_state_what_the_text_says_of_them():
    words = paper.sections()["extended_yale_b_figures"]
    start = load_spec("figure-initialisation").said("accuracy")
    assert start["kmeans", "32 suppression=0.2"].value == 98.06
    assert start["random", "32 suppression=0.2"].value == 97.46
    assert "98.06 (class k-means) to 97.46" in words["random_start"]
    codes = load_spec("figure-codes")
    assert f"people {', '.join(map(str, codes.codes_of))}" in words["codes"]
    pairs = [(s.parameters["grouping"], s.parameters["suppression"]) for s in codes.settings]
    assert pairs == [(0, 0), (0.5, 0), (0, 2000)]
    assert "(0, 0), (0.5, 0), (0, 2000), 32 per person" in words["codes"]
    swept = {setting.x for setting in load_spec("figure-suppression").settings}
    assert {0.2, 2, 20, 200, 2000} <= swept
    caltech = load_spec("figure-caltech101").settings
    assert {(s.n_train, s.parameters["suppression"]) for s in caltech} == {
        (size, value) for size in (15, 20, 25, 30) for value in (0, 200)
    }
    assert paper.sections()["caltech101"]["grouping"] in {setting.x for setting in caltech}
