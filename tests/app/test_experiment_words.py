import re

import pytest
from typer.testing import CliRunner

from crosslabel.app.entry import application
from crosslabel.lab.records import Store
from crosslabel.lab.spec_files import load_specs
from tests.lab.report.synthetic import fill, write_specs

from ..lab.conftest import spec, write_spec  # noqa: F401


def run(command, *words):
    words = [command, *(str(word) for word in words)]
    return CliRunner().invoke(application(command), words)


def test_list_names_every_table_with_its_title():
    done = run("reproduce", "--list")
    assert done.exit_code == 0
    expected = [f"{one.name:<24}{one.title}" for one in load_specs()]
    assert done.stdout.splitlines() == expected
    assert run("reproduce").stdout == done.stdout


def test_methods_and_splits_may_be_chosen(spec, tmp_path):  # noqa: F811
    done = run(
        "reproduce", tmp_path / "small.toml", "--store", tmp_path / "store", "--quiet",
        "--only", "crc", "--limit-splits", 2,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert len(list((tmp_path / "store" / "records").iterdir())) == 4
    assert "8 cells are not computed yet" in done.stdout


def test_names_of_methods_are_known_in_any_case_and_others_refused(spec, tmp_path):  # noqa: F811
    words = ("reproduce", tmp_path / "small.toml", "--store", tmp_path / "store", "--quiet")
    done = run(*words, "--only", "CRC, nobody")
    assert done.exit_code == 1
    assert "There is no method 'nobody' here. Known: " in done.stderr
    assert "CRC" in done.stderr
    assert not (tmp_path / "store").exists()
    assert run(*words, "--only", "cR*", "--limit-splits", 1).exit_code == 0


def test_a_report_without_records_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("report", "--store", tmp_path / "none", "--table", "table-1")
    assert done.exit_code == 0
    assert f"There are no records in {tmp_path / 'none'} yet" in done.stderr
    assert "crosslabel reproduce table-2" in done.stderr
    fill(Store(tmp_path / "store"), write_specs(tmp_path / "specs"))
    assert run("report", "--store", tmp_path / "store", "--table", "table-1").stderr == ""
    done = run("report", "--out", tmp_path / "absent" / "page.html")
    assert done.exit_code == 1
    assert "There is no folder" in done.stderr


def test_mistakes_are_answered_in_one_sentence(tmp_path):
    done = run("reproduce", "table-99")
    assert done.exit_code == 1
    assert "There is no table or figure 'table-99'" in done.stderr
    done = run("report", "--store", tmp_path, "--format", "pdf")
    assert done.exit_code == 1
    assert "There is no format 'pdf' of a report. Known: html, md, csv, latex." in done.stderr


@pytest.mark.parametrize(("form", "start"), [("md", "### "), ("csv", "table,"), ("latex", r"\b")])
def test_tables_are_printed_and_the_page_is_written(tmp_path, monkeypatch, form, start):
    monkeypatch.chdir(tmp_path)
    printed = run("report", "--store", tmp_path, "--table", "table-1", "--format", form)
    assert printed.exit_code == 0
    assert printed.stdout.startswith(start)
    assert not list(tmp_path.iterdir())
    written = run("report", "--store", tmp_path, "--table", "table-1")
    assert written.exit_code == 0
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_what_is_printed_can_be_written_instead(tmp_path):
    fill(Store(tmp_path / "store"), write_specs(tmp_path / "specs"))
    words = ("report", "--store", tmp_path / "store", "--table", tmp_path / "specs/table-2.toml",
             "--format", "csv")  # fmt: skip
    printed = run(*words).stdout
    assert run(*words, "--out", tmp_path / "r.csv").exit_code == 0
    assert (tmp_path / "r.csv").read_text("utf-8") == printed
    assert re.search(r"table-2,.*10 per person,%,9\d\.", printed)
