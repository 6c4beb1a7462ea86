import pytest

from crosslabel.app.compare import compare
from crosslabel.lab.estimators import WELL_KNOWN, WellKnown


def test_rows_are_sorted_and_complete(table):
    rows = compare(table, ["knn", "svm", "ridge"], repeats=3).standings
    means = [row.accuracy for row in rows]
    assert means == sorted(means, reverse=True)
    assert all(row.n_splits == 3 and row.model_bytes > 0 for row in rows)


def test_an_interrupted_run_goes_on_where_it_stopped(table, tmp_path, monkeypatch):
    from sklearn.linear_model import RidgeClassifier

    def interrupted(self, X, y):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RidgeClassifier, "fit", interrupted)
        stopped = compare(table, ["ridge", "knn"], repeats=2, records=tmp_path)
    assert stopped.interrupted
    kept = {path: path.read_text() for path in tmp_path.glob("records/*")}
    assert len(kept) == sum(row.n_splits for row in stopped.standings)
    rows = compare(table, ["knn", "ridge"], repeats=2, records=tmp_path).standings
    assert len(list(tmp_path.glob("records/*"))) == 4
    assert all(path.read_text() == text for path, text in kept.items())
    expected = compare(table, ["knn", "ridge"], repeats=2).standings
    assert [r.accuracy for r in rows] == [r.accuracy for r in expected]


def test_other_settings_are_not_taken_for_the_same(table, tmp_path):
    compare(table, ["knn"], repeats=1, records=tmp_path)
    compare(table, ["knn"], repeats=1, records=tmp_path, n_train=5)
    compare(table, ["knn"], repeats=1, records=tmp_path, seed=1)
    assert len(list(tmp_path.glob("records/*"))) == 3


def test_features_are_computed_for_images(photos):
    rows, data, stopped = compare(
        photos, ["crosslabel", "knn"], features="pixels", n_train=8, repeats=1
    )
    assert (data.kind, stopped) == ("images", False)
    assert all(row.accuracy > 0.5 for row in rows)


def test_a_method_that_fails_is_shown(table, monkeypatch):
    broken = WellKnown("sklearn.neighbors", "broken", {"radius": -1.0})
    monkeypatch.setitem(WELL_KNOWN, "RadiusNeighborsClassifier", broken)
    rows = compare(table, ["broken", "knn"], repeats=1).standings
    assert rows[0].method == "knn"
    assert "radius" in rows[1].problem


def test_unknown_method(table):
    with pytest.raises(ValueError, match=r"no method 'magic'. Known: .*crosslabel"):
        compare(table, ["magic"])


def test_what_is_finished_is_kept_when_somebody_stops_it(table, monkeypatch):
    """The third fit that counts is stopped: the rows are those of the first two."""
    from sklearn.neighbors import KNeighborsClassifier

    fitted, fit = [], KNeighborsClassifier.fit

    def stops(self, X, y):
        fitted.append(len(X))
        if len([n for n in fitted if n > 20]) > 2:
            raise KeyboardInterrupt
        return fit(self, X, y)

    monkeypatch.setattr(KNeighborsClassifier, "fit", stops)
    found = compare(table, ["knn"], repeats=5)
    assert found.interrupted
    (row,) = found.standings
    assert row.n_splits == 2
