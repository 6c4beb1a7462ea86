from crosslabel.lab.report.html_tables import PROSE, plain_table


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
