"""Children that run tests with one change: forked when the tests are imported and collected.

For each file a server is forked from this process. It collects the tests and forks a child for each
mutant, which changes one function in place and runs the tests that call it until one fails, those
first that noticed most in the least time. A test that fails for the first time is run with nothing
changed, too: it must pass there. The limits on time and memory are those of Unix; so is the fork.
"""

from __future__ import annotations

import ast
import gc
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from types import CodeType
from typing import Any, TextIO

from mutant_code import Calls, Finder, Imported, Place
from mutant_files import Module, Mutant

from mutations import trees

MEMORY = 4 * 2**30
"""Bytes that a mutant may take beyond what this process has."""
EXAMPLES = 30
"""Hypothesis draws so many where a test does not say how many."""


@dataclass
class Test:
    """One collected test, and what is known of it so far."""

    item: Any
    seconds: float | None = None
    calls: set[Place] = field(default_factory=set)
    kills: Counter[Place] = field(default_factory=Counter)
    passes: bool | None = None
    """With nothing changed; None as long as nobody has asked."""
    limit: float = 0.0

    def promise(self, place: Place | None) -> float:
        """What to run first: mutants noticed in a second; an unknown test is given a chance."""
        if self.seconds is None:
            return 1 / (3 if "scikit_learn" in self.item.name else 0.3)
        kills = self.kills.total() if place is None else self.kills[place]
        return (kills + 1) / (self.seconds + 0.003)

    def may_notice(self, place: Place | None) -> bool:
        """Whether it passes and may call the function; where all is imported anew, it may."""
        calls = place is None or self.seconds is None or place in self.calls
        return calls and self.passes is not False


class _Plugin:
    """A pytest plugin: hands the collected session over; Hypothesis draws equal examples."""

    def __init__(self, serve: Callable[[Any], int]) -> None:
        self._serve = serve

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile(
            "mutants", deadline=None, derandomize=True, database=None, max_examples=EXAMPLES,
            phases=(Phase.explicit, Phase.generate),
        )  # fmt: skip
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: Any) -> None:
        if session.testsfailed == 0:  # else a file of tests could not be imported
            os._exit(self._serve(session))


def fork(work: Callable[[TextIO], int]) -> tuple[int, int]:
    """A child that does some work and writes what it finds; its id, and where to read."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return pid, read
    status = 3
    try:
        os.close(read)
        with open(write, "w") as answer:
            status = work(answer)
    finally:
        os._exit(status)


def collect(root: Path, tests: list[str], serve: Callable[[Any], int]) -> int:
    """Import and collect tests, and hand the session over; pytest's exit status if that fails."""
    os.setsid()
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    os.chdir(root)
    import pytest

    # Plugins of pytest that this process has imported keep their plain assertions.
    options = ["-x", "-q", "-s", "--tb=no", "-p", "no:cacheprovider"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*options, *tests], plugins=[_Plugin(serve)])) or 5


def run_tests(session: Any, tests: list[Test], called: set[Place], answer: TextIO) -> int:
    """Run tests until one fails, and say of each what it took; one that never ends is ended."""
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
    imported = set(sys.modules)
    for test, following in zip(tests, [*tests[1:], None]):
        print(json.dumps(["begun", test.item.nodeid]), file=answer, flush=True)
        called.clear()
        before = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, test.limit)
        test.item.config.hook.pytest_runtest_protocol(
            item=test.item, nextitem=following and following.item
        )
        if session.testsfailed:
            return 1
        seconds = time.process_time() - before
        passed = ["passed", test.item.nodeid, seconds, list(called)]
        print(json.dumps(passed), file=answer, flush=True)
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(json.dumps(["imported", *(set(sys.modules) - imported)]), file=answer, flush=True)
    return 0


class Server:
    """Runs mutants of one file in children, of which each finds the tests collected."""

    def __init__(self, module: Module, mutants: list[Mutant], least: float) -> None:
        self._module, self._least = module, least
        self._numbers = {mutant.number for mutant in mutants}
        self._calls = Calls(str(module.path))

    def work(self, paths: list[str], answer: TextIO) -> int:
        """Collect the tests of some files, then answer line by line."""
        sys.setprofile(self._calls)
        return collect(self._module.root, paths, lambda session: self._serve(session, answer))

    def _serve(self, session: Any, answer: TextIO) -> int:
        sys.setprofile(None)
        module = self._module
        self._session, self._called = session, set[Place]()
        self._tests = {item.nodeid: Test(item, limit=self._least) for item in session.items}
        self._imported = Imported(str(module.path), module.source, self._calls.places)
        self._imported.watch(self._called)
        gc.freeze()  # a child's collector then passes over all that is here already
        for number, tree in enumerate(trees(module.source)):
            if number in self._numbers:
                print(json.dumps([number, self._result(tree)]), file=answer, flush=True)
        order = [(test.item.nodeid, test.limit, test.passes) for test in self._ordered(None)]
        broken = [name for name, test in self._tests.items() if test.passes is False]
        modules = [name for name in sys.modules if not _is_own(name)]
        print(json.dumps([order, broken, modules]), file=answer, flush=True)
        return 0

    def _ordered(self, place: Place | None) -> list[Test]:
        tests = [test for test in self._tests.values() if test.may_notice(place)]
        return sorted(tests, key=lambda test: test.promise(place), reverse=True)

    def _result(self, tree: ast.Module) -> str:
        """What becomes of a mutant; "fresh" if it needs an import of its own."""
        change = self._imported.change(tree)
        if change is None and self._module.name in sys.modules:
            return "fresh"
        place = change[0] if change else None
        while True:
            status, test = self._child(self._ordered(place), tree, change)
            if status == 0 or test is None:
                return "survived"
            if test.passes is None:
                self._verify(test)
                if not test.passes or (status < 0 and test.limit > 2 * self._least):
                    continue  # again, without it or with the time that it needs
            if status < 0:
                return "timeout"
            test.kills[place] += 1
            return "killed"

    def _verify(self, test: Test) -> None:
        """Run a test alone with nothing changed: it must pass, and that is its time."""
        test.limit, test.seconds = 600.0, None
        status, _ = self._child([test])
        test.passes = status == 0
        test.limit = self._least + 5 * (test.seconds or 0.0)

    def _child(
        self,
        tests: list[Test],
        tree: ast.Module | None = None,
        change: tuple[Place, CodeType] | None = None,
    ) -> tuple[int, Test | None]:
        """Exit status of a child that runs tests with a change, and the last one that it began."""

        def work(answer: TextIO) -> int:
            os.setsid()
            os.environ["PYTEST_DEBUG_TEMPROOT"] = scratch
            if tree is not None:  # a test may import the module anew: the change must be there, too
                sys.meta_path.insert(0, Finder(self._module.name, str(self._module.path), tree))
            if change is not None:
                self._imported.apply(*change)
            return run_tests(self._session, tests, self._called, answer)

        with tempfile.TemporaryDirectory(prefix="mutant") as scratch:
            pid, read = fork(work)
            longest = max((test.limit for test in tests), default=0.0)
            status, answer = ended(pid, read, 60 + int(20 * longest))
        last = None
        for kind, *said in map(json.loads, answer.split("\n")[:-1]):  # whole lines
            if kind == "imported":
                import_all(said)
                continue
            last = self._tests[said[0]]
            if kind == "passed":
                last.seconds = said[1]
                last.calls |= {(name, line) for name, line in said[2]}
        return status, last


def ended(pid: int, read: int, seconds: int) -> tuple[int, str]:
    """Exit status of a child and all that it wrote; below zero if it is silent for so long.

    Only seconds that this process has waited count, one at a time: a machine that stands still for
    an hour has kept the child from working, and one wait is all that it costs.
    """
    watched, said, waited = os.pidfd_open(pid), b"", 0
    while waited < seconds:
        if not (ready := select([read, watched], [], [], 1.0)[0]):
            waited += 1
            continue
        waited = 0
        chunk = os.read(read, 2**16) if read in ready else b""
        said += chunk
        if not chunk:
            break
    else:
        os.killpg(pid, signal.SIGKILL)  # each child leads a group of its own
    os.close(watched)
    os.close(read)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()


def _is_own(name: str) -> bool:
    return name.split(".")[0] in ("crosslabel", "tests", "conftest", "__mp_main__")


def import_all(names: list[str]) -> None:
    """Import what tests took from elsewhere, so that children find it."""
    for name in names:
        if not _is_own(name):
            with suppress(ImportError):  # made while the tests ran; a child makes it again
                importlib.import_module(name)
    gc.freeze()
