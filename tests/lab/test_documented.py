"""The documents' figures are those of records, under today's keys."""

import re
import sys

import pytest

from crosslabel.lab import documented as module
from crosslabel.lab.documented import (
    DOCS,
    MEASURED,
    PAGE,
    Figure,
    figures,
    first_cell,
    joined,
    read,
    table,
    with_tables,
)
from crosslabel.lab.records import Store, key_of
from crosslabel.lab.spec_files import load_specs

from .test_records import record_of

MARK = "<!-- measured: small accuracy -->\nold\n<!-- end -->"


def test_the_figures_of_the_document_are_those_of_the_records():
    page = (DOCS / PAGE).read_text("utf-8")
    assert with_tables(page, load_specs(), read(DOCS / MEASURED)) == page, (
        "Figures and document differ: run python -m crosslabel.lab.documented."
    )


def test_every_table_of_the_paper_has_its_place_in_the_document():
    page = (DOCS / PAGE).read_text("utf-8")
    placed = set(re.findall(r"<!-- measured: (\S+) ", page))
    assert {spec.name for spec in load_specs() if spec.kind == "table"} <= placed


def filled(spec, tmp_path, **accuracies):
    """A store in which some methods have these accuracies, one a split, at setting 10."""
    store = Store(tmp_path)
    for cell in spec.cells():
        given = accuracies.get(cell.method.name, ())
        if cell.setting.name == "10" and cell.split < len(given):
            store.put(cell, record_of(cell, given[cell.split]))
    return store


def test_figures_are_means_over_the_splits_that_were_run(spec, tmp_path):
    store = filled(spec, tmp_path, **{"global": (0.90, 0.92, 0.94), "CRC": (0.5,)})
    ours, theirs = figures([spec], store)
    assert ours.place == "small, global, 10"
    assert (ours.splits, theirs.splits) == (3, 1)
    assert ours.means == {"accuracy": 92.0, "fit_seconds": 1.0}
    assert ours.deviations == {"accuracy": 2.0, "fit_seconds": 0.0}
    assert theirs.deviations == {}
    assert ours.key == key_of(first_cell(spec, spec.method["global"], spec.setting["10"]))


def test_a_figure_stays_until_as_many_splits_are_run_again(spec, tmp_path):
    def known(name, **accuracies):
        return {f.key: f for f in figures([spec], filled(spec, tmp_path / name, **accuracies))}

    earlier = known("earlier", **{"global": (0.9, 0.9), "CRC": (0.5, 0.5)})
    new = known("new", **{"global": (0.8,), "CRC": (0.6, 0.6)})
    ours, theirs = joined([spec], {**earlier, "of a spec that changed": None}, new)
    assert (ours.means["accuracy"], ours.splits) == (90.0, 2)
    assert theirs.means["accuracy"] == 60.0


def test_a_table_shows_ours_beside_the_published_value_or_that_it_was_not_run(spec, tmp_path):
    store = filled(spec, tmp_path, **{"global": (0.90, 0.92, 0.94), "CRC": (0.5,)})
    known = {one.key: one for one in figures([spec], store)}
    assert table(spec, known, "accuracy").splitlines() == [
        "| method | 5 | 10 |",
        "| --- | --- | --- |",
        "| Ours | not run | **92.00 ± 2.00** (90.00 ± 1.50) |",
        "| CRC | not run | 50.00, 1 of 3 splits |",
    ]
    assert "| Ours | not run | 1 s |" in table(spec, known, "fit_seconds").splitlines()


def test_what_lies_below_the_published_value_is_not_strong(spec, tmp_path):
    store = filled(spec, tmp_path, **{"global": (0.89, 0.88, 0.90)})
    known = {one.key: one for one in figures([spec], store)}
    assert "| Ours | not run | 89.00 ± 1.00 (90.00 ± 1.50) |" in table(spec, known, "accuracy")


def test_a_figure_of_other_parameters_counts_as_not_run(spec, write_spec, tmp_path):
    store = filled(spec, tmp_path, **{"global": (0.9, 0.9, 0.9)})
    known = {one.key: one for one in figures([spec], store)}
    changed = write_spec(("atoms_per_class = 5 }", "atoms_per_class = 6 }"))
    assert "not run (90.00 ± 1.50)" in table(changed, known, "accuracy")


def test_many_settings_are_rows(write_spec):
    more = "".join(f'[[setting]]\nname = "{n}"\nn_train = {n}\n\n' for n in (11, 12, 13))
    many = write_spec(('[[setting]]\nname = "10"', more + '[[setting]]\nname = "10"'))
    lines = table(many, {}, "accuracy").splitlines()
    assert lines[0] == "|  | Ours | CRC |"
    assert lines[-1] == "| 10 | not run (90.00 ± 1.50) | not run |"


def test_marked_places_are_filled_and_the_rest_stays(spec):
    text = f"before\n{MARK}\nafter"
    once = with_tables(text, [spec], {})
    assert once.startswith("before\n<!-- measured: small accuracy -->\n\n| method | 5 | 10 |")
    assert once.endswith("| not run | not run |\n\n<!-- end -->\nafter")
    assert with_tables(once, [spec], {}) == once


def test_the_command_writes_figures_and_tables(spec, tmp_path, monkeypatch):
    store = filled(spec, tmp_path / "store", CRC=(0.5, 0.6))
    monkeypatch.setattr(module, "DOCS", tmp_path)
    monkeypatch.setattr(module, "load_specs", lambda: [spec])
    (tmp_path / PAGE).parent.mkdir()
    (tmp_path / PAGE).write_text(MARK)
    monkeypatch.setattr(sys, "argv", ["documented", "--store", str(store.folder)])
    module.main()
    (only,) = read(tmp_path / MEASURED).values()
    assert isinstance(only, Figure)
    assert only.means["accuracy"] == pytest.approx(55.0)
    assert "55.00 ± 7.07, 2 of 3 splits" in (tmp_path / PAGE).read_text()


def test_a_row_goes_on_where_another_machine_ended(write_spec, tmp_path, monkeypatch):
    spec = write_spec(('"codes", ', ""))  # a store without codes lacks nothing but numbers
    monkeypatch.setattr(module, "DOCS", tmp_path)
    monkeypatch.setattr(module, "load_specs", lambda: [spec])
    (tmp_path / PAGE).parent.mkdir()
    (tmp_path / PAGE).write_text(MARK)
    begun = filled(spec, tmp_path / "begun", CRC=(0.5, 0.6))
    ended = Store(tmp_path / "ended")
    for given in (["--store", str(begun.folder)], ["--fill", str(ended.folder)]):
        monkeypatch.setattr(sys, "argv", ["documented", *given])
        module.main()
    last = next(c for c in spec.cells() if c.place == ("small", "CRC", "10", 2))
    assert set(ended.found(spec.cells())) == set(begun.found(spec.cells()))
    only_last = Store(tmp_path / "last")
    only_last.put(last, record_of(last, 0.7))
    monkeypatch.setattr(sys, "argv", ["documented", "--store", str(only_last.folder)])
    module.main()
    assert "| CRC | not run | 60.00 ± 10.00 |" in (tmp_path / PAGE).read_text()
