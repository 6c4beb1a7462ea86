from crosslabel.lab.report.content import Section, Table, TableEntry, TableRow, Value


def table(*verdicts):
    entries = tuple(TableEntry(Value(90.0), Value(91.0), verdict) for verdict in verdicts)
    columns = tuple(f"c{number}" for number in range(len(verdicts)))
    return Table("t", "Faces", "accuracy", columns, (TableRow("GCC", entries, flagship=True),))


def test_entries_are_walked_with_their_row_and_column():
    made = table("above", "")
    walked = [(row.method, column, entry.verdict) for row, column, entry in made.entries()]
    assert walked == [("GCC", "c0", "above"), ("GCC", "c1", "")]
    assert made.whole_title == "Faces: accuracy"


def test_verdicts_are_counted_over_all_tables():
    section = Section("t", "Faces", tables=(table("above", "below", ""), table("above", "within")))
    assert section.verdicts() == {"above": 2, "within": 1, "below": 1}
    assert Section("t", "Faces").verdicts() == {"above": 0, "within": 0, "below": 0}
