"""The operators of a formula by how tightly they bind, what waits on the parser's stack, and the prefixes of names."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from xlsx_attention.model.formula import (
    Apply,
    Binary,
    Call,
    ErrorLit,
    NameRef,
    Reference,
    Single,
    Spill,
    TableRef,
    Tree,
)

POWER: Final = {":": 10, " ": 9, ",": 8, "^": 4, "*": 3, "/": 3, "+": 2, "-": 2, "&": 1} | dict.fromkeys(
    ("=", "<>", "<", ">", "<=", ">="), 0
)
PREFIX_POWER: Final = {"@": 7, "+": 6, "-": 6}
PERCENT_POWER: Final = 5
REFERENCE_OPERATORS: Final = frozenset(": ,")
_REFERENCE_NODES: Final = (Reference, NameRef, TableRef, Call, Apply, Spill, Single, ErrorLit)
REFERENCE_STARTS: Final = frozenset(("prefix", "cell", "columns", "rows", "name", "bracket", "open", "error"))
#: What files put before a name that older versions lack, a variable, an optional parameter, a function as a value.
_PREFIXES: Final = ("_xlfn.", "_xlws.", "_xlpm.", "_xlop.", "_xleta.")
OPTIONAL: Final = "_xlop."
#: Operators that files store as calls; they are no level of nesting.
OPERATOR_CALLS: Final[dict[str, type[Single] | type[Spill]]] = {"SINGLE": Single, "ANCHORARRAY": Spill}


class Operator(NamedTuple):
    symbol: str
    power: int
    prefix: bool
    position: int


class Frame:
    """An open parenthesis: its own (``callee`` is ``None``), a function's, or an applied expression's."""

    __slots__ = ("args", "callee", "position")

    def __init__(self, callee: str | Tree | None, position: int) -> None:
        self.callee = callee
        self.position = position
        self.args: list[Tree] = []


def strip_prefixes(name: str) -> str:
    """``_xlfn._xlws.SORT`` → ``SORT``."""
    if name[:1] != "_":
        return name
    lower = name.lower()
    start = 0
    while prefix := next((p for p in _PREFIXES if lower.startswith(p, start)), ""):
        start += len(prefix)
    return name[start:] or name


def is_reference(tree: Tree) -> bool:
    return isinstance(tree, _REFERENCE_NODES) or (isinstance(tree, Binary) and tree.op in REFERENCE_OPERATORS)


def sign(symbol: str) -> Literal["+", "-"]:
    return "-" if symbol == "-" else "+"
