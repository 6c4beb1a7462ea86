import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from crosslabel import CRC
from crosslabel.datasets.root import MissingData
from crosslabel.lab import run as module
from crosslabel.lab.inputs import Input
from crosslabel.lab.records import Store, machine
from crosslabel.lab.run import Prepared, build, chosen_cells, compute, run_cells
from crosslabel.lab.spec import SpecError
from crosslabel.lab.spec_files import load_spec

RUN = """
import sys
from crosslabel.lab.records import Store
from crosslabel.lab.run import chosen_cells, run_cells
from crosslabel.lab.spec_files import load_spec
spec = load_spec(sys.argv[1])
for outcome in run_cells(chosen_cells(spec), Store(sys.argv[2]), jobs=int(sys.argv[3])):
    assert not outcome.problem, outcome.problem
"""


def records(store, spec):
    return {cell: record.without_times() for cell, record in store.found(spec.cells()).items()}


def test_every_cell_becomes_a_record(spec, tmp_path):
    store = Store(tmp_path / "store")
    outcomes = list(run_cells(chosen_cells(spec), store))
    found = store.found(spec.cells())
    assert len(outcomes) == len(found) == 12
    for cell, record in found.items():
        assert (record.table, record.method, record.setting, record.split) == cell.place
        assert record.accuracy > 0.6
        assert 0 < record.fit_seconds < record.cell_seconds
        assert record.parameters == cell.parameters
        assert record.extra["n_samples"] == 10 * cell.setting.n_train
        assert record.extra["n_test"] == 1797 - 10 * cell.setting.n_train
        counts = record.extra["confusion"]
        right = sum(counts[i][i] for i in range(10)) / record.extra["n_test"]
        assert record.accuracy == pytest.approx(right)
        per_class = sum(counts[i][i] / sum(counts[i]) for i in range(10)) / 10
        assert record.mean_per_class == pytest.approx(per_class)
        kept = store.dictionary_place(cell).exists()
        assert kept == (cell.split == 0 and cell.method.name == "global")


def test_rows_and_classifier_may_come_from_anywhere_and_need_no_store(spec, tmp_path):
    iris = load_iris()
    labels = iris.target
    given = Input(
        iris.data[::2], labels[::2], iris.data[1::2], labels[1::2], ["a", "b", "c"], [], "x"
    )
    cells = chosen_cells(replace(spec, keep=("size",)), ["CRC"], 1)
    outcomes = list(compute(cells, None, lambda cell: Prepared(given, KNeighborsClassifier(3))))
    expected = KNeighborsClassifier(3).fit(iris.data[::2], labels[::2]).predict(iris.data[1::2])
    right = expected == labels[1::2]
    for outcome in outcomes:
        assert outcome.record.accuracy == right.mean()
        shares = [right[labels[1::2] == label].mean() for label in range(3)]
        assert outcome.record.mean_per_class == pytest.approx(sum(shares) / 3)
        assert outcome.record.input_hash == "x"
        assert outcome.record.extra["n_features"] == 4
        assert outcome.record.extra["model_bytes"] > iris.data[::2].nbytes
    assert list(tmp_path.glob("**/records")) == []


def test_classes_whose_codes_are_kept_are_those_of_the_spec(write_spec, tmp_path):
    spec = write_spec(("item = 1", "item = 1\ncodes_of = [10, 4]"))
    store = Store(tmp_path / "store")
    for outcome in run_cells(chosen_cells(spec, ["global"], 1), store):
        assert set(outcome.record.extra["codes"]) == {"9", "3"}


def test_only_missing_cells_run(spec, tmp_path, monkeypatch):
    store = Store(tmp_path / "store")
    list(run_cells(chosen_cells(spec, limit_splits=1), store))
    assert {o.cell.split for o in run_cells(chosen_cells(spec), store)} == {1, 2}
    monkeypatch.setattr(module, "load", lambda *_: pytest.fail("nothing is missing"))
    assert list(run_cells(chosen_cells(spec), store)) == []


def test_a_changed_parameter_runs_again_and_leaves_the_old_record(spec, write_spec, tmp_path):
    store = Store(tmp_path / "store")
    list(run_cells(chosen_cells(spec), store))
    other = write_spec(("atoms_per_class = 5 }", "atoms_per_class = 4 }"))
    assert len(store.found(other.cells())) == 6 + 3  # CRC, and the setting with its own number
    list(run_cells(chosen_cells(other), store))
    assert len(store.found(other.cells())) == len(store.found(spec.cells())) == 12


def test_cells_are_chosen_by_method_and_split(spec):
    assert {c.method.name for c in chosen_cells(spec, ["C*"])} == {"CRC"}
    assert [c.method.name for c in chosen_cells(spec)] == ["global"] * 6 + ["CRC"] * 6
    assert chosen_cells(spec, ["nobody"]) == []


def test_results_do_not_depend_on_the_number_of_processes(write_spec, tmp_path):
    spec = write_spec(("repeats = 3", "repeats = 1"))
    stores = [Store(tmp_path / str(jobs)) for jobs in (1, 2)]
    for jobs, store in zip((1, 2), stores):
        list(run_cells(chosen_cells(spec), store, jobs=jobs))
    one, two = (records(store, spec) for store in stores)
    assert one.keys() == two.keys()
    for cell, record in one.items():
        assert record["accuracy"] == two[cell]["accuracy"]
        assert record["input_hash"] == two[cell]["input_hash"]


def test_a_cell_that_fails_is_reported_and_the_others_run(write_spec, tmp_path):
    spec = write_spec(
        ('estimator = "CRC"', 'estimator = "CRC"\nparameters = { ridge = -1.0 }'),
        ("repeats = 3", "repeats = 1"),
    )
    outcomes = list(run_cells(chosen_cells(spec), Store(tmp_path / "store")))
    failed = [outcome for outcome in outcomes if outcome.record is None]
    assert {outcome.cell.method.name for outcome in failed} == {"CRC"}
    assert all("ridge" in outcome.problem for outcome in failed)
    assert len(outcomes) - len(failed) == 2


def test_unknown_methods_and_parameters_are_said(write_spec):
    spec = write_spec(('estimator = "CRC"', 'estimator = "CRC"\nparameters = { mood = 1 }'))
    with pytest.raises(SpecError, match="CRC has no parameter mood"):
        build(chosen_cells(spec, ["CRC"])[0])
    spec = write_spec(('estimator = "CRC"', 'estimator = "MAGIC"'))
    with pytest.raises(SpecError, match=r"no method 'MAGIC'.*LinearSVC"):
        build(chosen_cells(spec, ["CRC"])[0])


def test_each_split_has_its_own_seed_unless_one_is_given(write_spec):
    spec = write_spec()
    seeds = [build(cell).random_state for cell in chosen_cells(spec, ["global"])]
    assert seeds == [0, 0, 1, 1, 2, 2]
    spec = write_spec(("atoms_per_class = 5 }", "atoms_per_class = 5, random_state = 7 }"))
    assert {build(cell).random_state for cell in chosen_cells(spec, ["global"])} == {7}


def test_a_serial_table_runs_on_one_thread(write_spec, tmp_path):
    spec = write_spec(("item = 1", "item = 1\nserial = true"), ("repeats = 3", "repeats = 1"))
    for outcome in run_cells(chosen_cells(spec), Store(tmp_path / "store"), jobs=2):
        assert set(outcome.record.machine["threads"].values()) <= {1}
    assert machine()["threads"].keys() == outcome.record.machine["threads"].keys()


def test_a_serial_table_asks_a_hundred_queries_one_by_one(write_spec, tmp_path, monkeypatch):
    asked = []
    predict = CRC.predict

    def noted(self, X):
        asked.append(len(X))
        return predict(self, X)

    monkeypatch.setattr(CRC, "predict", noted)
    for kind in ("item = 1", "item = 1\nserial = true"):
        cells = chosen_cells(write_spec(("item = 1", kind)), ["CRC"], 1)[:1]
        next(run_cells(cells, Store(tmp_path / kind[-4:])))
    assert asked == [1747, 1747, *[1] * 100]


def test_a_single_process_keeps_the_threads_it_was_given(spec, tmp_path):
    with threadpool_limits(1):
        outcomes = list(run_cells(chosen_cells(spec, ["CRC"], 1), Store(tmp_path / "store")))
    assert {n for o in outcomes for n in o.record.machine["threads"].values()} == {1}


def test_absent_data_stop_a_table_before_it_starts(tmp_path):
    spec = load_spec("table-8")
    with pytest.raises(MissingData, match="dyntexpp"):
        next(run_cells(chosen_cells(spec), Store(tmp_path / "store"), root=tmp_path))
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_kill_9_loses_only_the_cells_in_flight(write_spec, tmp_path, jobs):
    spec = write_spec(
        ("repeats = 3", "repeats = 8"), ("atoms_per_class = 5 }", "atoms_per_class = 9 }")
    )
    place = str(tmp_path / "small.toml")
    killed, whole = Store(tmp_path / "killed"), Store(tmp_path / "whole")
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, place, str(killed.folder), str(jobs)], start_new_session=True
    )
    try:
        deadline = time.monotonic() + 120
        while len(list(killed.folder.glob("records/*.json"))) < 3:
            assert process.poll() is None, "the run ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    before = {f: f.read_bytes() for f in killed.folder.glob("records/*.json")}
    assert 3 <= len(before) < 32
    for content in before.values():
        assert json.loads(content)["table"] == "small"  # nothing is half written
    for store in (killed, whole):
        words = [sys.executable, "-c", RUN, place, str(store.folder), str(jobs)]
        subprocess.run(words, check=True, timeout=300)
    assert len(records(whole, spec)) == 32
    assert records(killed, spec) == records(whole, spec)
    for file, content in before.items():
        assert file.read_bytes() == content  # what was done was not done again
