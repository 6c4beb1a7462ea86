import re
from dataclasses import replace

import pytest

from crosslabel.lab.report.content import Table, TableEntry, TableRow, Value
from crosslabel.lab.report.html_tables import PROSE, draw_table, has_paper, plain_table, shown


def test_a_column_with_a_sentence_wraps_and_the_others_do_not():
    sentence = "a sentence " * (PROSE // 5)
    drawn = str(
        plain_table("Notes", ("method", "note", "p"), [("A", "short", "1"), ("B", sentence, "2")])
    )
    assert '<th scope="col" class="prose">note</th>' in drawn
    assert '<td class="prose">short</td>' in drawn
    assert drawn.count("prose") == 3
    assert "<td>2</td>" in drawn


def test_a_table_without_rows_keeps_its_header():
    assert '<th scope="col">method</th>' in str(plain_table("Empty", ("method",), []))


def faces():
    ours = TableEntry(Value(93.424, 0.654), Value(93.38, 0.76), "above", "", 10, 10)
    below = TableEntry(Value(98.1), Value(98.62), "below", "Smaller images.", 4, 10)
    rows = (
        TableRow("GCC", (ours, below), flagship=True),
        TableRow("SRC", (TableEntry(), TableEntry(None, Value(97.3), quoted=True))),
    )
    columns = ("10 per person", "32 per person")
    return Table("table-2", "Faces", "accuracy", columns, rows, absent=("JDL", "DPL"))


def text_of(markup):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", str(markup))).strip()


def test_ours_and_the_papers_stand_side_by_side_with_a_sign():
    drawn = draw_table(faces())
    first, second = re.findall(r"<tr[^>]*>(?:(?!</tr>).)*</tr>", str(drawn))[2:]
    assert 'class="flagship"' in first
    assert "flagship" not in second
    said = text_of(first)
    assert said.startswith("GCC 93.42 ± 0.65 ▲ at or above the published value 93.38 ± 0.76")
    assert "98.10 ▼ below by more than one standard deviation 4 of 10 splits 98.62" in said
    assert text_of(second) == "SRC — — — 97.30 †"


def test_values_are_sorted_by_all_their_digits():
    drawn = str(draw_table(faces()))
    assert re.findall(r'data-value="([^"]*)"', drawn) == [
        "gcc", "93.424", "93.38", "98.1", "98.62", "src", "97.3",
    ]  # fmt: skip
    assert 'data-sort="descending" data-column="4"' in drawn


def test_signs_reasons_and_what_was_not_run_are_told_below():
    said = text_of(draw_table(faces()))
    assert "† quoted by the paper from earlier work" in said
    assert "● " not in said  # no value is within one deviation
    assert "Not run yet: JDL; DPL." in said
    assert "GCC, 32 per person : Smaller images." in said


def test_without_published_values_there_is_one_column_each():
    table = faces()
    bare = tuple(
        replace(row, entries=tuple(replace(entry, paper=None) for entry in row.entries))
        for row in table.rows
    )
    alone = replace(table, rows=bare, unit="ms")
    assert has_paper(table)
    assert not has_paper(alone)
    drawn = str(draw_table(alone))
    assert "colgroup" not in drawn
    assert 'data-sort="ascending" data-column="1"' in drawn  # shorter times are better


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (Value(93.426, 0.654), "%", "93.43 ± 0.65"),
        (Value(0.123456, 0.02), "s", "0.123 ± 0.020"),
        (Value(12.3456), "s", "12.3"),
        (Value(213.85, 4.0), "s", "214 ± 4"),
        (Value(4321.0), "ms", "4321"),
        (Value(0.0), "s", "0.00"),
    ],
)
def test_two_decimals_of_a_per_cent_and_three_digits_of_a_time(value, unit, words):
    assert shown(value, unit) == words
