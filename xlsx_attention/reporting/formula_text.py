"""A formula's tree as text again, as files store it or as people read it.

The text means what the tree means; spaces and needless parentheses of the original are not kept. One tree serves a
whole block: it is taken apart once into fixed text and references, and each cell puts its own references in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, column_name
from xlsx_attention.model.formula import (
    Apply,
    ArrayLit,
    Binary,
    Bound,
    Call,
    ErrorLit,
    External,
    Located,
    LogicalLit,
    Missing,
    NameRef,
    NumberLit,
    Reference,
    SheetRef,
    Single,
    Spill,
    TableRef,
    TextLit,
    Tree,
    Unary,
)
from xlsx_attention.model.values import ERROR_TEXTS
from xlsx_attention.reporting.future_functions import LAMBDA_TAKERS, prefix_of

#: How tightly operators bind, loosest first. Source: Microsoft's page on calculation operators and precedence.
_LEVELS: Final = {
    "=": 1, "<>": 1, "<": 1, ">": 1, "<=": 1, ">=": 1, "&": 2, "+": 3, "-": 3, "*": 4, "/": 4, "^": 5, " ": 8, ":": 9,
}  # fmt: skip
_PERCENT, _SIGN, _ATOM = 6, 7, 10
_REF_ERROR: Final = "#REF!"


@dataclass(frozen=True, slots=True)
class _Placed:
    """A reference with the sheet that stands before it (``""`` or ``'Live small'!``)."""

    prefix: str
    reference: Reference


@dataclass(frozen=True, slots=True)
class FormulaTemplate:
    """Pieces of one form; :meth:`at` gives the text, without ``=``, as it stands in a cell."""

    pieces: tuple[str | _Placed, ...]

    def at(self, row: int, column: int) -> str:
        return "".join(piece if isinstance(piece, str) else _reference(piece, row, column) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class FormulaWriter:
    """How trees are spelled.

    ``sheet_prefix`` gives what stands before a resolved reference, by its sheets. ``names`` maps the keys of LAMBDAs
    that are called by name to the names that they have in the workbook written. ``stored``: with ``_xlfn.`` and
    ``_xlpm.``.
    """

    sheet_prefix: Callable[[tuple[int, ...]], str] = lambda sheets: ""
    names: Mapping[str, str] = field(default_factory=dict)
    stored: bool = True

    def template(self, tree: Tree) -> FormulaTemplate:
        """One form, ready for every cell of its block."""
        walk = _Walk(self)
        walk.put(tree, frozenset())
        merged: list[str | _Placed] = []
        for piece in walk.pieces:
            if merged and isinstance(piece, str) and isinstance(merged[-1], str):
                merged[-1] += piece
            else:
                merged.append(piece)
        return FormulaTemplate(tuple(merged))


class _Walk:
    def __init__(self, writer: FormulaWriter) -> None:
        self.writer = writer
        self.pieces: list[str | _Placed] = []

    def put(self, tree: Tree, variables: frozenset[str], least: int = 0) -> None:
        """Append a tree, in parentheses where it binds looser than ``least``."""
        wrapped = _level(tree) < least
        if wrapped:
            self.pieces.append("(")
        if isinstance(tree, Binary):
            self._binary(tree, variables)
        elif isinstance(tree, Unary):
            if tree.op == "%":
                self.put(tree.operand, variables, _PERCENT)
                self.pieces.append("%")
            else:
                self.pieces.append(tree.op)
                self.put(tree.operand, variables, _SIGN)
        elif isinstance(tree, Call):
            self._call(tree, variables)
        elif isinstance(tree, Apply):
            if isinstance(tree.callee, NameRef):
                self.pieces.append(self._name(tree.callee, variables))
            else:
                self.put(tree.callee, variables, _ATOM)
            self._arguments(tree.args, variables)
        elif isinstance(tree, Spill | Single):
            self._postfix(tree, variables)
        elif isinstance(tree, Reference):
            self.pieces.append(_Placed(_sheet_prefix(tree.sheet), tree))
        elif isinstance(tree, Located):
            self.pieces.append(_Placed(self.writer.sheet_prefix(tree.sheets), tree.reference))
        elif isinstance(tree, NameRef):
            self.pieces.append(self._name(tree, variables))
        else:
            self.pieces.append(_leaf(tree))
        if wrapped:
            self.pieces.append(")")

    def _binary(self, tree: Binary, variables: frozenset[str]) -> None:
        if tree.op == ",":
            self.pieces.append("(")
            self.put(tree.left, variables)
            self.pieces.append(",")
            self.put(tree.right, variables)
            self.pieces.append(")")
            return
        # A chain of thousands of + is deep to the left: walk it, do not recurse.
        spine = [tree]
        node = tree.left
        while isinstance(node, Binary) and node.op != "," and _level(node) >= _LEVELS[spine[-1].op]:
            spine.append(node)
            node = node.left
        self.put(node, variables, _LEVELS[spine[-1].op])
        for part in reversed(spine):
            self.pieces.append(part.op)
            self.put(part.right, variables, _LEVELS[part.op] + 1)

    def _call(self, tree: Call, variables: frozenset[str]) -> None:
        if tree.name in ("LET", "LAMBDA"):
            names = tree.args[:-1:2] if tree.name == "LET" else tree.args[:-1]
            variables |= {name.name.upper() for name in names if isinstance(name, NameRef)}
        self.pieces.append((prefix_of(tree.name) if self.writer.stored else "") + tree.name)
        self._arguments(tree.args, variables, takes_functions=tree.name in LAMBDA_TAKERS)

    def _arguments(self, args: tuple[Tree, ...], variables: frozenset[str], *, takes_functions: bool = False) -> None:
        self.pieces.append("(")
        for position, argument in enumerate(args):
            if position:
                self.pieces.append(",")
            if (
                takes_functions
                and isinstance(argument, NameRef)
                and argument.name.upper() not in variables
                and argument.name not in self.writer.names
            ):
                self.pieces.append(("_xleta." if self.writer.stored else "") + argument.name)
            else:
                self.put(argument, variables)
        self.pieces.append(")")

    def _postfix(self, tree: Spill | Single, variables: frozenset[str]) -> None:
        if self.writer.stored:
            self.pieces.append("_xlfn.ANCHORARRAY(" if isinstance(tree, Spill) else "_xlfn.SINGLE(")
            self.put(tree.operand, variables)
            self.pieces.append(")")
        elif isinstance(tree, Spill):
            self.put(tree.operand, variables, _ATOM)
            self.pieces.append("#")
        else:
            self.pieces.append("@")
            self.put(tree.operand, variables, _ATOM)

    def _name(self, tree: NameRef, variables: frozenset[str]) -> str:
        if tree.sheet is None and tree.name.upper() in variables:
            return ("_xlpm." if self.writer.stored else "") + tree.name
        if tree.name in self.writer.names:
            return self.writer.names[tree.name]
        if self.writer.names or self.writer.stored:
            return "#NAME?"  # a name that the workbook does not have
        return _sheet_prefix(tree.sheet) + tree.name


def _level(tree: Tree) -> int:
    if isinstance(tree, Binary):
        return _LEVELS.get(tree.op, _ATOM)
    if isinstance(tree, Unary):
        return _PERCENT if tree.op == "%" else _SIGN
    if isinstance(tree, NumberLit) and tree.value < 0:
        return _SIGN
    return _ATOM


def _leaf(tree: Tree) -> str:
    if isinstance(tree, NumberLit):
        whole = tree.value == int(tree.value) and abs(tree.value) < 1e15
        return str(int(tree.value)) if whole else repr(tree.value).upper()
    if isinstance(tree, TextLit):
        return '"' + tree.value.replace('"', '""') + '"'
    if isinstance(tree, LogicalLit):
        return "TRUE" if tree.value else "FALSE"
    if isinstance(tree, ErrorLit):
        return ERROR_TEXTS[tree.kind]
    if isinstance(tree, ArrayLit):
        return "{" + ";".join(",".join(map(_leaf, row)) for row in tree.rows) + "}"
    if isinstance(tree, TableRef):
        return _table(tree)
    if isinstance(tree, External):
        return f"[{tree.book}]{tree.sheet}!" + _reference(_Placed("", tree.reference), 0, 0)
    assert isinstance(tree, Missing), tree
    return ""


def _table(tree: TableRef) -> str:
    columns = [c for c in (tree.first, tree.last) if c is not None]
    escaped = ["[" + "".join("'" + x if x in "[]#'@" else x for x in column) + "]" for column in columns]
    parts = [f"[{item}]" for item in tree.items]
    if escaped:
        parts.append(":".join(escaped))
    inner = ",".join(parts)
    return f"{tree.table}[{inner}]" if len(parts) != 1 or len(escaped) == 2 else f"{tree.table}{inner}"


def quoted_sheet(name: str) -> str:
    """``It's`` → ``'It''s'!``; always in quotes, which is right for every name."""
    return "'" + name.replace("'", "''") + "'!"


def _sheet_prefix(sheet: SheetRef | None) -> str:
    if sheet is None:
        return ""
    book = f"[{sheet.book}]" if sheet.book else ""
    run = f"{sheet.first}:{sheet.last}" if sheet.last else sheet.first
    return quoted_sheet(book + run) if not run.isidentifier() else f"{book}{run}!"


def _reference(placed: _Placed, row: int, column: int) -> str:
    ref = placed.reference
    if ref.extent == "rows":
        first, last = _row(ref.top, row), _row(ref.bottom, row)
        is_range = True
    elif ref.extent == "columns":
        first, last = _column(ref.left, column), _column(ref.right, column)
        is_range = True
    else:
        first = _joined(_column(ref.left, column), _row(ref.top, row))
        last = _joined(_column(ref.right, column), _row(ref.bottom, row))
        is_range = ref.is_range
    if first is None or last is None:
        return _REF_ERROR
    return f"{placed.prefix}{first}:{last}" if is_range else placed.prefix + first


def _joined(column: str | None, row: str | None) -> str | None:
    return None if column is None or row is None else column + row


def _row(bound: Bound, origin: int) -> str | None:
    index = bound.at(origin)
    if not 0 <= index < MAX_ROWS:
        return None
    return f"${index + 1}" if bound.absolute else str(index + 1)


def _column(bound: Bound, origin: int) -> str | None:
    index = bound.at(origin)
    if not 0 <= index < MAX_COLUMNS:
        return None
    return f"${column_name(index)}" if bound.absolute else column_name(index)
