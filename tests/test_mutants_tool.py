"""The mutation run: which changes it makes, which it leaves alone, and what it says of a suite."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[1] / "tools"
BARE = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # the projects here need no plugin

SOURCE = '''"""A mean: 1 + 1."""

def power(x, scale=2.0):
    """Σ x / n, times 1."""
    if scale < 0:
        raise ValueError(f"scale={scale - 1}")
    return scale * sum(x) / len(x)
'''

WEAK = """
import pytest
from crosslabel.core.power import power

def test_one():
    assert power([1.0, 1.0], 1.0) == 1.0
"""

STRONG = (
    WEAK
    + """
def test_more():
    assert power([1.0, 2.0, 3.0], 3.0) == 6.0
    assert power([1.0, 2.0], 0.0) == 0.0

def test_refuses():
    with pytest.raises(ValueError, match="scale"):
        power([1.0], -0.5)
"""
)


@pytest.fixture
def mutations(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    import mutations

    return mutations


def changes(mutations, source):
    return [mutation for _, _, mutation in mutations.mutants_of(source)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a + b", ["a + b → a - b", "a + b → a", "a + b → b"]),
        ("a - b", ["a - b → a + b", "a - b → a", "a - b → -b"]),
        ("a @ b.T", ["a @ b.T → a * b.T", "a @ b.T → a", "a @ b.T → b.T", "b.T → b"]),
        ("-a", ["-a → a"]),
        ("x[-1]", ["-1 → 1"]),
        ("a < b", ["a < b → a <= b", "a < b → a >= b"]),
        ("a >= b", ["a >= b → a > b", "a >= b → a < b"]),
        ("a += b", ["a += b → a -= b", "a += b → pass"]),
        ("x.max(axis=1)", ["x.max(axis=1) → x.min(axis=1)", "1 → 0"]),
        ("max(a, 1e-9)", ["max(a, 1e-09) → min(a, 1e-09)", "1e-09 → 1e-06"]),
        ("x.shape[1]", ["1 → 0"]),
        ("x.mean()", ["x.mean() → x.sum()"]),
        ("a and not b", ["a and (not b) → a or not b", "not b → b"]),
        ("np.sqrt(a)", ["np.sqrt(a) → a"]),
        ("a**3", ["a ** 3 → a * 3", "a ** 3 → a", "3 → 4"]),
    ],
)
def test_the_changes_of_an_expression(mutations, line, expected):
    assert changes(mutations, line) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""1 + 1"""',
        "def f(a: Array | None = 1 + 1) -> A | B: ...",
        "raise ValueError(1 + 1)",
        "assert a < b",
        "with threads_for(2.0 * n): ...",
        "warnings.warn('a', stacklevel=2)",
        "name = 'a' + b",
        "Kind = Array | None",
        "print(f'{a + b}')",
        "def __repr__(self): return 1 + 1",
        "found = True",
        "class Settings:\n    ridge: float = 8e-3",
    ],
)
def test_nothing_is_changed_where_no_result_could(mutations, source):
    assert changes(mutations, source) == []


def test_a_numbered_change_is_the_one_listed(mutations):
    found = mutations.mutants_of(SOURCE)
    original = ast.unparse(ast.parse(SOURCE))
    trees = [ast.unparse(mutations.mutated(SOURCE, n)) for n in range(len(found))]
    assert len({original, *trees}) == len(trees) + 1
    for (line, text, mutation), tree in zip(found, trees):
        assert SOURCE.splitlines()[line - 1].strip() == text
        old, new = mutation.split(" → ")
        assert tree == original.replace(old, new) or new in tree
    with pytest.raises(IndexError):
        mutations.mutated(SOURCE, len(found))


def project(folder, tests, declared=""):
    """A package of one module and its mirror test."""
    for path, text in {
        "src/crosslabel/__init__.py": "",
        "src/crosslabel/core/__init__.py": "",
        "src/crosslabel/core/power.py": SOURCE,
        "tests/core/test_power.py": tests,
        "tools/mutants.toml": declared,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def run(folder, *options):
    command = [sys.executable, str(TOOLS / "mutants.py"), "--root", str(folder)]
    record = ["--record", str(folder / "record.json")]
    done = subprocess.run(
        [*command, *record, *options], capture_output=True, text=True, cwd=folder, env=BARE
    )
    return done.returncode, done.stdout + done.stderr


def test_a_strong_suite_kills_all_and_a_weak_one_does_not(tmp_path):
    project(tmp_path, WEAK)
    code, text = run(tmp_path)
    assert code == 1
    assert "survived: core/power.py:7:" in text
    assert "sum(x) / len(x) → scale" not in text  # this one the weak suite notices too
    project(tmp_path, STRONG)
    code, text = run(tmp_path, "--survivors")
    assert "survived:" not in text
    assert (code, text.split()[-1]) == (0, "100.0%")


def test_the_record_is_resumed_and_dropped_when_the_tests_change(tmp_path):
    project(tmp_path, STRONG)
    sample = ["--sample", "2"]
    run(tmp_path, *sample)
    record = json.loads((tmp_path / "record.json").read_text())
    results = record["core/power.py"]["results"]
    assert list(results.values()) == ["killed"] * 2
    results[next(iter(results))] = "survived"
    (tmp_path / "record.json").write_text(json.dumps(record))
    assert "survived:" in run(tmp_path, *sample)[1]  # taken from the record, not run again
    project(tmp_path, STRONG + "\n")
    assert "survived:" not in run(tmp_path, *sample)[1]


def test_a_listed_survivor_is_left_out_until_its_line_changes(tmp_path):
    entry = (
        '[[equivalent]]\nfile = "core/power.py"\nline = "if scale < 0:"\nmutations = ["{}"]\n'
        'reason = "zero times anything is zero"\n'
    )
    project(tmp_path, WEAK, entry.format("scale < 0 → scale <= 0"))
    assert "scale <= 0" not in run(tmp_path, "--list")[1]
    project(tmp_path, WEAK, entry.format("scale < 5 → scale <= 5"))
    code, text = run(tmp_path, "--list")
    assert code == 1
    assert "lists mutants that are no more" in text


def test_a_listed_change_is_found_with_the_parentheses_of_another_python(tmp_path):
    entry = (
        '[[equivalent]]\nfile = "core/power.py"\nline = "return scale * sum(x) / len(x)"\n'
        'mutations = ["(scale * sum(x)) → scale / (sum(x))"]\nreason = "none"\n'
    )
    project(tmp_path, WEAK, entry)
    code, text = run(tmp_path, "--list")
    assert code == 0
    assert "scale * sum(x) → scale / sum(x)" not in text
    assert "scale * sum(x) → scale\n" in text


def test_an_endless_mutant_is_ended_and_one_without_tests_survives(tmp_path):
    declared = '[further]\n"core/other.py" = ["tests/core/test_power.py"]\n'
    tests = "from crosslabel.core.power import down\ndef test(): assert down(3) == 0\n"
    project(tmp_path, tests, declared)
    core = tmp_path / "src/crosslabel/core"
    (core / "power.py").write_text(
        "from crosslabel.core.other import last\n\n"
        "def down(n):\n    while n > last:\n        n -= 1\n    return n\n"
    )
    (core / "other.py").write_text("last = 0\n")
    (core / "bare.py").write_text("x = 1 + a\n")
    code, text = run(tmp_path, "--least", "0", "--jobs", "2")
    assert code == 1
    assert "untested: core/bare.py:1: x = 1 + a" in text
    record = json.loads((tmp_path / "record.json").read_text())
    results = record["core/power.py"]["results"]
    assert results["n -= 1 | n -= 1 → pass | 0"] == "timeout"
    assert results["while n > last: | n > last → n >= last | 0"] == "killed"
    assert record["core/other.py"]["results"] == {"last = 0 | 0 → 1 | 0": "killed by further tests"}


def test_what_runs_at_import_and_what_is_imported_anew_are_changed_too(tmp_path):
    tests = """
import importlib, sys
from crosslabel.core.power import SCALE, Half, power, outer, early

def test_the_constant_and_what_was_made_of_it():
    assert (SCALE, power(3.0), early) == (2, 6.0, 5)

def test_the_property():
    assert Half(3.0).value == 1.5

def test_the_inner_function_of_the_module_imported_anew():
    del sys.modules["crosslabel.core.power"]
    assert importlib.import_module("crosslabel.core.power").outer(2)(3) == 5
"""
    project(tmp_path, tests)
    (tmp_path / "src/crosslabel/core/power.py").write_text(
        "SCALE = 2\n\ndef power(x):\n    return SCALE * x\n\n"
        "def outer(a):\n    def inner(b):\n        return a + b\n    return inner\n\n"
        "early = outer(2)(3)\n\n"
        "class Half:\n    def __init__(self, x):\n        self.x = x\n\n"
        "    @property\n    def value(self):\n        return self.x / 2\n"
    )
    code, text = run(tmp_path)
    assert "survived:" not in text
    assert (code, text.split()[-1]) == (0, "100.0%")


def test_a_test_that_fails_by_itself_notices_nothing(tmp_path):
    project(tmp_path, WEAK + "\ndef test_broken(): assert power([1.0, 2.0]) == 0\n")
    code, text = run(tmp_path)
    assert code == 1
    assert "test_power.py::test_broken fails with nothing changed" in text
    assert "survived: core/power.py:7:" in text
    results = json.loads((tmp_path / "record.json").read_text())["core/power.py"]["results"]
    assert set(results.values()) == {"killed", "survived"}


def test_nor_does_it_where_the_module_is_imported_anew(tmp_path):
    tests = "from crosslabel.core.power import SCALE\n\ndef test_broken(): assert SCALE == 7\n"
    project(tmp_path, tests)
    (tmp_path / "src/crosslabel/core/power.py").write_text("SCALE = 2\n")
    code, text = run(tmp_path)
    assert code == 1
    assert "test_power.py::test_broken fails with nothing changed" in text
    assert "survived: core/power.py:1: SCALE = 2" in text


def test_a_sample_is_the_same_for_the_same_seed(tmp_path):
    project(tmp_path, STRONG)
    first = run(tmp_path, "--list", "--sample", "5", "--seed", "3")
    assert first == run(tmp_path, "--list", "--sample", "5", "--seed", "3")
    assert first[1].count("→") == 5
    assert first != run(tmp_path, "--list", "--sample", "5", "--seed", "4")
    larger = run(tmp_path, "--list", "--sample", "7", "--seed", "3")
    assert set(first[1].splitlines()) < set(larger[1].splitlines())


def test_a_suite_that_fails_by_itself_is_refused(tmp_path):
    project(tmp_path, "def test(): assert False\n")
    code, text = run(tmp_path)
    assert code == 1
    assert "tests/core/test_power.py fails with nothing changed" in text


def test_a_silent_child_has_its_seconds_in_single_waits(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    import mutant_server

    def silent(answer):
        os.setsid()
        print("begun", file=answer, flush=True)
        time.sleep(600)

    def select(read, write, other, seconds):
        """The first answer comes; then the time of each wait is over at once."""
        waits.append(seconds)
        return real(read, write, other, seconds if len(waits) == 1 else 0)

    real, waits = mutant_server.select, []
    pid, read = mutant_server.fork(silent)
    monkeypatch.setattr(mutant_server, "select", select)
    status, said = mutant_server.ended(pid, read, 30)
    assert (status, said) == (-signal.SIGKILL, "begun\n")
    assert waits[-30:] == [1.0] * 30  # a clock that jumps in one of them takes away no more than it
