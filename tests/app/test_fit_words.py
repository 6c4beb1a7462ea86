import json

from crosslabel.app import fit_words
from crosslabel.app.fit import Parameters, fit
from crosslabel.core.rules import RULES
from tests.app.command import run

GIVEN = ["--ridge", "0.01", "--suppression", "2000", "--grouping", "0.02", "--rule", "local"]


def test_what_is_typed_is_what_the_function_gets(table, tmp_path, monkeypatch):
    asked = {}

    def noted(path, **words):
        asked.update(words, path=path)
        return fit(path, parameters=words["parameters"], held_out=words["held_out"])

    monkeypatch.setattr(fit_words, "fit", noted)
    out = tmp_path / "m.skops"
    words = ["--atoms", 4, "--shared", 1, "--held-out", 0.5, "--seed", 3, "--strict", "--jobs", 2]
    words += [
        "--no-refit",
        "--force",
        "--licence",
        "CC0",
        "--data-name",
        "Mine",
        "--cache",
        tmp_path,
        "--quiet",
    ]
    done = run("fit", table, "--out", out, *GIVEN, *words)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Held-out accuracy: ")
    assert asked["parameters"] == Parameters(0.01, 2000, 0.02, "local", 4, 1)
    assert (asked["refit"], asked["force"], asked["tell"]) == (False, True, None)
    settings = asked["settings"]
    assert (settings.cache, settings.n_jobs, settings.verbose) == (str(tmp_path), 2, False)
    assert (asked["path"], asked["out"], asked["features"]) == (table, out, "auto")
    assert (asked["held_out"], asked["seed"], asked["strict"]) == (0.5, 3, True)
    assert (asked["licence"], asked["data_name"]) == ("CC0", "Mine")


def test_the_reader_is_told_what_was_learnt(table, tmp_path):
    out = tmp_path / "m.skops"
    told = run("fit", table, "--out", out, *GIVEN).stdout
    assert "ridge 0.01" in told
    assert "local rule" in told
    assert f"the model is {out}" in told
    told = json.loads(run("fit", table, "--out", out, *GIVEN, "--json", "--force").stdout)
    assert (told["model"], told["rule"]) == (str(out), "local")


def test_rules_are_those_of_the_registry(table):
    done = run("fit", table, "--rule", "magic")
    assert done.exit_code == 2
    for name in RULES:
        assert name in done.stderr
