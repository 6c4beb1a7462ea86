import sys

import pytest

from crosslabel.lazy import attach, declared, exported


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package `shelf` whose stub takes over `box`, which lists a name of `json.tool`."""
    for name, stub in [("box", "from json.tool import main as main\n"), ("shelf", "")]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "__init__.pyi").write_text(stub)
    (tmp_path / "shelf" / "__init__.pyi").write_text(
        "import os\nfrom box import *\nfrom json import dumps as dumps\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield str(tmp_path / "shelf" / "__init__.py")
    for name in ("box", "shelf"):
        sys.modules.pop(name, None)


def test_a_stub_lists_names_and_takes_over_those_of_other_packages(package):
    assert exported(package) == {"main": "json.tool", "dumps": "json"}


def test_a_name_comes_from_its_module_when_it_is_asked_for(package):
    sys.modules.pop("json.tool", None)
    load, names, everything = attach("shelf", package)
    assert "json.tool" not in sys.modules
    assert load("main") is sys.modules["json.tool"].main
    assert names() == everything == ["dumps", "main"]


def test_an_unknown_name_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match="module 'shelf' has no attribute 'nothing'"):
        attach("shelf", package)[0]("nothing")


def test_what_the_listed_modules_declare_is_found_in_their_order(tmp_path, monkeypatch):
    root = tmp_path / "drawer"
    root.mkdir()
    lines = {"b": "TOOL = 1\n", "a": "TOOL = 2\n", "c": "", "d": "TOOL = 'no number'\n"}
    for name, line in lines.items():
        (root / f"{name}.py").write_text(f"{line}load_{name} = make_{name} = None\n")
    (root / "__init__.py").write_text("")
    stub = [f"from drawer.{name} import load_{name} as load_{name}\n" for name in "bcd"]
    stub += ["from drawer.a import make_a as make_a\n", "from drawer.b import make_b as make_b\n"]
    (root / "__init__.pyi").write_text("".join(stub))
    monkeypatch.syspath_prepend(tmp_path)
    assert declared("drawer", "TOOL", int) == [1, 2]
    assert declared("drawer", "TOOL", int, prefix="load_") == [1]
    assert declared("drawer", "TOOL", str) == ["no number"]
    for name in [name for name in sys.modules if name.partition(".")[0] == "drawer"]:
        del sys.modules[name]
