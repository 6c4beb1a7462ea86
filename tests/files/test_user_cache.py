from pathlib import Path

from crosslabel.files.user_cache import user_cache


def test_it_lies_where_the_variable_says_or_at_home(monkeypatch):
    monkeypatch.setenv("CROSSLABEL_CACHE", "/somewhere")
    assert user_cache("networks", "a.onnx") == Path("/somewhere/networks/a.onnx")
    monkeypatch.delenv("CROSSLABEL_CACHE")
    assert user_cache() == Path.home() / ".cache" / "crosslabel"
