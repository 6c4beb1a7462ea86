"""The source keeps to the design: every figure of `python -m tools.house` is within its bar."""

import pytest
from tools import house, visits
from tools.source_tree import FLOW, SourceTree


@pytest.fixture(scope="module")
def figures():
    return house.figures(SourceTree(house.ROOT))


@pytest.mark.parametrize("what", house.BARS)
def test_the_figure_is_within_its_bar(figures, what):
    value, found = figures[what]
    over = value > house.BARS[what]
    assert not over, "\n".join([f"{what}: {value:.4g}, at most {house.BARS[what]}", *found])


def test_every_figure_has_a_bar(figures):
    assert set(figures) == set(house.BARS)


def test_every_room_is_in_the_flow_and_no_two_rooms_import_each_other():
    tree = SourceTree(house.ROOT)
    folders = {name.split(".")[1] for name in tree.modules if name.count(".") > 1}
    assert folders == {room.split(".")[0] for room in FLOW}
    for room, sources in FLOW.items():
        assert room not in sources
        assert all(room not in FLOW[source] for source in sources)


@pytest.fixture
def tree(tmp_path):
    """A function that writes a small package and reads it: texts by paths below the package."""

    def write(**texts):
        for path, text in {"": "", **texts}.items():
            parts = path.split("__") if path else []
            place = tmp_path.joinpath("src", "crosslabel", *parts[:-1])
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{parts[-1] if parts else '__init__'}.py").write_text(text)
        return SourceTree(tmp_path)

    return write


def test_imports_are_followed_to_the_module_that_defines(tree):
    source = tree(
        core__x="x = 1",
        core__y="from .x import x\nimport crosslabel.core.z",
        core__z="def late():\n    from crosslabel.core import x",
        app__a="from crosslabel import Name\nimport numpy",
        flagship__model="class Name: pass",
    )
    package = source.root / "src" / "crosslabel"
    (package / "flagship" / "__init__.py").touch()
    (package / "__init__.pyi").write_text("from crosslabel.flagship import *")
    (package / "flagship" / "__init__.pyi").write_text(
        "from crosslabel.flagship.model import Name as Name"
    )
    found = {each[:3] for each in SourceTree(source.root).imports}
    assert found == {
        ("crosslabel.core.y", "crosslabel.core.x", "x"),
        ("crosslabel.core.y", "crosslabel.core.z", ""),
        ("crosslabel.core.z", "crosslabel.core.x", "x"),
        ("crosslabel.app.a", "crosslabel.flagship.model", "Name"),
    }


def test_imports_against_the_flow(tree):
    source = tree(
        core__x="from crosslabel.intake.y import a",
        intake__y="from crosslabel.core.x import b",
        files__z="from crosslabel.files.onnx.w import c",
        files__onnx__w="from crosslabel.intake.y import a",
    )
    assert house.against_the_flow(source) == [
        "crosslabel.core.x:1 imports crosslabel.intake.y",
        "crosslabel.files.z:1 imports crosslabel.files.onnx.w",
    ]


def test_what_is_foreign_to_the_core(tree):
    source = tree(
        core__x="import numpy as np\nfrom scipy.linalg import svd\nfrom sklearn.base import clone",
        core__gpu__y="import torch",
        methods__z="import sklearn",
    )
    assert house.foreign_to_the_core(source) == [
        "crosslabel.core.x:3 from sklearn.base import clone"
    ]


def test_cycles(tree):
    source = tree(
        core__a="from crosslabel.core.b import x",
        core__b="def f():\n    from crosslabel.core.c import x",
        core__c="from crosslabel.core.a import x",
        core__d="from crosslabel.core.a import x",
    )
    assert house.cycles(source) == ["crosslabel.core.a <-> crosslabel.core.b <-> crosslabel.core.c"]


def test_private_names(tree):
    source = tree(
        core__a="_x = 1\nclass A:\n    def _f(self): self._g = 1",
        core__b="from crosslabel.core.a import _x, A\nA()._f()\nA()._other()",
        core__c="class C:\n    def _f(self): return self._g\nC()._f()\nC().__doc__",
    )
    assert house.private_names(source) == ["crosslabel.core.b:1 imports crosslabel.core.a._x"]
    assert house.private_attributes(source) == ["crosslabel.core.b:2 uses A()._f"]


def test_lines_of_functions_without_their_docstrings(tree):
    source = tree(
        core__a='def f(\n    x,\n):\n    """One.\n\n    Two.\n    """\n    return x\n',
        core__b='async def g():\n    """Alone."""\n',
        core__c="def h():\n    x = 1\n    return x\n",
    )
    assert house.functions(source) == [
        (4, "crosslabel.core.a:1 f"),
        (3, "crosslabel.core.c:1 h"),
        (1, "crosslabel.core.b:1 g"),
    ]
    assert house.files(source)[0] == (8, "crosslabel.core.a")


def test_any_and_imports_inside_functions(tree):
    source = tree(
        core__a="from typing import Any\ndef f(x: Any, y: dict[str, Any]) -> None:\n    'Any'",
        core__b=(
            "import numpy\ndef f():\n    def g():\n        import torch, os\n"
            "    from crosslabel.core import a\n    from . import a"
        ),
    )
    assert house.any_mentions(source) == {"crosslabel.core.a": 3}
    assert house.inner_imports(source) == (
        [
            "crosslabel.core.b:5 from crosslabel.core import a",
            "crosslabel.core.b:6 from . import a",
        ],
        ["crosslabel.core.b:4 import torch, os"],
    )


def test_mirror_tests_and_nouns(tree):
    source = tree(core__a="class A: pass", core__gpu__a="class A: pass\nclass B: pass", _version="")
    (source.root / "tests" / "core").mkdir(parents=True)
    (source.root / "tests" / "core" / "test_a.py").touch()
    assert house.without_test(source) == ["crosslabel.core.gpu.a"]
    assert house.nouns_defined_twice(source) == ["A: crosslabel.core.a, crosslabel.core.gpu.a"]


def test_files_that_an_action_visits():
    from crosslabel.core.atoms import AtomLayout

    assert visits.visited(lambda: None) == []
    assert "core/atoms.py" in visits.visited(lambda: AtomLayout(1, (2, 1)).labels)


def test_the_table_says_what_is_over(monkeypatch, capsys):
    made = {"few": house.Figure(2, ["a"]), "many": house.Figure(4, ["b", "c"])}
    monkeypatch.setattr(house, "BARS", {"few": 3, "many": 3})
    monkeypatch.setattr(house, "figures", lambda source: made)
    house.main(details=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["few", "2", "3"],
        ["a"],
        ["many", "4", "3", "over"],
        ["b"],
        ["c"],
    ]
