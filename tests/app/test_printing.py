import json
from types import SimpleNamespace

import pytest
import typer

from crosslabel.app.predict import Prediction
from crosslabel.app.printing import PRINTERS, tell_skipped, user_errors

ROWS = [
    Prediction("a.png", "cat", 0.75, "dog", 0.2, warning="it is black").as_dict(),
    Prediction("b.png", problem="it is empty").as_dict(),
    Prediction("c.png", "cat").as_dict(),
]


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (ValueError("wrong value"), 1, "Error: wrong value\n"),
        (FileNotFoundError("no file"), 1, "Error: no file\n"),
        (ImportError("no extra"), 1, "Error: no extra\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
    ],
)
def test_a_users_mistake_is_one_sentence_and_a_status(capsys, error, status, told):
    with pytest.raises(typer.Exit) as caught, user_errors():
        raise error
    assert caught.value.exit_code == status
    assert capsys.readouterr() == ("", told)


def test_our_own_mistakes_are_not_hidden():
    with pytest.raises(ZeroDivisionError), user_errors():
        raise ZeroDivisionError


def test_the_first_skipped_files_are_named_and_all_are_counted(capsys):
    data = SimpleNamespace(skipped=[f"file {number}" for number in range(13)])
    tell_skipped(data, quiet=True)
    assert capsys.readouterr().err == ""
    tell_skipped(data, quiet=False)
    told = capsys.readouterr().err.splitlines()
    assert told[:10] == data.skipped[:10]
    assert told[10:] == ["… and 3 more.", "13 files or classes left out."]


def printed(form, capsys, quiet=False):
    printer = PRINTERS[form](quiet)
    for row in ROWS:
        printer.add(row)
    printer.close()
    return capsys.readouterr().out


def test_predictions_in_each_form(capsys):
    assert json.loads(printed("json", capsys)) == ROWS
    head, *rows = printed("csv", capsys).splitlines()
    assert head == "file,label,probability,runner_up,runner_up_probability,warning,problem"
    assert rows == [
        "a.png,cat,0.75,dog,0.2,it is black,",
        "b.png,,,,,,it is empty",
        "c.png,cat,,,,,",
    ]
    head, first, last = printed("table", capsys).splitlines()
    assert head.split() == ["file", "label", "probability", "runner-up"]
    assert first.split() == ["a.png", "cat", "75.0%", "dog", "(20.0%)"]
    assert last.split() == ["c.png", "cat"]
    assert len(printed("table", capsys, quiet=True).splitlines()) == 2


def test_rankings_in_each_form(capsys):
    ranking = [{"label": "cat", "probability": 0.75}, {"label": "dog", "probability": 0.2}]
    third = {"label": "cow", "probability": 0.05}
    rows = [
        Prediction("a.png", "cat", 0.75, "dog", 0.2, top=[*ranking, third]).as_dict(),
        Prediction("b.png", problem="it is empty", top=[]).as_dict(),
    ]
    for name in PRINTERS:
        printer = PRINTERS[name](False)
        for row in rows:
            printer.add(row)
        printer.close()
        out = capsys.readouterr().out
        if name == "json":
            assert json.loads(out) == rows
        elif name == "csv":
            head, first, second = out.splitlines()
            assert head.endswith(",warning,problem,top")
            assert first.endswith(',"cat (75.0%), dog (20.0%), cow (5.0%)"')
            assert second == "b.png,,,,,,it is empty,"
        else:
            assert out.splitlines()[1].endswith("75.0%  dog (20.0%), cow (5.0%)")


def test_a_spreadsheet_of_nothing_has_a_header(capsys):
    PRINTERS["csv"](False).close()
    assert capsys.readouterr().out.startswith("file,label,")


def test_nothing_that_a_stranger_named_commands_the_terminal_or_the_spreadsheet(capsys):
    row = Prediction("a\x1b[2J.png", "=cmd|x", 0.5, "\x1b]0;t\x07", 0.1).as_dict()
    for name in ("table", "csv"):
        printer = PRINTERS[name]()
        printer.add(row)
        printer.close()
        out = capsys.readouterr().out
        assert "\x1b" not in out
        assert name != "csv" or ",'=cmd|x," in out
    with pytest.raises(typer.Exit), user_errors():
        raise ValueError("a\x1b[31mb\nc")
    assert capsys.readouterr().err == "Error: a�[31mb\nc\n"
