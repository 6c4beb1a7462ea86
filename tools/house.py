"""Is the house in order? Counts what `DESIGN.md` asks of the source, and lists what is against it.

`tests/test_house.py` holds the figures to their bars.

Run: python -m tools.house [--details]
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import NamedTuple

from tools.source_tree import FLOW, FUNCTION, IMPORT, PACKAGE, SourceTree
from tools.visits import own_classes, visits

ROOT = Path(__file__).parents[1]
LONGEST_FUNCTION = 40
LONGEST_FILE = 350

IN_CORE_OVER_TORCH = (f"{PACKAGE}.core.gpu", f"{PACKAGE}.core.backend")

# Modules that hold nothing a test of their own could ask.
WITHOUT_TEST = {"__init__", "__main__", "_version"}


def against_the_flow(source: SourceTree) -> list[str]:
    """Imports from a room that `FLOW` does not name."""
    rooms = {name: module.room for name, module in source.modules.items()}
    return sorted(
        f"{each.importer}:{each.line} imports {each.imported}"
        for each in source.imports
        if (here := rooms[each.importer]) and (there := rooms[each.imported])
        if here != there and there not in FLOW[here]
    )


def foreign_to_the_core(source: SourceTree) -> list[str]:
    """Imports of the core from outside: it is mathematics over numpy and scipy.

    `core/gpu` is the same mathematics over torch; `backend` is where the core meets both.
    """
    return sorted(
        module.at(node, ast.unparse(node))
        for module, node in source.walk()
        if module.room == "core" and not module.name.startswith(IN_CORE_OVER_TORCH)
        if isinstance(node, IMPORT)
        for name in _roots(node)
        if name not in {PACKAGE, "numpy", "scipy", *sys.stdlib_module_names}
    )


def cycles(source: SourceTree) -> list[str]:
    """Groups of modules each of which can be reached from every other one by imports."""
    following = defaultdict(set)
    for each in source.imports:
        following[each.importer].add(each.imported)
    reached = {name: _reachable(name, following) for name in source.modules}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in source.modules
    }
    return sorted(" <-> ".join(group) for group in groups if group)


def private_names(source: SourceTree) -> list[str]:
    """Imports of a name that begins with one underscore, from another module."""
    return sorted(
        f"{each.importer}:{each.line} imports {each.imported}.{each.name}"
        for each in source.imports
        if _private(each.name) and not each.imported.endswith(each.name)
    )


def private_attributes(source: SourceTree) -> list[str]:
    """Uses of `other._name` in a module that does not define `_name` itself."""
    own = {name: set(_defined(module.tree)) for name, module in source.modules.items()}
    anyone = set().union(*own.values())
    return sorted(
        module.at(node, f"uses {ast.unparse(node)}")
        for module, node in source.walk()
        if isinstance(node, ast.Attribute)
        and _private(node.attr)
        and node.attr in anyone - own[module.name]
        and not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"})
    )


def files(source: SourceTree) -> list[tuple[int, str]]:
    """Lines and name of each module, the longest first."""
    sized = ((len(each.text.splitlines()), name) for name, each in source.modules.items())
    return sorted(sized, reverse=True)


def functions(source: SourceTree) -> list[tuple[int, str]]:
    """Lines and place of each function, its docstring not counted, the longest first."""
    found = (
        (_lines(node), module.at(node, node.name))
        for module, node in source.walk()
        if isinstance(node, FUNCTION)
    )
    return sorted(found, reverse=True)


def any_mentions(source: SourceTree) -> Counter[str]:
    """How often each module mentions `Any`, the line that imports it included."""
    return Counter(
        module.name
        for module, node in source.walk()
        if (isinstance(node, ast.Name) and node.id == "Any")
        or (isinstance(node, ast.alias) and node.name == "Any")
    )


def inner_imports(source: SourceTree) -> tuple[list[str], list[str]]:
    """Lines that import inside a function: from this package, and from other ones."""
    found = {
        (PACKAGE in _roots(node), module.at(node, ast.unparse(node)))
        for module, function in source.walk()
        if isinstance(function, FUNCTION)
        for node in ast.walk(function)
        if isinstance(node, IMPORT)
    }
    own, others = (sorted(each for kind, each in found if kind is own) for own in (True, False))
    return own, others


def tested(source: SourceTree) -> dict[str, Path]:
    """The test file that each module should have: `a/b.py` has `tests/a/test_b.py`."""
    package = source.root / "src" / PACKAGE
    return {
        name: source.root / "tests" / place.parent / f"test_{place.name}"
        for name, module in source.modules.items()
        if module.path.stem not in WITHOUT_TEST
        for place in [module.path.relative_to(package)]
    }


def without_test(source: SourceTree) -> list[str]:
    """Modules whose test file does not exist."""
    return [name for name, place in tested(source).items() if not place.exists()]


def nouns_defined_twice(source: SourceTree) -> list[str]:
    """Names of classes that two modules define."""
    places = defaultdict(list)
    for module in source.modules.values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module.name)
    return [f"{noun}: {', '.join(found)}" for noun, found in places.items() if len(found) > 1]


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """From `def` to the end, without the docstring."""
    last = function.end_lineno or function.lineno
    after = function.body[1].lineno - 1 if function.body[1:] else last
    text = function.body[0].lineno
    return last - function.lineno + 1 - (after - text + 1 if ast.get_docstring(function) else 0)


def _roots(node: ast.Import | ast.ImportFrom) -> set[str]:
    """Packages that a line imports from; this one where it is written with dots."""
    if isinstance(node, ast.Import):
        return {each.name.split(".")[0] for each in node.names}
    return {PACKAGE if node.level else str(node.module).split(".")[0]}


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _reachable(start: str, following: dict[str, set[str]]) -> set[str]:
    """What can be reached from one module in one step or more."""
    seen: set[str] = set()
    waiting = list(following[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(following[name])
    return seen


def _defined(tree: ast.Module) -> Iterator[str]:
    """Names that a module gives a meaning: functions, classes, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTION | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


BARS: dict[str, float] = {
    "own classes in the flagship's MRO": 3,
    # A default fit lifts, races rules over folds and joins a discriminant: one concept per file.
    "files that fit visits": 21,
    "files that predict visits": 10,
    "lines of the largest file": LONGEST_FILE,
    "functions over 40 lines, per cent": 0.3,
    "mentions of Any": 250,
    "own imports inside functions": 20,
    "other imports inside functions": inf,
    "modules without a mirror test": 0,
    "imports against the flow": 0,
    "imports of the core from outside": 0,
    "cycles between modules": 0,
    "private names imported": 0,
    "private attributes of other modules": 0,
    "nouns defined twice": 0,
}


class Figure(NamedTuple):
    """How much of something there is, and where."""

    value: float
    found: list[str]


def figures(source: SourceTree) -> dict[str, Figure]:
    """Each figure that has a bar, and what was counted."""
    fit, predict = visits()
    largest, longest = files(source), functions(source)
    own, others = inner_imports(source)
    large = [f"{where}: {lines} lines" for lines, where in largest if lines > LONGEST_FILE]
    long = [f"{where}: {lines} lines" for lines, where in longest if lines > LONGEST_FUNCTION]
    vague = any_mentions(source)
    by_module = [f"{name}: {count}" for name, count in vague.most_common()]
    counted = {
        "own classes in the flagship's MRO": own_classes(),
        "files that fit visits": fit,
        "files that predict visits": predict,
        "own imports inside functions": own,
        "other imports inside functions": others,
        "modules without a mirror test": without_test(source),
        "imports against the flow": against_the_flow(source),
        "imports of the core from outside": foreign_to_the_core(source),
        "cycles between modules": cycles(source),
        "private names imported": private_names(source),
        "private attributes of other modules": private_attributes(source),
        "nouns defined twice": nouns_defined_twice(source),
    }
    return {what: Figure(len(found), found) for what, found in counted.items()} | {
        "lines of the largest file": Figure(largest[0][0], large),
        "functions over 40 lines, per cent": Figure(100 * len(long) / len(longest), long),
        "mentions of Any": Figure(vague.total(), by_module),
    }


def main(details: bool) -> None:
    """Print the table, and with `details` what each figure counted."""
    found = figures(SourceTree(ROOT))
    print(f"{'what':<38}{'value':>8}{'bar':>8}")
    for what, bar in BARS.items():
        mark = "" if found[what].value <= bar else "  over"
        print(f"{what:<38}{found[what].value:>8.4g}{bar:>8.4g}{mark}")
        if details:
            print("".join(f"    {each}\n" for each in found[what].found), end="")


if __name__ == "__main__":
    main("--details" in sys.argv[1:])
