import csv
import re
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from crosslabel.app.entry import application
from crosslabel.lab.report.content import Table, TableEntry, TableRow, Value
from crosslabel.lab.report.formats import FIELDS, comma_separated, escaped, latex, markdown
from crosslabel.lab.verdicts import COMPARED

numbers = st.floats(-1e6, 1e6)
values = st.builds(Value, numbers, st.none() | numbers)
words = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1, max_size=12)
entries = st.builds(
    TableEntry,
    st.none() | values,
    st.none() | values,
    st.sampled_from(["", *COMPARED]),
    words,
    st.integers(0, 9),
    st.integers(0, 9),
    st.booleans(),
)


@st.composite
def tables(draw):
    columns = draw(st.lists(words, min_size=1, max_size=3))
    row = st.builds(TableRow, words, st.tuples(*(entries for _ in columns)))
    rows = draw(st.lists(row, min_size=1, max_size=4))
    unit = draw(st.sampled_from(["%", "s", "ms"]))
    return Table("table-2", draw(words), "accuracy", tuple(columns), tuple(rows), unit)


def number(text):
    return float(text) if text else None


@given(tables())
def test_csv_reads_back_to_the_same_numbers(table):
    read = list(csv.DictReader(StringIO(comma_separated([table]))))
    assert tuple(read[0]) == FIELDS
    for line, (row, column, entry) in zip(read, table.entries(), strict=True):
        assert (line["method"], line["column"], line["unit"]) == (row.method, column, table.unit)
        for name in ("ours", "paper"):
            value = getattr(entry, name)
            assert number(line[name]) == (value.mean if value else None)
            assert number(line[f"{name}_deviation"]) == (value.deviation if value else None)
        assert int(line["splits_done"]) == entry.done
        assert int(line["splits_wanted"]) == entry.wanted
        assert (line["quoted"] == "quoted") == entry.quoted
        assert (line["verdict"], line["reason"]) == (entry.verdict, entry.reason)


def faces():
    ours = TableEntry(Value(93.424, 0.654), Value(93.38), "above", "", 10, 10)
    below = TableEntry(Value(98.1), Value(98.62, 0.5), "below", "Smaller images | 100 %.", 4, 10)
    rows = (
        TableRow("GCC", (ours, below), flagship=True),
        TableRow("D_KSVD & co", (TableEntry(Value(90.0, 1.0), done=10, wanted=10), TableEntry())),
        TableRow("quoted", (TableEntry(), TableEntry(None, Value(97.3), quoted=True))),
    )
    return Table("table-2", "Faces", "accuracy", ("10 per person", "λ = 0"), rows)


def test_markdown_columns_are_aligned():
    lines = [line for line in markdown([faces()]).splitlines() if line.startswith("|")]
    assert len({len(line) for line in lines}) == 1
    bars = [[i for i, letter in enumerate(line) if letter == "|"] for line in lines]
    assert all(places == bars[0] for places in bars)
    assert "93.42 ± 0.65 ▲" in lines[2]
    assert "98.10 (4 of 10) ▼" in lines[2]
    assert "97.30†" in lines[4]


@given(tables())
def test_markdown_has_a_cell_for_each_value(table):
    lines = [line for line in markdown([table]).split("\n") if line.startswith("| ")]
    cells = [len(re.split(r"(?<!\\)\|", line)) for line in lines[: 1 + len(table.rows)]]
    assert len(set(cells)) == 1


def test_markdown_says_why_a_value_is_below():
    assert "- GCC, λ = 0: Smaller images | 100 %." in markdown([faces()])


def test_latex_has_as_many_columns_as_it_says():
    text = latex([faces()])
    declared = re.search(r"\\begin\{tabular\}\{(l?r*)\}", text).group(1)
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert len(body) == 3
    for line in body:
        assert line.endswith(r"\\")
        assert len(re.split(r"(?<!\\)&", line)) == len(declared) == 5
    assert r"D\_KSVD \& co" in text
    assert r"$\lambda$ = 0" in text
    assert r"93.42 $\pm$ 0.65" in text
    assert r"\caption{Faces: accuracy (\%)}" in text


@given(st.text())
def test_escaped_text_has_no_letter_that_latex_would_act_on(text):
    bare = escaped(text)
    for known in (r"\textbackslash{}", r"\textasciitilde{}", r"\textasciicircum{}"):
        bare = bare.replace(known, "")
    bare = re.sub(r"\\[a-z]+\{\}|\\[&%$#_{},]|\$[^$]*\$|~", "", bare)
    assert not set(bare) & set("\\&%$#_{}^~")


@pytest.mark.parametrize(("form", "start"), [("md", "### "), ("csv", "table,"), ("latex", r"\b")])
def test_the_command_prints_one_table(tmp_path, form, start):
    words = ["report", "--store", str(tmp_path), "--table", "table-1", "--format", form]
    result = CliRunner().invoke(application("report"), words)
    assert result.exit_code == 0
    assert result.stdout.startswith(start)
    assert "95.92" in result.stdout


def test_the_command_writes_the_page_and_says_where(tmp_path):
    out = tmp_path / "page.html"
    words = ["report", "--store", str(tmp_path), "--table", "table-1", "--out", str(out)]
    result = CliRunner().invoke(application("report"), words)
    assert result.exit_code == 0
    assert str(out) in result.stdout.replace("\n", "")
    assert out.read_text("utf-8").startswith("<!doctype html>")


def test_an_unknown_table_is_named_in_the_error(tmp_path):
    result = CliRunner().invoke(
        application("report"), ["report", "--store", str(tmp_path), "--table", "table-99"]
    )
    assert result.exit_code == 1
    assert "table-99" in result.stderr
    assert "table-1" in result.stderr
