import sys
from pathlib import Path

import pytest
from tools import machines
from tools.machines import Machine

HERE = Path(sys.executable)


def executable(place, lines):
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("#!/bin/sh\n" + lines)
    place.chmod(0o755)


def test_the_newest_python_of_each_version_is_found_and_old_and_broken_ones_are_not(tmp_path):
    for name, version in {"a/python3.12": "3 12 1", "b/python3.12": "3 12 4"}.items():
        executable(tmp_path / name, f"echo {version}")
    executable(tmp_path / "a/python3.10", "echo 3 10 9")
    executable(tmp_path / "a/python3.13-config", "echo 3 13 0")
    executable(tmp_path / "b/python3.14", "exit 1")
    found = machines.pythons([tmp_path / "a", tmp_path / "b", tmp_path / "absent"])
    assert found == {(3, 12): tmp_path / "b/python3.12"}


def test_a_kernel_is_listed_once_by_its_own_name(monkeypatch):
    taken = {"Core2": ["Katmai"], "Prescott": ["Katmai"], "Haswell": ["Haswell"]}
    taken |= {"Zen": ["Haswell"], "SkylakeX": ["Haswell"], "Nehalem": ["Nehalem", "Haswell"]}

    def probe(python, variables):
        name = variables.get("OPENBLAS_CORETYPE")
        return {"kernels": taken.get(name, []), "dispatched": ["AVX2", "AVX512F"]}

    monkeypatch.setattr(machines, "probe", probe)
    assert machines.kernels(HERE) == {
        "Katmai": "Prescott",
        "Nehalem": "Nehalem",
        "Haswell": "Haswell",
    }
    *kernels, plain = machines.pretended(HERE)
    assert [each.variables["OPENBLAS_CORETYPE"] for each in kernels] == [
        "Prescott",
        "Nehalem",
        "Haswell",
    ]
    assert plain.name == "NumPy without AVX2 AVX512F"
    assert plain.variables["NPY_DISABLE_CPU_FEATURES"] == "AVX2 AVX512F"
    assert plain.variables["OPENBLAS_CORETYPE"] == "Prescott"


def test_a_machine_is_what_it_pretends_to_be():
    dispatched = machines.probe(HERE, {})["dispatched"]
    plain = machines.probe(HERE, {"NPY_DISABLE_CPU_FEATURES": " ".join(dispatched)})
    assert plain["dispatched"] == []
    assert machines.probe(Path("/bin/false"), {}) == {"kernels": [], "dispatched": []}


def test_variables_of_this_process_do_not_reach_a_machine(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    found = machines.environment({"NPY_DISABLE_CPU_FEATURES": "AVX2"})
    assert "OPENBLAS_CORETYPE" not in found
    assert found["NPY_DISABLE_CPU_FEATURES"] == "AVX2"
    assert found["PYTHONPATH"] == str(machines.ROOT / "src")


@pytest.mark.parametrize(("value", "word"), [("Nehalem", "1 passed"), ("Zen", "1 failed")])
def test_a_run_says_whether_the_tests_passed(tmp_path, value, word):
    test = tmp_path / "test_it.py"
    test.write_text("import os\ndef test_it():\n    assert os.environ['PRETENCE'] == 'Nehalem'\n")
    machine = Machine("a kernel", HERE, {"PRETENCE": value})
    outcome = machines.run(machine, [str(test)], tmp_path / "logs", jobs=1)
    assert outcome.passed == (value == "Nehalem")
    assert word in outcome.summary
    assert word in (tmp_path / "logs" / "a-kernel.log").read_text()


def test_an_environment_that_cannot_be_made_is_a_failure(tmp_path):
    executable(tmp_path / "python3.12", "echo no module named venv; exit 1")
    machine = Machine("Python 3.12", tmp_path / "python3.12", own_environment=True)
    outcome = machines.run(machine, [], tmp_path, jobs=1)
    assert not outcome.passed
    assert "could not be made" in outcome.summary
    assert "no module named venv" in outcome.log.read_text()


def test_one_line_per_machine_and_the_number_of_failures(monkeypatch, capsys, tmp_path):
    known = [Machine("kernel A", HERE), Machine("kernel B", HERE, {"X": "1"}), Machine("C", HERE)]
    monkeypatch.setattr(machines, "machines", lambda: known)
    asked = []

    def run(machine, tests, folder, jobs):
        asked.append((machine.name, tests))
        return machines.Outcome(machine.name == "kernel A", "some passed", tmp_path / "log")

    monkeypatch.setattr(machines, "run", run)
    monkeypatch.setattr(sys, "argv", ["machines", "--only", "KERNEL", "--tests", "a", "b"])
    assert machines.main() == 1
    assert asked == [("kernel A", ["a", "b"]), ("kernel B", ["a", "b"])]
    first, second = capsys.readouterr().out.splitlines()
    assert first.split()[:3] == ["ok", "kernel", "A"]
    assert second.split()[:3] == ["FAILED", "kernel", "B"]
    monkeypatch.setattr(sys, "argv", ["machines", "--list"])
    assert machines.main() == 0
    assert len(asked) == 2
    assert "X='1'" in capsys.readouterr().out
