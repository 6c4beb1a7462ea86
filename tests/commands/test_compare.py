import json

import pytest

from crosslabel.commands.compare import compare, known_methods
from crosslabel.estimators import CrossLabelClassifier


def test_own_methods_and_well_known_ones():
    methods = known_methods()
    assert isinstance(methods["crosslabel"], CrossLabelClassifier)
    assert {"svm", "knn", "ridge"} <= set(methods)


def test_rows_are_sorted_and_complete(table):
    rows, _ = compare(table, ["knn", "svm", "ridge"], repeats=3)
    means = [row.as_dict()["mean"] for row in rows]
    assert means == sorted(means, reverse=True)
    assert all(len(row.accuracies) == 3 for row in rows)


def test_an_interrupted_run_goes_on_where_it_stopped(table, tmp_path):
    records = tmp_path / "results.jsonl"
    seen = []

    def interrupt(name):
        seen.append(name)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(table, ["knn", "ridge"], repeats=2, records=records, advance=interrupt)
    kept = records.read_text()
    records.write_text(kept + '{"key": "torn')
    rows, _ = compare(table, ["knn", "ridge"], repeats=2, records=records)
    lines = [json.loads(line) for line in records.read_text().splitlines() if line.endswith("}")]
    assert len(lines) == 4
    expected, _ = compare(table, ["knn", "ridge"], repeats=2)
    assert [r.accuracies for r in rows] == [r.accuracies for r in expected]


def test_other_settings_are_not_taken_for_the_same(table, tmp_path):
    records = tmp_path / "results.jsonl"
    compare(table, ["knn"], repeats=1, records=records)
    compare(table, ["knn"], repeats=1, records=records, n_train=5)
    compare(table, ["knn"], repeats=1, records=records, seed=1)
    assert sum(line.endswith("}") for line in records.read_text().splitlines()) == 3


def test_features_are_computed_for_images(photos):
    rows, data = compare(photos, ["crosslabel", "knn"], n_train=8, repeats=1)
    assert data.kind == "images"
    assert all(row.accuracies[0] > 0.5 for row in rows)


def test_a_method_that_fails_is_shown(table, monkeypatch):
    from sklearn.neighbors import KNeighborsClassifier

    from crosslabel.commands.compare import WELL_KNOWN

    monkeypatch.setitem(WELL_KNOWN, "broken", KNeighborsClassifier(n_neighbors=-1))
    rows, _ = compare(table, ["broken", "knn"], repeats=1)
    assert rows[0].method == "knn"
    assert "n_neighbors" in rows[1].problem


def test_unknown_method(table):
    with pytest.raises(ValueError, match=r"no method 'magic'. Known: .*crosslabel"):
        compare(table, ["magic"])
