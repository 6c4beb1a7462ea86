"""Which process runs which mutants, and what becomes of each."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from selectors import EVENT_READ, DefaultSelector
from typing import Any, TextIO

from mutant_code import Finder
from mutant_files import Module, Mutant
from mutant_server import Server, Test, collect, ended, fork, import_all, run_tests

from mutations import mutated

Order = list[tuple[str, float, bool | None]]
"""Tests by name, best first: the seconds each may take, and whether it passes unchanged."""
NOTICED = ("killed", "killed by further tests", "timeout")


def _served(
    module: Module, paths: list[str], mutants: list[Mutant], least: float
) -> Iterator[tuple[Mutant, str]]:
    """What some files of tests say of a module's mutants; nothing where they cannot be imported."""
    server = Server(module, mutants, least)
    pid, read = fork(lambda answer: server.work(paths, answer))
    numbered, fresh = {mutant.number: mutant for mutant in mutants}, []
    order: Order | None = None
    with open(read) as answer:
        for said in map(json.loads, answer):
            if len(said) == 3:
                order, broken, modules = said
                import_all(modules)
                for name in broken:
                    print(f"{name} fails with nothing changed.", file=sys.stderr)
            elif said[1] == "fresh":
                fresh.append(said[0])
            else:
                yield numbered[said[0]], said[1]
    os.waitpid(pid, 0)
    if not order:
        print(f"{' '.join(paths)} fails with nothing changed, or broke off.", file=sys.stderr)
        return
    passing = {name for name, _, passes in order if passes}
    for number in fresh:
        result, last = _fresh(module, number, paths, order)
        while result != "survived" and last and last not in passing:
            alone = [one for one in order if one[0] == last]
            if _fresh(module, None, paths, alone)[0] == "survived":
                passing.add(last)
                break
            print(f"{last} fails with nothing changed.", file=sys.stderr)
            order = [one for one in order if one[0] != last]
            result, last = _fresh(module, number, paths, order)
        yield numbered[number], result


def _fresh(
    module: Module, number: int | None, paths: list[str], order: Order
) -> tuple[str, str | None]:
    """What becomes of a mutant that is imported with the change, and the last test begun."""
    ranks = {name: rank for rank, (name, _, _) in enumerate(order)}
    limits = {name: limit for name, limit, _ in order}

    def serve(session: Any, answer: TextIO) -> int:
        items = sorted(
            (item for item in session.items if item.nodeid in ranks),
            key=lambda item: ranks[item.nodeid],
        )
        tests = [Test(item, limit=5 * limits[item.nodeid]) for item in items]
        return run_tests(session, tests, set(), answer)

    def work(answer: TextIO) -> int:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = scratch
        if number is not None:
            tree = mutated(module.source, number)
            sys.meta_path.insert(0, Finder(module.name, str(module.path), tree))
        return collect(module.root, paths, lambda session: serve(session, answer))

    with tempfile.TemporaryDirectory(prefix="mutant") as scratch:
        pid, read = fork(work)
        status, said = ended(pid, read, 60 + int(20 * max(limits.values(), default=0.0)))
    lines = map(json.loads, said.split("\n")[:-1])
    begun = [rest[0] for kind, *rest in lines if kind == "begun"]
    result = "survived" if status == 0 else "timeout" if status < 0 else "killed"
    return result, begun[-1] if begun else None


def run(
    todo: list[tuple[Module, Mutant]], jobs: int, least: float
) -> Iterator[tuple[Module, Mutant, str]]:
    """Yield each mutant with what became of it, as they end; files are dealt to `jobs` processes.

    A test may take five times what it takes with nothing changed, and `least` seconds more.
    """
    files = sorted(Counter(module.file for module, _ in todo).items(), key=lambda file: -file[1])
    dealt = {file: rank % jobs for rank, (file, _) in enumerate(files)}
    with DefaultSelector() as selector:
        for job in range(min(jobs, len(files))):
            share = [i for i, (module, _) in enumerate(todo) if dealt[module.file] == job]
            pid, read = fork(partial(_share, todo, share, least))
            selector.register(read, EVENT_READ, (pid, bytearray()))
        while selector.get_map():
            for key, _ in selector.select():
                pid, unread = key.data
                unread += (said := os.read(key.fd, 2**16))
                while b"\n" in unread:
                    line, _, rest = unread.partition(b"\n")
                    unread[:] = rest
                    place, result = json.loads(line)
                    yield *todo[place], result
                if not said:
                    selector.unregister(key.fd)
                    os.close(key.fd)
                    os.waitpid(pid, 0)


def _share(
    todo: list[tuple[Module, Mutant]], share: list[int], least: float, answer: TextIO
) -> int:
    """One process's part of the work."""
    places = {id(todo[place][1]): place for place in share}
    for module in {todo[place][0].file: todo[place][0] for place in share}.values():
        mutants = [todo[place][1] for place in share if todo[place][0] is module]
        for mutant, result in _in_stages(module, mutants, least):
            print(json.dumps([places[id(mutant)], result]), file=answer, flush=True)
    return 0


def _in_stages(module: Module, mutants: list[Mutant], least: float) -> Iterator[tuple[Mutant, str]]:
    """The mirror test first; the further ones for what it has not noticed."""
    for paths in module.tests:
        left = []
        for mutant, result in _served(module, paths, mutants, least):
            if result == "survived":
                left.append(mutant)
            else:
                first = paths == [module.mirror]
                yield mutant, NOTICED[2 if result == "timeout" else 0 if first else 1]
        mutants = left
    for mutant in mutants:
        yield mutant, "survived" if module.tests else "untested"
