"""Records go through their lines and come back with every number."""

import json
from dataclasses import replace

import pytest

from crosslabel.lab import choice
from crosslabel.lab.choice import chosen
from crosslabel.lab.documented import CELLS, DOCS, MEASURED, figures, read
from crosslabel.lab.kept import Kept, fill, merged, read_kept, write_kept
from crosslabel.lab.records import Store, key_of
from crosslabel.lab.spec_files import load_specs

from .test_records import record_of

SEARCHED = (
    'estimator = "CRC"',
    'estimator = "CRC"\nparameters = { ridge = 1.0 }\nsearch = { ridge = 5.0 }',
)
NUMBERS_ALONE = ('"codes", ', "")


@pytest.fixture
def searched(write_spec):
    """CRC's ridge is left to training data; no codes are kept."""
    return write_spec(SEARCHED, NUMBERS_ALONE)


def full_record(cell, accuracy=0.1 + 0.2):
    """With all that a store keeps, bulky and chosen."""
    own = {**cell.parameters, **({"ridge": 25.0} if cell.method.search else {})}
    extra = {
        "n_samples": 50,
        "n_test": 100,
        "chosen": {"ridge": 0.5},
        "confusion": [[1, 0], [0, 1]],
    }
    return replace(record_of(cell, accuracy), parameters=own, extra=extra)


def test_a_record_comes_back_whole_but_for_what_figures_need(searched, tmp_path):
    kept = Kept()
    for number, cell in enumerate(searched.cells()):
        kept.put(cell, full_record(cell, number / 7))
    write_kept(kept, tmp_path / "cells.jsonl")
    again = read_kept(tmp_path / "cells.jsonl")
    for number, cell in enumerate(searched.cells()):
        expected = full_record(cell, number / 7)
        extra = {name: value for name, value in expected.extra.items() if name != "confusion"}
        assert again.get(cell) == replace(expected, extra=extra)


def test_times_are_kept_to_four_digits(searched):
    kept, cell = Kept(), next(searched.cells())
    kept.put(cell, replace(record_of(cell), fit_seconds=12.34567, query_seconds=1.234567e-4))
    again = kept.get(cell)
    assert (again.fit_seconds, again.query_seconds, again.cell_seconds) == (12.35, 1.235e-4, 2.0)


def test_a_line_names_its_machine_and_none_is_listed_twice(searched, tmp_path):
    kept, cells = Kept(), list(searched.cells())
    for cell in cells:
        kept.put(cell, record_of(cell, 0.5))
    other = {"processor": "another"}
    kept.put(cells[0], replace(record_of(cells[0]), machine=other))
    write_kept(kept, tmp_path / "cells.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "cells.jsonl").read_text().splitlines()]
    assert sum("key" not in line for line in lines) == 2
    assert read_kept(tmp_path / "cells.jsonl").get(cells[0]).machine == other


def test_an_absent_file_has_no_lines(spec, tmp_path):
    assert read_kept(tmp_path / "cells.jsonl").found(spec.cells()) == {}


def test_a_store_joins_the_lines_and_its_record_comes_first(searched, write_spec, tmp_path):
    first, second, third, *_ = cells = list(searched.cells())
    kept, store = Kept(), Store(tmp_path / "store")
    kept.put(first, full_record(first, 0.1))
    kept.put(second, full_record(second, 0.2))
    store.put(second, full_record(second, 0.3))
    store.put(third, full_record(third, 0.4))
    found = merged([searched], kept, store).found(cells)
    assert {cell: record.accuracy for cell, record in found.items()} == {
        first: 0.1,
        second: 0.3,
        third: 0.4,
    }
    # What no cell of today has for its key is dropped.
    changed = write_spec(
        SEARCHED, NUMBERS_ALONE, ("atoms_per_class = 5 }", "atoms_per_class = 6 }")
    )
    today = {key_of(cell) for cell in changed.cells()}
    left = merged([changed], kept, store)
    assert left.cells.keys() == today & {key_of(cell) for cell in (first, second, third)}


def test_an_empty_store_is_filled_once(searched, tmp_path):
    kept, store, cells = Kept(), Store(tmp_path), list(searched.cells())
    for cell in cells[:5]:
        kept.put(cell, full_record(cell))
    store.put(cells[0], full_record(cells[0], 0.9))
    assert fill([searched], kept, store) == 4
    assert fill([searched], kept, store) == 0
    assert store.get(cells[0]).accuracy == 0.9
    assert store.get(cells[1]) == kept.get(cells[1])


def test_the_splits_to_come_keep_what_was_chosen(searched, tmp_path, monkeypatch):
    kept, store = Kept(), Store(tmp_path)
    cells = [cell for cell in searched.cells() if cell.method.name == "CRC"]
    kept.put(cells[0], full_record(cells[0]))
    fill([searched], kept, store)
    monkeypatch.setattr(choice, "climbed", lambda *_: pytest.fail("it is chosen already"))
    later = next(c for c in cells if c.setting == cells[0].setting and c.split == 2)
    assert chosen(later, lambda _: None, lambda _: None, store.choices) == {"ridge": 25.0}


def test_no_line_stands_for_codes(write_spec, tmp_path):
    (cell, *_), kept, store = list(write_spec().cells()), Kept(), Store(tmp_path)
    assert "codes" in cell.spec.keep
    kept.put(cell, record_of(cell))
    assert fill([cell.spec], kept, store) == 0
    assert store.get(cell) is None


def test_means_of_the_lines_are_those_of_the_document():
    known = read(DOCS / MEASURED)
    for one in figures(load_specs(), read_kept(DOCS / CELLS)):
        shown = known[one.key]
        assert shown.splits >= one.splits
        assert one == shown or shown.splits > one.splits, one.place
