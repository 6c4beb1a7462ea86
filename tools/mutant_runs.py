"""Children that run tests with one change: forked, so that libraries are imported once.

The limits on time and memory are those of Unix; so is the fork.
"""

from __future__ import annotations

import ast
import gc
import importlib
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import chain
from pathlib import Path
from types import CodeType

from mutations import mutants_of, mutated

MEMORY = 4 * 2**30
"""Bytes that a mutant may take beyond what this process has."""
NOTICED = ("killed", "killed by further tests", "timeout")


@dataclass(frozen=True)
class Mutant:
    """One change: the `number`-th of a file, on a line of this text."""

    file: str
    number: int
    line: int
    text: str
    mutation: str
    again: int
    """How many mutants of the file before this one have the same text and mutation."""

    @property
    def key(self) -> str:
        """What names it in the record."""
        return f"{self.text} | {self.mutation} | {self.again}"

    @property
    def described(self) -> str:
        """Where it is and what it changes."""
        return f"{self.file}:{self.line}: {self.text}\n    {self.mutation}"


@dataclass
class Module:
    """A file, its tests, and what is known of its mutants."""

    root: Path
    file: str
    further: list[str]
    mutants: list[Mutant] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """Processor time of the mirror test, and with the further ones, where nothing is changed."""

    def __post_init__(self) -> None:
        seen: Counter[tuple[str, str]] = Counter()
        for number, (line, text, mutation) in enumerate(mutants_of(self.source)):
            again = seen[text, mutation]
            seen[text, mutation] += 1
            self.mutants.append(Mutant(self.file, number, line, text, mutation, again))

    @property
    def path(self) -> Path:
        """Where the source lies."""
        return self.root / "src" / "crosslabel" / self.file

    @property
    def source(self) -> str:
        """The file as it is."""
        return self.path.read_text()

    @property
    def name(self) -> str:
        """By which Python imports it."""
        return ".".join(["crosslabel", *Path(self.file).with_suffix("").parts])

    @property
    def mirror(self) -> str:
        """The test file that stands where the module stands."""
        where = Path(self.file)
        return str(Path("tests") / where.parent / f"test_{where.name}")

    @property
    def tests(self) -> list[list[str]]:
        """What to run in turn, as long as the mutant survives."""
        there = [[self.mirror]] if (self.root / self.mirror).exists() else []
        return there + ([self.further] if self.further else [])

    @property
    def digests(self) -> dict[str, str]:
        """What a result depends on: the module, and its tests."""
        tests = "".join((self.root / test).read_text() for test in chain(*self.tests))
        return {"source": _digest(self.source), "tests": _digest(tests)}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


class _Changed(SourceFileLoader):
    """Loads a module with one change."""

    tree: ast.Module

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.tree, self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, module: Module, number: int) -> None:
        self.name, self.loader = module.name, _Changed(module.name, str(module.path))
        self.loader.tree = mutated(module.source, number)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        return spec_from_file_location(name, self.loader.path, loader=self.loader)


class _Examples:
    """A pytest plugin: Hypothesis draws the same examples each time, and shrinks none."""

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile(
            "mutants", deadline=None, derandomize=True, database=None,
            phases=(Phase.explicit, Phase.generate),
        )  # fmt: skip
        settings.load_profile("mutants")


def start(module: Module, number: int | None, tests: list[str], cpu: float, names: str = "") -> int:
    """Fork a child that runs tests with the numbered change; its exit status is pytest's."""
    pid = os.fork()
    if pid:
        return pid
    status = 3
    try:
        os.setsid()
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
        os.chdir(module.root)
        if number is not None:
            sys.meta_path.insert(0, _Finder(module, number))
        import pytest

        # Plugins of pytest that this process has imported keep their plain assertions.
        options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        status = int(pytest.main([*options, *tests], plugins=[_Examples()]))
        if names:
            Path(names).write_text("\n".join(sys.modules))
    finally:
        os._exit(status)


def wait(pid: int, until: float) -> tuple[int | None, float]:
    """Exit status, −1 for a child that was ended, None for one that still runs; processor time."""
    ended, status, used = os.wait4(pid, os.WNOHANG)
    if not ended and time.monotonic() < until:
        return None, 0.0
    if not ended:
        os.killpg(pid, signal.SIGKILL)
        _, status, used = os.wait4(pid, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def prepare(module: Module) -> None:
    """Run the tests with nothing changed: they must pass; import here what they took from outside.

    Children then find the libraries imported. Nothing of the project may be: it would not change.
    """
    for tests in module.tests:
        with tempfile.NamedTemporaryFile() as names:
            for _ in range(2):  # the second has its imports from here: this is its time
                pid = start(module, None, tests, 600, names.name)
                status, seconds = None, 0.0
                while status is None:
                    time.sleep(0.01)
                    status, seconds = wait(pid, time.monotonic() + 1200)
                if status:
                    raise SystemExit(
                        f"{' '.join(tests)} fails with nothing changed: mend it first."
                    )
                for name in Path(names.name).read_text().split("\n"):
                    if name.split(".")[0] not in ("crosslabel", "tests", "conftest", "__mp_main__"):
                        _import(name)
                gc.freeze()  # a child's collector then passes over all that is here already
        module.seconds.append(seconds)


def _import(name: str) -> None:
    if name.split(".")[0] in ("crosslabel", "tests", "conftest", "__mp_main__"):
        return
    try:
        importlib.import_module(name)
    except ImportError:  # made while the tests ran; a child makes it again
        return


def run(
    todo: list[tuple[Module, Mutant]], jobs: int, least: float
) -> Iterator[tuple[Module, Mutant, str]]:
    """Yield each mutant with what became of it, as they end.

    It may take five times what its tests take with nothing changed, and `least` seconds more.
    """
    waiting = deque((module, mutant, 0) for module, mutant in todo)
    running: dict[int, tuple[Module, Mutant, int, float]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            module, mutant, stage = waiting.popleft()
            if stage == len(module.tests):
                yield module, mutant, "survived" if stage else "untested"
                continue
            if len(module.seconds) < len(module.tests):
                prepare(module)
            cpu = least + 5 * module.seconds[stage]
            pid = start(module, mutant.number, module.tests[stage], cpu)
            running[pid] = module, mutant, stage, time.monotonic() + 10 * cpu
        time.sleep(0.01)
        for pid, (module, mutant, stage, until) in list(running.items()):
            status, _ = wait(pid, until)
            if status is None:
                continue
            del running[pid]
            if status == 0:
                waiting.appendleft((module, mutant, stage + 1))
            else:
                first = module.tests[stage] == [module.mirror]
                yield module, mutant, NOTICED[2 if status < 0 else 0 if first else 1]
