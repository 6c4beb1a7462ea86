"""The changes that make mutants: one sign, factor, term, constant, comparison or axis at a time.

Nothing is changed where no result could change: docstrings, annotations, error messages, defaults
of parameters, and calls that only refuse or only choose threads. The rules are listed in
docs/project/testing.md.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

SWAPPED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.MatMult: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
COMPARED = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
}  # fmt: skip
_PAIRS = (
    "min max", "minimum maximum", "argmin argmax", "amin amax", "fmin fmax", "any all", "sum mean",
    "triu tril", "floor ceil", "cos sin", "exp log", "solve_lower solve_upper",
)  # fmt: skip
RENAMED = {a: b for pair in _PAIRS for a, b in (pair.split(), pair.split()[::-1])}
DROPPED_CALLS = {"sqrt", "abs", "square"}
AXES = {"axis", "dim"}
SILENT_CALLS = {"threads_for", "one_thread", "check_room", "enough_memory", "warn", "cast"}
"""Calls whose arguments only choose threads, refuse, or speak."""
SILENT_KEYWORDS = {"stacklevel", "overwrite_a", "overwrite_b", "num_warps", "stack_level"}
SILENT_FUNCTIONS = {"__repr__", "__str__", "_repr_html_", "__sklearn_tags__", "_more_tags"}
SILENT_NAMES = {"_parameter_constraints", "__all__"}

Change = tuple[ast.AST, str, int | None, ast.AST]
"""The node that holds what is changed, its field, the place in a list, and what goes there."""


def mutants_of(source: str) -> list[tuple[int, str, str]]:
    """Line number, text of the line, and description of each change, in the order of the source."""
    lines, found = source.splitlines(), []
    for parent, name, place, new in _changes(ast.parse(source)):
        old = _held(parent, name, place)
        line = _line(old, parent)
        found.append((line, lines[line - 1].strip(), f"{ast.unparse(old)} → {ast.unparse(new)}"))
    return found


def trees(source: str) -> Iterator[ast.Module]:
    """The module with each change in turn; a tree holds until the next one is asked for."""
    tree = ast.parse(source)
    for parent, name, place, new in _changes(tree):
        old = _held(parent, name, place)
        _hang(parent, name, place, ast.fix_missing_locations(ast.copy_location(new, old)))
        yield tree
        _hang(parent, name, place, old)


def mutated(source: str, number: int) -> ast.Module:
    """The module with the numbered change."""
    for count, tree in enumerate(trees(source)):
        if count == number:
            return tree
    raise IndexError(f"there is no change {number}")


def _hang(parent: ast.AST, name: str, place: int | None, node: ast.AST) -> None:
    if place is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[place] = node


def _held(parent: ast.AST, name: str, place: int | None) -> ast.AST:
    value = getattr(parent, name)
    return value if place is None else value[place]


def _line(node: ast.AST, parent: ast.AST) -> int:
    return getattr(node, "lineno", None) or parent.lineno


def _changes(tree: ast.AST) -> Iterator[Change]:
    """Every change of a tree; those that read the same as an earlier one are left out."""
    seen = set()
    for parent, name, place in _places(tree):
        node = _held(parent, name, place)
        for new in _alternatives(node, parent):
            key = (id(node), ast.unparse(new))
            if key not in seen and ast.unparse(new) != ast.unparse(node):
                seen.add(key)
                yield parent, name, place, new


def _places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Where a node hangs, for every node whose change could change a result; parents first."""
    for name, value in ast.iter_fields(node):
        if _is_silent_field(node, name):
            continue
        for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            is_default = isinstance(node, ast.ClassDef) and isinstance(child, ast.AnnAssign)
            if isinstance(child, ast.AST) and not (is_default or _is_silent(child)):
                yield node, name, place
                yield from _places(child)


def _is_silent_field(node: ast.AST, name: str) -> bool:
    """Annotations, decorators, defaults of parameters."""
    return name in ("annotation", "returns", "decorator_list", "args", "bases", "type_params") and (
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.AnnAssign)
    )


def _is_silent(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.Assert() | ast.Import() | ast.ImportFrom() | ast.JoinedStr():
            return True
        case ast.Expr(value=ast.Constant()):
            return True  # a docstring
        case ast.FunctionDef(name=name):
            return name in SILENT_FUNCTIONS
        case ast.Call(func=func):
            return _called(func) in SILENT_CALLS
        case ast.keyword(arg=arg):
            return arg in SILENT_KEYWORDS
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name in SILENT_NAMES
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return False


def _called(func: ast.AST) -> str:
    return getattr(func, "attr", getattr(func, "id", ""))


def _alternatives(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp():
            yield from _of_binary(node)
        case ast.AugAssign(target=target, op=op, value=value):
            if type(op) in SWAPPED and not _is_text(value):
                yield ast.AugAssign(target, SWAPPED[type(op)](), value)
                yield ast.Pass()
        case ast.UnaryOp(op=ast.USub() | ast.Invert() | ast.Not(), operand=operand):
            yield operand
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.Compare(left=left, ops=ops, comparators=right):
            for i, op in enumerate(ops):
                for other in COMPARED.get(type(op), ()):
                    yield ast.Compare(left, [*ops[:i], other(), *ops[i + 1 :]], right)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            if not (value == 1 and isinstance(parent, ast.UnaryOp)):  # of −1 the sign is changed
                yield from _of_constant(value, parent)
        case ast.Call():
            yield from _of_call(node)
        case ast.Attribute(attr="T", value=value, ctx=ast.Load()):
            yield value


def _of_binary(node: ast.BinOp) -> Iterator[ast.AST]:
    left, op, right = node.left, node.op, node.right
    if type(op) not in SWAPPED or _is_text(left) or _is_text(right) or _is_none(left, right):
        return
    yield ast.BinOp(left, SWAPPED[type(op)](), right)
    yield left
    if isinstance(op, ast.Sub):
        yield ast.UnaryOp(ast.USub(), right)
    elif isinstance(op, ast.Add | ast.Mult | ast.MatMult | ast.BitAnd | ast.BitOr):
        yield right


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _is_none(*nodes: ast.AST) -> bool:
    """Of a union of types, `Array | None`."""
    return any(isinstance(node, ast.Constant) and node.value is None for node in nodes)


def _of_constant(value: complex, parent: ast.AST) -> Iterator[ast.AST]:
    if isinstance(parent, ast.keyword) and parent.arg in AXES:
        yield ast.Constant(1 if value == 0 else 0)
    elif isinstance(value, int):
        # A place beyond the end raises at once: ask for the one before instead.
        yield ast.Constant(value - 1 if isinstance(parent, ast.Subscript) and value else value + 1)
    else:
        # Small and large ones are guards and limits: change their order.
        ordinary = value == 0 or 1e-3 < abs(value) < 1e3
        yield ast.Constant(value + 1 if ordinary else float(f"{value * 1e3:g}"))


def _of_call(node: ast.Call) -> Iterator[ast.AST]:
    func, name = node.func, _called(node.func)
    if name in RENAMED:
        other = RENAMED[name]
        renamed = (
            ast.Attribute(func.value, other, func.ctx)
            if isinstance(func, ast.Attribute)
            else ast.Name(other, func.ctx)
        )
        yield ast.Call(renamed, node.args, node.keywords)
    if name in DROPPED_CALLS and len(node.args) == 1 and not node.keywords:
        yield node.args[0]
