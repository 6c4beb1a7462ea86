import json

from crosslabel.app import compare_words
from crosslabel.app.compare import compare
from tests.app.command import run


def test_what_is_typed_is_what_the_function_gets(table, tmp_path, monkeypatch):
    asked = {}

    def noted(path, methods, **words):
        asked.update(words, path=path, methods=methods)
        return compare(path, methods, repeats=1)

    monkeypatch.setattr(compare_words, "compare", noted)
    words = ["--methods", "knn, ridge", "--train", 7, "--repeats", 2, "--records", tmp_path]
    done = run("compare", table, *words, "--seed", 5, "--jobs", 1, "--quiet", "--json")
    assert done.exit_code == 0, done.output
    assert {row["method"] for row in json.loads(done.stdout)} == {"knn", "ridge"}
    assert (asked["path"], asked["methods"]) == (table, ["knn", "ridge"])
    assert (asked["n_train"], asked["repeats"], asked["records"]) == (7, 2, tmp_path)
    assert (asked["seed"], asked["settings"].seed, asked["tell"]) == (5, 5, None)


def test_the_reader_gets_a_table(table):
    told = run("compare", table, "--methods", "knn", "--repeats", 1, "--quiet").stdout
    assert "knn" in told


def test_stopped_rows_are_printed_and_the_status_says_so(table, monkeypatch):
    whole = compare(table, ["knn"], repeats=2)
    monkeypatch.setattr(compare_words, "compare", lambda *_, **__: whole._replace(interrupted=True))
    done = run("compare", table, "--methods", "knn")
    assert done.exit_code == 130
    assert "knn" in done.stdout
    assert "Interrupted: the rows are of the splits that were finished." in done.stderr
