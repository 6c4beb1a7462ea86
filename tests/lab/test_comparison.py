import json
import time
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from crosslabel.lab import comparison, run
from crosslabel.lab.comparison import Standing, compare, table
from crosslabel.lab.records import Record, Store

X, y = load_iris(return_X_y=True)
SPLITS = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
METHODS = {"knn": KNeighborsClassifier(1), "guess": DummyClassifier()}


class Refuses(KNeighborsClassifier):
    def fit(self, X, y):
        raise AssertionError("a recorded cell was computed again")


def test_rows_hold_the_accuracies_of_the_splits_best_first():
    rows = compare(X, y, SPLITS, methods=METHODS)
    expected = [
        KNeighborsClassifier(1).fit(X[train], y[train]).score(X[test], y[test])
        for train, test in SPLITS
    ]
    assert [row.method for row in rows] == ["knn", "guess"]
    assert rows[0].accuracy == pytest.approx(np.mean(expected))
    assert rows[0].deviation == pytest.approx(np.std(expected, ddof=1))
    assert rows[0].n_splits == 3
    assert rows[0].fit_seconds > 0
    assert rows[0].query_seconds > 0
    assert rows[0].model_bytes > X[SPLITS[0][0]].nbytes  # nearest neighbours keep their samples


def test_a_recorded_cell_is_not_computed_again(tmp_path):
    first = compare(X, y, SPLITS, methods={"knn": KNeighborsClassifier(1)}, records=tmp_path)
    Refuses.__name__ = "KNeighborsClassifier"  # the key is of the name and the parameters
    assert compare(X, y, SPLITS, methods={"knn": Refuses(1)}, records=tmp_path) == first


def test_other_data_parameters_or_splits_are_other_cells(tmp_path):
    compare(X, y, SPLITS[:1], methods={"knn": KNeighborsClassifier(1)}, records=tmp_path)
    compare(X, y, SPLITS[1:2], methods={"knn": KNeighborsClassifier(1)}, records=tmp_path)
    compare(X, y, SPLITS[:1], methods={"knn": KNeighborsClassifier(2)}, records=tmp_path)
    compare(X + 1, y, SPLITS[:1], methods={"knn": KNeighborsClassifier(1)}, records=tmp_path)
    records = list(tmp_path.glob("records/*.json"))
    assert len(records) == 4
    assert all("accuracy" in json.loads(record.read_text()) for record in records)


def test_an_interrupted_run_leaves_only_whole_records(tmp_path):
    class Fails(DummyClassifier):
        def fit(self, X, y):
            raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        compare(X, y, SPLITS, methods={**METHODS, "fails": Fails()}, records=tmp_path)
    assert [path.suffix for path in (tmp_path / "records").iterdir()] == [".json"] * 6
    compare(X, y, SPLITS, methods=METHODS, records=tmp_path)
    assert len(list((tmp_path / "records").iterdir())) == 6


def test_nothing_to_compare_is_refused():
    with pytest.raises(ValueError, match="nothing to compare"):
        compare(X, y, [], methods=METHODS)


def test_more_splits_keep_the_old_records(tmp_path):
    methods = {"knn": KNeighborsClassifier(1)}
    compare(X, y, SPLITS[:2], methods=methods, records=tmp_path)
    before = {f: f.read_bytes() for f in tmp_path.glob("records/*.json")}
    (standing,) = compare(X, y, SPLITS, methods=methods, records=tmp_path)
    assert standing.n_splits == 3
    assert len(list(tmp_path.glob("records/*.json"))) == 3
    assert all(file.read_bytes() == content for file, content in before.items())


def test_records_are_those_of_the_runner_of_tables(tmp_path, monkeypatch):
    """The same store and runner as `reproduce`: nothing else computes or keeps a cell."""
    seen = []
    compute = run.compute

    def watched(cells, store, prepare, **options):
        seen.append((type(store), len(cells)))
        return compute(cells, store, prepare, **options)

    monkeypatch.setattr(comparison, "compute", watched)
    compare(X, y, SPLITS, methods=METHODS, records=tmp_path)
    assert seen == [(Store, 6)]
    for file in tmp_path.glob("records/*.json"):
        record = Record(**json.loads(file.read_text()))
        assert record.table == "comparison"
        assert record.extra["n_samples"] + record.extra["n_test"] == len(y)
        assert record.extra["model_bytes"] > 0


def test_features_are_computed_once_a_split_and_not_for_recorded_ones(tmp_path):
    asked = []

    def features(train, test):
        asked.append(len(train))
        return X[train], X[test]

    for _ in range(2):
        comparison.compare_features(
            features, y, SPLITS, subject="iris", methods=METHODS, records=tmp_path
        )
    assert asked == [100, 100, 100]


def test_labels_may_be_words():
    words = np.array(["setosa", "versicolor", "virginica"])[y]
    named, numbered = (compare(X, labels, SPLITS, methods=METHODS) for labels in (words, y))
    assert [(one.method, one.accuracy) for one in named] == [
        (one.method, one.accuracy) for one in numbered
    ]


def test_a_standing_sums_up_its_records(tmp_path):
    compare(X, y, SPLITS, methods={"knn": KNeighborsClassifier(1)}, records=tmp_path)
    content = [json.loads(f.read_text()) for f in tmp_path.glob("records/*.json")]
    one = Standing.of("knn", [Record(**each) for each in content])
    assert one.per_class == pytest.approx(np.mean([each["mean_per_class"] for each in content]))
    for name in ("fit_seconds", "query_seconds"):
        assert getattr(one, name) == np.median([each[name] for each in content])
    assert one.model_bytes == np.median([each["extra"]["model_bytes"] for each in content])


def test_one_split_has_no_deviation():
    (one,) = compare(X, y, SPLITS[:1], methods={"knn": KNeighborsClassifier(1)})
    assert one.deviation is None
    assert "±" not in table([one])


def test_a_method_that_cannot_be_fitted_comes_last_with_its_reason(tmp_path):
    methods = {"broken": KNeighborsClassifier(-1), **METHODS}
    for _ in range(2):  # measured, then from the record
        rows = compare(X, y, SPLITS, methods=methods, records=tmp_path)
        assert [row.method for row in rows] == ["knn", "guess", "broken"]
        assert "n_neighbors" in rows[-1].problem
        assert "n_neighbors" in table(rows).splitlines()[-1]
        assert rows[-1].as_dict().keys() == {"method", "problem"}


def test_the_table_has_a_line_for_each_method(capsys):
    rows = compare(X, y, SPLITS, methods=METHODS, progress=True)
    lines = table(rows).splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("knn")
    one = rows[0]
    assert lines[1].split() == [
        "knn", f"{100 * one.accuracy:.2f}", "±", f"{100 * one.deviation:.2f}",
        f"{100 * one.per_class:.2f}", f"{one.fit_seconds:.2f}", f"{1e3 * one.query_seconds:.3f}",
        f"{one.model_bytes / 1e6:.2f}", "3",
    ]  # fmt: skip


class Slow(DummyClassifier):
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)


@pytest.mark.parametrize(("held", "expected"), [(2**30, "qqqsss"), (0, "qsqsqs")])
def test_quick_methods_run_first(monkeypatch, held, expected):
    """Over all splits, or on each where the features of one alone can be kept."""
    monkeypatch.setattr(comparison, "HELD", held)
    ran, run_one = [], comparison.compute

    def noted(cells, *given):
        for outcome in run_one(cells, *given):
            ran.append(outcome.cell.method.name)
            yield outcome

    monkeypatch.setattr(comparison, "compute", noted)
    compare(X, y, SPLITS, methods={"s": Slow(), "q": DummyClassifier()})
    assert "".join(ran) == expected


def test_features_are_computed_once_for_a_split():
    asked = []

    def features(train, test):
        asked.append(len(train))
        return X[train], X[test]

    comparison.compare_features(features, y, SPLITS, subject="iris", methods=METHODS)
    assert len(asked) == len(SPLITS)


def test_what_was_finished_comes_with_the_interruption():
    class Stops(DummyClassifier):
        def fit(self, X, y):
            if len(X) > 50:
                raise KeyboardInterrupt
            time.sleep(0.05)
            return super().fit(X, y)

    with pytest.raises(KeyboardInterrupt) as caught:
        compare(X, y, SPLITS, methods={"stops": Stops(), "quick": DummyClassifier()})
    assert [(one.method, one.n_splits) for one in caught.value.standings] == [("quick", 3)]


def test_the_bar_names_the_method_and_the_split(monkeypatch):
    named = []

    @contextmanager
    def noted(name, total):
        yield lambda count, name=None: named.append(name)

    monkeypatch.setattr(comparison, "progress_bar", noted)
    compare(X, y, SPLITS[:2], methods={"knn": KNeighborsClassifier(1)}, progress=True)
    assert named == [None, "knn, split 1 of 2", "knn, split 2 of 2", "done"]
