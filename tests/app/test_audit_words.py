import json
import shutil

import pytest

from tests.app.command import run

from .conftest import CLASSES


@pytest.fixture
def mess(photos, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(photos, "photos")
    (tmp_path / "photos" / CLASSES[0] / "3.png").rename(tmp_path / "photos" / CLASSES[2] / "s.png")
    return tmp_path


def test_doubts_are_told_and_shown_and_nothing_is_moved(mess):
    done = run("audit", "photos", "--features", "pixels", "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert f"s.png: {CLASSES[0]}" in done.stdout.replace("\n", "")
    assert (mess / "audit.html").read_text().startswith("<!doctype html>")
    assert (mess / "photos" / CLASSES[2] / "s.png").exists()
    assert not (mess / "moves.csv").exists()


def test_moves_are_a_list_until_they_are_asked_for(mess):
    words = ("audit", "photos", "--features", "pixels", "--jobs", 1)
    done = run(*words, "--move", "--json", "--out", "a.html")
    told = json.loads(done.stdout)
    assert told["page"] == "a.html"
    assert told["suspects"][0]["file"].endswith("s.png")
    assert "moves are proposed in moves.csv" in done.stderr
    assert "--apply moves.csv" in done.stderr
    strayed = mess / "photos" / CLASSES[2] / "s.png"
    assert strayed.exists()
    lines = (mess / "moves.csv").read_text().splitlines()
    kept = [line for line in lines if line.startswith("from") or "s.png" in line]
    (mess / "moves.csv").write_text("\n".join(kept) + "\n")
    done = run("audit", "photos", "--apply", "moves.csv")
    assert done.stdout == "1 files were moved.\n"
    assert not strayed.exists()
    assert (mess / "photos" / CLASSES[0] / "s.png").exists()


def test_mistakes_are_told_before_the_work(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("audit", "/absent", "--out", "x.pdf")
    assert done.exit_code == 1
    assert "must end in one of .html" in done.stderr
    done = run("audit", table, "--move")
    assert done.exit_code == 1
    assert "only files that lie in one can be moved" in done.stderr
