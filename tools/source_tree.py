"""The package as its source tells it: modules, their rooms, and what they import from each other.

Nothing is imported or run: everything is read by `ast`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

PACKAGE = "crosslabel"
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
IMPORT = ast.Import | ast.ImportFrom

# Rooms that a room may import from, beside itself and what stands in no room (`lazy`, `_version`).
# core knows nobody, app knows everybody.
FLOW: dict[str, set[str]] = {
    "core": set(),
    "files": {"core"},
    "media": {"core", "files"},
    "intake": {"core", "files", "media"},
    "features": {"core", "files", "media", "intake"},
    "datasets": {"core", "files", "media", "features"},
    "flagship": {"core", "files", "intake"},
    "methods": {"core", "files", "intake"},
}
# The graph is drawn of features and of fitted models: the end of the flow, not the rest of files.
FLOW["files.onnx"] = set(FLOW)
FLOW["displays"] = {"core", "files", "intake", "flagship"}
FLOW["serve"] = set(FLOW)
FLOW["lab"] = set(FLOW) - {"serve"}
FLOW["studio"] = set(FLOW)
FLOW["app"] = set(FLOW)


class Import(NamedTuple):
    """One name that a module takes from another module of the package."""

    importer: str
    imported: str
    name: str
    line: int


@dataclass(frozen=True)
class Module:
    """One source file, parsed."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        """What stands in it."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree."""
        return list(ast.walk(self.tree))

    def at(self, node: ast.AST, what: str) -> str:
        """Place and name of something found in it."""
        return f"{self.name}:{getattr(node, 'lineno', 1)} {what}"

    def absolute(self, node: ast.ImportFrom) -> str:
        """The name of the module that a line imports from, also where it is written with dots."""
        if not node.level:
            return node.module or ""
        package = self.name.split(".") + ["__init__"] * (self.path.stem == "__init__")
        return ".".join([*package[: -node.level], *filter(None, [node.module])])

    @property
    def room(self) -> str:
        """The first part of its name below the package, or the room of its own within that room."""
        parts = self.name.split(".")[1:]
        inner = ".".join(parts[:2])
        return inner if inner in FLOW else parts[0] if parts and parts[0] in FLOW else ""


class SourceTree:
    """All modules of the package, and what they import from each other.

    Parameters
    ----------
    root : Path
        The checkout: its `src` holds the package, its `tests` the tests.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        source = root / "src"
        self.modules: dict[str, Module] = {}
        for path in sorted((source / PACKAGE).rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.modules[name] = Module(name, path)

    def walk(self) -> Iterator[tuple[Module, ast.AST]]:
        """Every node of every module."""
        for module in self.modules.values():
            for node in module.nodes:
                yield module, node

    @cached_property
    def imports(self) -> list[Import]:
        """Imports between modules of the package, at the top, in functions and for types alone."""
        return [
            Import(module.name, *found, node.lineno)
            for module, node in self.walk()
            if isinstance(node, IMPORT)
            for found in self._taken(module, node)
            if found[0] != module.name
        ]

    def _taken(
        self, module: Module, node: ast.Import | ast.ImportFrom
    ) -> Iterator[tuple[str, str]]:
        """Module and name of each thing that a line imports from the package."""
        if isinstance(node, ast.Import):
            yield from ((each.name, "") for each in node.names if each.name in self.modules)
            return
        source = module.absolute(node)
        for each in node.names:
            inner = f"{source}.{each.name}"
            if inner in self.modules:
                yield inner, each.name
            elif source in self.modules:
                yield self._origin(source, each.name), each.name

    def _origin(self, package: str, name: str) -> str:
        """The module that a lazy package takes a name from, or the package itself."""
        stub = self.modules[package].path.with_suffix(".pyi")
        for node in ast.parse(stub.read_text(encoding="utf-8")).body if stub.exists() else []:
            if isinstance(node, ast.ImportFrom) and node.module in self.modules:
                if name in {each.name for each in node.names}:
                    return node.module
                if node.names[0].name == "*" and self._origin(node.module, name) != node.module:
                    return self._origin(node.module, name)
        return package
