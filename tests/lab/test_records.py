import json
from dataclasses import replace

import pytest

from crosslabel.lab import numerics as module
from crosslabel.lab.numerics import numerics
from crosslabel.lab.records import Record, Store, default_store, key_of, machine

MACHINE = machine()


def record_of(cell, accuracy=0.5):
    return Record(
        *cell.place[:3],
        cell.split,
        cell.seed,
        cell.setting.n_train,
        cell.method.estimator,
        cell.parameters,
        accuracy,
        accuracy,
        fit_seconds=1.0,
        query_seconds=1e-3,
        cell_seconds=2.0,
        finished="2026-11-16T00:00:00+00:00",
        version="0",
        machine=MACHINE,
        input_hash="0",
        extra={"n_samples": 50, "n_test": 100},
    )


def test_keys_tell_cells_apart_and_last(spec, write_spec):
    keys = [key_of(cell) for cell in spec.cells()]
    assert len(set(keys)) == len(keys)
    assert keys == [key_of(cell) for cell in write_spec().cells()]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("atoms_per_class = 5 }", "atoms_per_class = 6 }", {"global"}),
        ("n_components = 20", "n_components = 21", {"global"}),
        ("seed = 0", "seed = 1", {"global", "CRC"}),
        # What is only shown or published, and how many splits there are, changes no result.
        ('title = "Digits"', 'title = "Numbers"', set()),
        ("= 90.0", "= 91.0", set()),
        ("repeats = 3", "repeats = 7", set()),
    ],
)
def test_a_key_changes_with_what_the_result_depends_on(write_spec, old, new, changed):
    before = {cell: key_of(cell) for cell in write_spec().cells()}
    after = {cell: key_of(cell) for cell in write_spec((old, new)).cells()}
    differ = {cell.method.name for cell in before if before[cell] != after[cell]}
    assert differ == changed


def test_a_key_changes_with_the_version_of_the_numerics(spec, monkeypatch):
    before = {cell: key_of(cell) for cell in spec.cells()}
    known = numerics()
    for name, changed in {"CRC": {"CRC"}, "Eigenfaces": {"global"}, "SRC": set()}.items():
        raised = {**known, name: known[name]._replace(version=known[name].version + 1)}
        monkeypatch.setattr(module, "numerics", lambda raised=raised: raised)
        differ = {cell.method.name for cell in before if before[cell] != key_of(cell)}
        assert differ == changed


def test_a_record_is_read_as_it_was_written(spec, tmp_path):
    store = Store(tmp_path)
    cell = next(spec.cells())
    assert store.get(cell) is None
    store.put(cell, record_of(cell))
    assert store.get(cell) == record_of(cell)
    assert store.found(spec.cells()) == {cell: record_of(cell)}


def test_what_is_no_record_counts_as_none_and_is_replaced(spec, tmp_path):
    store = Store(tmp_path)
    cell = next(spec.cells())
    place = store.put(cell, record_of(cell))
    whole = place.read_bytes()
    half = json.dumps({"table": "small"}).encode()
    for damage in (b"", whole[: len(whole) // 2], b"\xff\xfe", b"[]", half):
        place.write_bytes(damage)
        assert store.get(cell) is None
    store.put(cell, record_of(cell, 0.75))
    assert store.get(cell).accuracy == 0.75


def test_files_that_a_killed_writer_left_are_not_records(spec, tmp_path):
    store = Store(tmp_path)
    cell = next(spec.cells())
    store.put(cell, record_of(cell))
    (tmp_path / "records" / ".part-123").write_text("{")
    assert len(store.found(spec.cells())) == 1


def test_without_times_is_what_two_runs_share(spec):
    cell = next(spec.cells())
    first = record_of(cell)
    second = replace(first, fit_seconds=9.0, query_seconds=9.0, cell_seconds=9.0, finished="later")
    assert first.without_times() == second.without_times()
    assert first.without_times() != replace(first, accuracy=0.6).without_times()


def test_the_store_is_where_the_user_says(monkeypatch, tmp_path):
    monkeypatch.setenv("CROSSLABEL_STORE", str(tmp_path / "here"))
    assert default_store() == tmp_path / "here"
    monkeypatch.delenv("CROSSLABEL_STORE")
    assert default_store().parts[-2:] == ("crosslabel", "reproduce")


def test_the_machine_is_described():
    assert {"processor", "cores", "threads", "numpy", "device"} <= machine("cpu").keys()
    assert json.dumps(machine())
