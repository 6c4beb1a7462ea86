import json
from types import SimpleNamespace

import pytest
import typer

from crosslabel.app.printing import PRINTERS, tell_skipped, user_errors

ROWS = [
    {"file": "a.png", "label": "cat", "runner_up": "dog", "margin": 0.25},
    {"file": "b.png", "label": None, "problem": "it is empty"},
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


def printed(form, capsys):
    printer = PRINTERS[form]()
    for row in ROWS:
        printer.add(row)
    printer.close()
    return capsys.readouterr().out


def test_predictions_in_each_form(capsys):
    assert json.loads(printed("json", capsys)) == ROWS
    head, first, second = printed("csv", capsys).splitlines()
    assert head == "file,label,runner_up,margin,problem"
    assert (first, second) == ("a.png,cat,dog,0.25,", "b.png,,,,it is empty")
    (line,) = printed("table", capsys).splitlines()
    assert line.split() == ["a.png", "cat", "(dog", "by", "0.25)"]
