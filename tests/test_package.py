"""What a newcomer meets first: the README's code, the examples in docstrings, a light import."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import crosslabel

ROOT = Path(__file__).parent.parent


def test_the_readmes_python_works_when_pasted(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    accuracy = re.match(r"accuracy (0\.\d+)", capsys.readouterr().out)
    assert float(accuracy[1]) > 0.97


@pytest.mark.parametrize("name", ["CrossLabelClassifier", "CrossLabelClassifierCV"])
def test_docstring_examples_hold(name):
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    tests = finder.find(getattr(crosslabel, name), name)
    assert any(test.examples for test in tests)
    assert sum(runner.run(test).failed for test in tests) == 0


def test_importing_the_package_loads_nothing_heavy_beyond_scikit_learns_own():
    heavy = {"matplotlib", "typer", "PIL", "torch", "h5py", "av", "skops", "pooch"}
    command = (
        "import sys, sklearn.linear_model; before = set(sys.modules); import crosslabel;"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
    assert not heavy & set(done.stdout.decode().split())


def test_every_public_name_is_there():
    assert all(hasattr(crosslabel, name) for name in crosslabel.__all__)
