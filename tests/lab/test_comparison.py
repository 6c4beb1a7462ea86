import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from crosslabel.lab.comparison import all_methods, compare, table

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
    assert rows[0].deviation == pytest.approx(np.std(expected))
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
    records = list(tmp_path.iterdir())
    assert len(records) == 4
    assert all("accuracy" in json.loads(record.read_text()) for record in records)


def test_an_interrupted_run_leaves_only_whole_records(tmp_path):
    class Fails(DummyClassifier):
        def fit(self, X, y):
            raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        compare(X, y, SPLITS, methods={**METHODS, "fails": Fails()}, records=tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"] * 2
    compare(X, y, SPLITS, methods=METHODS, records=tmp_path)
    assert len(list(tmp_path.iterdir())) == 6


def test_nothing_to_compare_is_refused():
    with pytest.raises(ValueError, match="nothing to compare"):
        compare(X, y, [], methods=METHODS)


def test_all_methods_are_the_classifiers_of_the_library():
    names = set(all_methods())
    assert {"crosslabel", "crosslabelcv", "src", "lrsdl", "svm", "knn"} <= names
    assert "llc" not in names


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
    assert f"{100 * rows[0].accuracy:.2f}" in lines[1]
