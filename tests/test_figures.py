"""A figure in README or docs is the record's: `make figures` would change nothing."""

import os
import re
import tomllib
from html import unescape
from pathlib import Path

import pytest
from benchmarks.decision import PLACE, STEPS, draw
from benchmarks.figures import FIGURE, TABLE, documents, figures, filled
from benchmarks.lines import Line, show
from benchmarks.records import RECORDS, read, recorded
from benchmarks.tables import cell, table

ROOT = Path(__file__).parent.parent


@pytest.fixture
def folder(tmp_path):
    lines = [
        Line("fit: theirs / ours (± 0.3)", 12.345, ">=", 10),
        Line("accuracy above a rival", 98.76, ">", 91.123),
    ]
    assert list(recorded("some", lines, tmp_path)) == lines
    (tmp_path / "figures.toml").write_text(
        '[some]\nfast = ["fit: theirs / ours", ".1f"]\n'
        'slow = ["fit: theirs / ours", ".3f", "inverse"]\n'
        'give = ["fit: theirs / ours", ".1f", "spread"]\n'
        'rival = ["accuracy above a rival", ".3g", "rival"]\n'
    )
    return tmp_path


@pytest.mark.parametrize("page", documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_text_says_what_the_records_say(page):
    text = page.read_text(encoding="utf-8")
    assert filled(text, figures()) == text, f"{page.name} differs from the records: make figures"


@pytest.mark.parametrize("page", documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_figure_does_not_begin_a_line(page):
    """There Markdown takes its mark for a block of HTML, and ends the paragraph before it."""
    found = re.findall(r"^ *<!--=.*$", page.read_text("utf-8"), re.MULTILINE)
    assert not found


def test_the_readme_and_the_guide_hold_figures():
    said = {page.name: len(FIGURE.findall(page.read_text("utf-8"))) for page in documents()}
    assert said["README.md"] > 15
    assert said["which.md"] > 15


def test_every_named_figure_is_used():
    text = "".join(page.read_text("utf-8") for page in documents())
    used = {*FIGURE.findall(text), *re.findall(r"\{([\w-]+)\}", str(STEPS))}
    assert set(figures()) == used


def test_what_the_readme_says_of_the_paper_is_what_was_published():
    readme = (ROOT / "README.md").read_text("utf-8")
    place = ROOT / "src" / "crosslabel" / "lab" / "published.toml"
    published = {float(number) for number in re.findall(r"\b\d+\.\d+\b", place.read_text("utf-8"))}
    cells = re.findall(r"the paper ([\d., ]+) \|", readme)
    said = [float(number) for cell in cells for number in cell.split(",")]
    assert len(said) == 5
    assert set(said) <= published


def test_figures_are_values_reciprocals_deviations_and_rivals(folder):
    said = {"fast": "12.3", "slow": "0.081", "give": "0.3", "rival": "91.1"}
    assert figures(folder) == said


def test_marks_are_filled_and_nothing_else_is_touched(folder):
    text = "a <!--=fast-->1<!--/--> b\n<!-- table: some -->\nold\n<!-- end -->\nc 1"
    new = filled(text, figures(folder), folder)
    assert new.startswith("a <!--=fast-->12.3<!--/--> b\n")
    assert new.endswith("\nc 1")
    assert "| fit: theirs / ours | 12.35 |  |" in new
    assert "| accuracy above a rival | 98.76 | 91.12 |" in new
    assert filled(new, figures(folder), folder) == new


def test_a_line_measured_again_replaces_the_old_one_and_others_stay(folder):
    list(recorded("some", [Line("fit: theirs / ours (± 0.9)", 15.0, ">=", 10)], folder))
    found = read("some", folder)
    assert found["fit: theirs / ours"].value == 15.0
    assert found["accuracy above a rival"].bar == 91.123
    assert found["fit: theirs / ours"].spread == 0.9
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found["fit: theirs / ours"].date)


def test_a_record_says_when_where_and_how_it_was_measured(folder):
    entry = read("some", folder)["accuracy above a rival"]
    assert f"{os.cpu_count()} cores" in entry.machine
    assert entry.threads >= 1
    assert entry.command.startswith("python -m ")
    assert entry.spread != entry.spread  # nothing is known of it, and nothing is written
    assert "spread" not in (folder / "some.json").read_text().splitlines()[2]


@pytest.mark.parametrize("place", sorted(RECORDS.glob("*.json")), ids=lambda place: place.stem)
def test_what_is_recorded_has_a_day_and_a_machine_or_says_why_not(place):
    for what, entry in read(place.stem).items():
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry.date), what
        assert entry.machine or "no benchmark repeats it" in entry.note, what
        assert entry.commit or entry.machine, what
        assert entry.value == entry.value, what


def test_lines_without_a_bar_are_shown_and_miss_nothing(capsys):
    assert show("some", [Line("seconds", 2.5), Line("ratio", 3.0, "<=", 2)]) == 1
    said = capsys.readouterr().out
    assert "2.5" in said
    assert said.count("MISSED") == 1


def test_a_grid_has_the_rows_and_columns_of_its_part(tmp_path):
    lines = [
        Line("noise | ours | 10%", 88.25),
        Line("noise | ours | 20%", 50.0),
        Line("blocks | ours | 10%", 1.0),
        Line("noise | theirs | 20%", 7.0),
    ]
    list(recorded("some", lines, tmp_path))
    (tmp_path / "tables.toml").write_text(
        '[noise]\nrecord = "some"\npart = "noise"\ncorner = "replaced"\nform = "{:.1f} %"\n'
        '[forms]\nrecord = "some"\npart = "noise"\nform = {"10%" = "{:.0f}", "20%" = "{:.2f}"}\n'
    )
    assert table("noise", tmp_path).splitlines() == [
        "| replaced | 10% | 20% |",
        "| --- | --- | --- |",
        "| ours | 88.2 % | 50.0 % |",
        "| theirs | – | 7.0 % |",
    ]
    assert "| ours | 88 | 50.00 |" in table("forms", tmp_path)


def test_a_table_may_have_some_lines_of_a_record(folder):
    (folder / "tables.toml").write_text('[fits]\nrecord = "some"\nlines = "^fit"\n')
    assert "| fit: theirs / ours | 12.35 |" in table("fits", folder)
    assert "accuracy" not in table("fits", folder)


def test_every_line_of_the_benchmarks_stands_in_one_part_of_their_page():
    grids = tomllib.loads((RECORDS / "tables.toml").read_text("utf-8"))
    parts = [part["lines"] for part in grids.values() if part["record"] == "bench"]
    for what in read("bench"):
        assert sum(bool(re.search(part, what)) for part in parts) == 1, what


def test_a_bar_that_no_rival_reached_is_not_told(tmp_path):
    lines = [Line("one query beyond its products in µs", 35.0, "<=", 150.0)]
    list(recorded("some", lines, tmp_path))
    assert "150" not in table("some", tmp_path)


def test_a_record_that_was_written_as_a_table_is_taken_as_it_is(tmp_path):
    (tmp_path / "cells.md").write_text("| a |\n|---|\n| 1 |\n")
    assert table("cells", tmp_path) == "| a |\n|---|\n| 1 |"


def test_tables_of_the_pages_name_records_that_exist():
    for page in documents():
        for name in TABLE.findall(page.read_text("utf-8")):
            assert len(table(name).splitlines()) > 2, name


def test_the_decision_figure_shows_the_records_figures(tmp_path):
    known = figures()
    draw(STEPS, known, tmp_path / "which.svg")
    for place in (tmp_path / "which.svg", PLACE):
        text = unescape(place.read_text("utf-8"))
        for step in STEPS:
            assert step.evidence.format_map(known) in text, f"{place.name} is old: make figures"


def test_the_figures_file_names_lines_that_were_recorded():
    wanted = tomllib.loads((RECORDS / "figures.toml").read_text("utf-8"))
    for record, named in wanted.items():
        known = None if (RECORDS / f"{record}.md").exists() else read(record)
        for name, (line, *_) in named.items():
            assert known is None or line in known, name


def test_a_figure_of_a_table_is_found_by_its_row_and_column():
    first = "| a | b |\n|---|---|\n| x | 1 |\n\n"
    text = first + "| a | c | d |\n|---|---|---|\n| x | -2.5 |  |\n| y | 3 | 4 |"
    assert (cell(text, "x", "b"), cell(text, "x", "c"), cell(text, "y", "d")) == ("1", "−2.5", "4")
    with pytest.raises(KeyError, match="row 'z' with a column 'c'"):
        cell(text, "z", "c")


def test_figures_of_a_table_are_taken_as_they_are(folder):
    (folder / "cells.md").write_text("| a | b |\n|---|---|\n| x | 1.50 |\n")
    with (folder / "figures.toml").open("a") as file:
        file.write('[cells]\nhalf = ["x", "b"]\n')
    assert figures(folder)["half"] == "1.50"
