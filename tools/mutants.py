"""Would a test notice? Change one sign, factor or term at a time and run the module's own tests.

Each change is a mutant. A child process, forked from this one, imports the module with that change
and runs the module's mirror test (src/crosslabel/core/x.py: tests/core/test_x.py), then the further
tests that mutants.toml declares. A mutant that no test notices survives; one that cannot change a
result is listed in mutants.toml with the reason. What is changed and what is not is in
docs/project/testing.md.

Run: python tools/mutants.py [--only core/coding.py] [--sample 200] [--jobs 2]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import tomllib
from collections import Counter, defaultdict
from hashlib import sha256
from pathlib import Path

from mutant_files import Module, Mutant
from mutant_runs import NOTICED, run

ROOMS = ("core", "flagship", "methods")
BAR = 0.95


class Record:
    """What became of each mutant, in a JSON file that is written whole; resumed where it stopped.

    Results of a file whose source or tests have changed are dropped; with `survivors`, a change
    of the tests drops only what had survived.
    """

    def __init__(self, path: Path, survivors: bool) -> None:
        self.path, self.survivors, self._written = path, survivors, 0.0
        self.files = json.loads(path.read_text()) if path.exists() else {}

    def known(self, module: Module) -> dict[str, str]:
        """Results of one file that still hold."""
        entry, digests = self.files.get(module.file, {}), module.digests
        results = entry.get("results", {})
        if entry.get("digests", {}).get("source") != digests["source"]:
            results = {}
        elif entry["digests"] != digests:
            kept = results.items() if self.survivors else ()
            results = {key: result for key, result in kept if result in NOTICED}
        self.files[module.file] = {"digests": digests, "results": results}
        return results

    def write(self, least: float = 0.0) -> None:
        """Replace the file, if the last time is at least so many seconds ago."""
        if time.monotonic() - self._written < least:
            return
        fresh = self.path.with_name(self.path.name + ".new")
        fresh.write_text(json.dumps(self.files, indent=1, ensure_ascii=False, sort_keys=True))
        os.replace(fresh, self.path)
        self._written = time.monotonic()


def equivalents(table: dict, modules: list[Module]) -> set[Mutant]:
    """The mutants that are listed; entries that name none are an error."""
    found = defaultdict(list)
    for mutant in (mutant for module in modules for mutant in module.mutants):
        found[named(mutant.file, mutant.text, mutant.mutation)].append(mutant)
    files = {module.file for module in modules}
    entries = [entry for entry in table.get("equivalent", []) if entry["file"] in files]
    names = [(e["file"], e["line"], mutation) for e in entries for mutation in e["mutations"]]
    if gone := [name for name in names if named(*name) not in found]:
        listed = "\n".join(map(str, gone))
        raise SystemExit(f"mutants.toml lists mutants that are no more; drop these:\n{listed}")
    return {mutant for name in names for mutant in found[named(*name)]}


def drawn(pool: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """So many of them by a hash: most stay when the code or the size changes."""

    def place(mutant: Mutant) -> bytes:
        return sha256(f"{seed} {mutant.file} {mutant.key}".encode()).digest()

    chosen = set(sorted(pool, key=place)[:size])
    return [mutant for mutant in pool if mutant in chosen]


def named(file: str, text: str, mutation: str) -> tuple[str, str, str]:
    """What finds a mutant; versions of Python write its change with more or fewer parentheses."""
    return file, text, mutation.replace("(", "").replace(")", "")


def report(modules: list[Module], chosen: set[Mutant], record: Record, bar: float) -> int:
    """Print survivors, then killed and survived per file and in all; 1 if too few were killed."""
    total, rows = Counter[str](), []
    for module in modules:
        results = record.files[module.file]["results"]
        mine = [mutant for mutant in module.mutants if mutant in chosen]
        found = Counter(results.get(mutant.key, "untested") for mutant in mine)
        total += found
        for mutant in mine:
            if (result := results.get(mutant.key, "untested")) not in NOTICED:
                print(
                    f"{result}: {mutant.file}:{mutant.line}: {mutant.text}\n    {mutant.mutation}"
                )
        rows.append((module.file, found))
    print(f"{'file':<36}{'mirror':>8}{'further':>8}{'timeout':>8}{'survived':>9}{'killed':>9}")
    for name, found in [*rows, ("in all", total)]:
        if not (n := found.total()):
            continue
        survived = found["survived"] + found["untested"]
        counts = "".join(f"{found[kind]:>8}" for kind in NOTICED)
        print(f"{name:<36}{counts}{survived:>9}{(n - survived) / n:>9.1%}")
    noticed = sum(total[kind] for kind in NOTICED)
    return int(noticed < bar * total.total())


def main(argv: list[str] | None = None) -> int:
    """Run, report, and answer with an exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="PATH", help="files or folders of crosslabel")
    parser.add_argument("--sample", type=int, metavar="N", help="so many mutants, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--least", type=float, default=3.0, help="seconds that a test may take")
    parser.add_argument("--survivors", action="store_true", help="only what has survived so far")
    parser.add_argument("--list", action="store_true", help="show the mutants and run none")
    parser.add_argument("--record", type=Path, default=Path(".mutants.json"))
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    return drive(parser.parse_args(argv))


def drive(options: argparse.Namespace) -> int:
    """Mutants of the chosen files, less those listed as equivalent, as far as not yet known."""
    root = options.root.resolve()
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    sys.path[:0] = [str(root / "src"), str(root)]
    declared = root / "tools" / "mutants.toml"
    table = tomllib.loads(declared.read_text()) if declared.exists() else {}
    package = root / "src" / "crosslabel"
    files = [
        str(p.relative_to(package)) for r in ROOMS for p in sorted((package / r).rglob("*.py"))
    ]
    if options.only:
        files = [f for f in files if any(Path(f).is_relative_to(only) for only in options.only)]
    modules = [Module(root, f, table.get("further", {}).get(f, [])) for f in files]
    listed = equivalents(table, modules)
    pool = [m for module in modules for m in module.mutants]
    pool = [m for m in pool if m not in listed]
    if options.sample is not None and options.sample < len(pool):
        pool = drawn(pool, options.sample, options.seed)
    if options.list:
        print("\n".join(mutant.described for mutant in pool))
        return 0
    record = Record(options.record, options.survivors)
    known = {module.file: record.known(module) for module in modules}
    chosen = set(pool)
    todo = [
        (o, m) for o in modules for m in o.mutants if m in chosen and m.key not in known[o.file]
    ]
    for n, (module, mutant, result) in enumerate(run(todo, options.jobs, options.least), 1):
        known[module.file][mutant.key] = result
        record.write(least=2.0)
        if sys.stderr.isatty():
            print(f"\r{n} of {len(todo)} {mutant.file:<40}", end="", file=sys.stderr)
    record.write()
    return report(modules, chosen, record, BAR)


if __name__ == "__main__":
    sys.exit(main())
