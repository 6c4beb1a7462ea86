"""How a change gets into a module: by another function body where that is enough, else by import.

Most changes lie inside one function. Where the module is imported already, the function gets the
changed code in place, and everybody who holds the function runs it. What runs at import (constants,
class bodies, functions that were called while the tests were imported) needs a fresh import.
"""

from __future__ import annotations

import ast
import builtins
import gc
import warnings
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType, FunctionType

Place = tuple[str, int]
"""A function, by its qualified name and its first line."""
_CALLED = "_functions_called"
"""Among the builtins, where every module finds it."""


class Calls:
    """A profiler: which functions of one file were called."""

    def __init__(self, path: str) -> None:
        self.path, self.places = path, set[Place]()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Python calls this at every call and return."""
        if event == "call" and frame.f_code.co_filename == self.path:
            self.places.add(place_of(frame.f_code))


def place_of(code: CodeType) -> Place:
    """What names a function of a file."""
    return code.co_qualname, code.co_firstlineno


class Imported:
    """The functions of a module that is imported, and which of them can be changed in place."""

    def __init__(self, path: str, source: str, early: set[Place]) -> None:
        self._path, self._early = path, early
        self._code = _watched(ast.parse(source), path)
        self._old = dict(_functions(self._code))
        self._live: dict[Place, list[FunctionType]] = {}
        for found in gc.get_objects():
            # Not isinstance: it asks the object, and some libraries' objects then warn.
            if type(found) is FunctionType and found.__code__.co_filename == path:
                self._live.setdefault(place_of(found.__code__), []).append(found)

    def change(self, tree: ast.Module) -> tuple[Place, CodeType] | None:
        """The function that differs and its new code; None where a fresh import is needed."""
        try:
            changed = _watched(tree, self._path)
        except SyntaxError:  # nobody can import it: the tests will say so
            return None
        new = dict(_functions(changed))
        differing = [place for place, code in new.items() if code != self._old.get(place)]
        if list(_at_import(changed)) != list(_at_import(self._code)) or len(differing) != 1:
            return None
        place = differing[0]
        same_cells = new[place].co_freevars == self._old[place].co_freevars
        movable = same_cells and place in self._live and place not in self._early
        return (place, new[place]) if movable else None

    def watch(self, called: set[Place]) -> None:
        """From now on each function, changed or not, notes in `called` that it was called."""
        builtins.__dict__[_CALLED] = called
        for place, code in self._old.items():
            if (
                place in self._live
                and code.co_freevars == self._live[place][0].__code__.co_freevars
            ):
                self.apply(place, code)

    def apply(self, place: Place, code: CodeType) -> None:
        """From now on the function runs this code."""
        for function in self._live[place]:
            function.__code__ = code


def _watched(tree: ast.Module, path: str) -> CodeType:
    """The code of a module whose functions say that they were called; the tree stays as it is."""
    functions = list(_outermost(tree))
    for node, name in functions:
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        note = ast.parse(f"{_CALLED}.add(({name!r}, {first}))").body[0]
        for part in ast.walk(note):
            ast.copy_location(part, node.body[0])
        node.body.insert(0, note)
    try:
        return _compiled(tree, path)
    finally:
        for node, _ in functions:
            del node.body[0]


def _compiled(tree: ast.Module, path: str) -> CodeType:
    """The code of a tree; that Python thinks it odd (`1[:, None]`) is for the tests to notice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return compile(tree, path, "exec")


def _outermost(
    node: ast.AST, inside: str = ""
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """The functions of a module and its classes with their names, without those inside them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child, inside + child.name
        else:
            is_class = isinstance(child, ast.ClassDef)
            yield from _outermost(child, f"{inside}{child.name}." if is_class else inside)


def _functions(code: CodeType) -> Iterator[tuple[Place, CodeType]]:
    """Those that a module's and its classes' bodies make; what is inside them is part of them."""
    for held in code.co_consts:
        if isinstance(held, CodeType):
            if held.co_flags & CO_OPTIMIZED:
                yield place_of(held), held
            else:
                yield from _functions(held)


def _at_import(code: CodeType) -> Iterator[tuple[object, ...]]:
    """What a module's and its classes' bodies do, beside making functions."""
    plain = [repr(held) for held in code.co_consts if not isinstance(held, CodeType)]
    yield code.co_code, code.co_names, plain
    for held in code.co_consts:
        if isinstance(held, CodeType) and not held.co_flags & CO_OPTIMIZED:
            yield from _at_import(held)


class Finder(MetaPathFinder):
    """Whoever imports the module gets the changed one."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        self.name, self.loader = name, _Changed(name, path)
        self.loader.tree = tree

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """As `importlib` asks for it."""
        if name != self.name:
            return None
        return spec_from_file_location(name, self.loader.path, loader=self.loader)


class _Changed(SourceFileLoader):
    """Loads a module with one change."""

    tree: ast.Module

    def get_code(self, fullname: str) -> CodeType:
        return _compiled(self.tree, self.path)
