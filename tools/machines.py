"""Does the suite pass on other machines? Runs it as far as this one can pretend to be them.

A machine here is a Python, a BLAS kernel, and the vector instructions that NumPy may use:

- each kernel that OpenBLAS can run on this processor, asked for by `OPENBLAS_CORETYPE`;
- the oldest of them with the instructions off that NumPy and torch choose at run time;
- each other Python from 3.11 up that is installed, in an environment of its own below `--folder`.

Run: python -m tools.machines [--list] [--only WORD ...] [--tests PATH ...]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = Path("/var/tmp/crosslabel-machines")
OLDEST_PYTHON = (3, 11)

# Names that OpenBLAS knows, of x86 and of ARM, oldest first. For one that the processor cannot run,
# and for one that this build lacks, it takes another: which one it took is asked afterwards.
KERNELS = (
    *("Prescott", "Core2", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX", "Cooperlake"),
    *("SapphireRapids", "ARMV8", "CortexA53", "CortexA57", "CortexA72", "ThunderX2T99"),
    *("NeoverseN1", "NeoverseV1", "NeoverseN2"),
)

# Prints what a machine is: the kernels that multiplied, and the instructions that NumPy dispatches.
PROBE = """
import json, numpy, scipy.linalg, threadpoolctl
try:
    from numpy._core import _multiarray_umath as numpy_core
except ImportError:  # before NumPy 2
    from numpy.core import _multiarray_umath as numpy_core
A = numpy.random.default_rng(0).random((64, 64))
scipy.linalg.cholesky(A @ A.T + numpy.eye(64))
kernels = {each.get("architecture") for each in threadpoolctl.threadpool_info()} - {None}
has = numpy_core.__cpu_features__
dispatched = [name for name in numpy_core.__cpu_dispatch__ if has.get(name)]
print(json.dumps({"kernels": sorted(kernels), "dispatched": dispatched}))
"""


@dataclass(frozen=True)
class Machine:
    """A Python, and the variables that make it another machine.

    Attributes
    ----------
    name : str
    python : Path
    variables : dict
    own_environment : bool
        Whether the packages are still to be installed for this Python.
    """

    name: str
    python: Path
    variables: dict[str, str] = field(default_factory=dict)
    own_environment: bool = False


class Outcome(NamedTuple):
    """How the suite did on one machine."""

    passed: bool
    summary: str
    log: Path


def environment(variables: dict[str, str]) -> dict[str, str]:
    """Variables of a machine's processes: this checkout, one thread, and no other pretence."""
    kept = dict(os.environ)
    for name in ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "ATEN_CPU_CAPABILITY"):
        kept.pop(name, None)
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return kept | {"PYTHONPATH": str(ROOT / "src")} | threads | variables


def probe(python: Path, variables: dict[str, str]) -> dict[str, list[str]]:
    """What a machine finds itself to be; nothing where it does not live to tell."""
    done = subprocess.run(
        [python, "-c", PROBE],
        env=environment(variables),
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(done.stdout) if done.returncode == 0 else {"kernels": [], "dispatched": []}


def kernels(python: Path) -> dict[str, str]:
    """Kernels that this processor can run, oldest first, with the name to ask for each."""
    found: dict[str, str] = {}
    for name in KERNELS:
        for kernel in probe(python, {"OPENBLAS_CORETYPE": name})["kernels"]:
            # The kernel's own name, where there is one, rather than that of a relative.
            if kernel not in found or kernel.lower() == name.lower():
                found[kernel] = name
    return found


def pretended(python: Path) -> Iterator[Machine]:
    """The machines that one Python can pretend to be."""
    available = kernels(python)
    for name in available.values():
        yield Machine(f"kernel {name}", python, {"OPENBLAS_CORETYPE": name})
    dispatched = " ".join(probe(python, {})["dispatched"])
    if dispatched:
        plain = {"NPY_DISABLE_CPU_FEATURES": dispatched, "ATEN_CPU_CAPABILITY": "default"}
        if available:
            plain["OPENBLAS_CORETYPE"] = next(iter(available.values()))
        yield Machine(f"NumPy without {dispatched}", python, plain)


def pythons(folders: Iterable[Path]) -> dict[tuple[int, ...], Path]:
    """The newest Python of each minor version from 3.11 up that lies in one of the folders."""
    found: dict[tuple[int, ...], tuple[tuple[int, ...], Path]] = {}
    places = (place for folder in folders for place in sorted(folder.glob("python3.*")))
    for place in places:
        if not re.fullmatch(r"python3\.\d+", place.name):
            continue
        version = version_of(place)
        minor = version[:2]
        if minor >= OLDEST_PYTHON and (minor not in found or version > found[minor][0]):
            found[minor] = version, place
    return {minor: place for minor, (_, place) in sorted(found.items())}


def version_of(python: Path) -> tuple[int, ...]:
    """Major, minor and micro version; zero for what does not run, as a shim of a version gone."""
    ask = "import sys; print(*sys.version_info[:3])"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else (0, 0, 0)


def machines() -> Iterator[Machine]:
    """All that this computer can pretend to be."""
    yield from pretended(Path(sys.executable))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [*map(Path, os.get_exec_path()), *sorted(pyenv.glob("*/bin"))]
    for minor, python in pythons(folders).items():
        if minor != sys.version_info[:2]:
            yield Machine("Python " + ".".join(map(str, minor)), python, own_environment=True)


def installed(machine: Machine, folder: Path, output: IO[str]) -> Path:
    """The Python of an environment with all that the tests need; made anew when pyproject.toml is.

    Raises
    ------
    subprocess.CalledProcessError
        Where a package cannot be installed; `output` says why.
    """
    if not machine.own_environment:
        return machine.python
    home = folder / machine.name.replace(" ", "-").lower()
    python, stamp = home / "bin" / "python", home / "pyproject.toml"
    wanted = (ROOT / "pyproject.toml").read_bytes()
    if not stamp.exists() or stamp.read_bytes() != wanted:
        packages = ["--disable-pip-version-check", "--editable", f"{ROOT}[dev]"]
        for start, module in (
            (machine.python, ["venv", "--clear", str(home)]),
            (python, ["pip", "install", *packages]),
        ):
            command = [str(start), "-m", *module]
            subprocess.run(command, check=True, stdout=output, stderr=subprocess.STDOUT)
        stamp.write_bytes(wanted)
    return python


def run(machine: Machine, tests: list[str], folder: Path, jobs: int) -> Outcome:
    """The suite on one machine; its whole output goes into a file."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / (re.sub(r"\W+", "-", machine.name).lower() + ".log")
    workers = ["-n", str(jobs)] if jobs > 1 else []
    with log.open("w") as output:
        try:
            python = installed(machine, folder, output)
        except subprocess.CalledProcessError:
            return Outcome(False, "its environment could not be made", log)
        done = subprocess.run(
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *workers, *tests],
            cwd=ROOT,
            env=environment(machine.variables),
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    last = log.read_text(errors="replace").splitlines()[-1:]
    return Outcome(done.returncode == 0, "".join(last).strip("= "), log)


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="name the machines, run nothing")
    parser.add_argument("--only", nargs="+", default=[""], help="machines with one of these words")
    parser.add_argument("--tests", nargs="+", default=[], help="files or folders; default all")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="environments and logs")
    parser.add_argument("--jobs", type=int, default=2, help="tests that run at a time")
    return parser.parse_args()


def main() -> int:
    """One line per machine; how many of them a test failed on."""
    wanted = arguments()
    failed = 0
    for machine in machines():
        if not any(word.lower() in machine.name.lower() for word in wanted.only):
            continue
        if wanted.list:
            asked = [f"{name}={value!r}" for name, value in machine.variables.items()]
            print(f"{machine.name:<46}", *asked, machine.python)
            continue
        began = time.monotonic()
        outcome = run(machine, wanted.tests, wanted.folder, wanted.jobs)
        word = "ok" if outcome.passed else "FAILED"
        took = f"{time.monotonic() - began:.0f} s"
        print(f"{word:<7}{machine.name:<46}{outcome.summary} [{took}, {outcome.log}]", flush=True)
        failed += not outcome.passed
    return failed


if __name__ == "__main__":
    sys.exit(min(main(), 1))
