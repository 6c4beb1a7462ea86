import csv
from io import StringIO

import pytest

from crosslabel.app.report import report, write_report
from crosslabel.lab.records import Store
from crosslabel.lab.report.formats import FORMATS
from crosslabel.lab.spec_files import load_specs
from tests.lab.report.synthetic import SPECS, fill, write_specs


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    specs = write_specs(folder / "specs")
    return fill(Store(folder / "store"), specs).folder, specs


def test_all_tables_or_the_chosen_ones(made):
    store, specs = made
    everything = report(store, form="csv", specs=specs)
    named = {row["table"] for row in csv.DictReader(StringIO(everything))}
    assert {"table-2", "table-4", "table-9"} <= named
    assert named <= {*SPECS, *(f"{name}-fit-seconds" for name in SPECS), "table-4-query-seconds"}
    chosen = report(store, form="csv", tables=["table-9"], specs=specs)
    assert {row["table"] for row in csv.DictReader(StringIO(chosen))} == {"table-9"}


def test_the_page_has_a_section_for_each_spec(made):
    store, specs = made
    page = report(store, specs=specs)
    for spec in load_specs(specs):
        assert f'<section id="{spec.name}"' in page


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_holds_the_published_value(made, form):
    store, specs = made
    assert "91.5" in report(store, form=form, tables=["table-2"], specs=specs)


def test_an_unknown_form_is_answered_with_the_known_ones(made):
    with pytest.raises(ValueError, match=r"no format 'pdf'.*Known: html, md, csv, latex"):
        report(made[0], form="pdf", specs=made[1])


def test_a_report_is_written_whole_in_a_folder_that_is_made(tmp_path):
    place = tmp_path / "deep" / "r.md"
    write_report(place, "λ = 0")
    assert place.read_text("utf-8") == "λ = 0"
    assert [file.name for file in place.parent.iterdir()] == ["r.md"]
