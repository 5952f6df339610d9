"""A formula as a tree, relative to the cell that holds it.

A tree is shared by every cell of a block: a relative part of a reference is an offset from the cell, an absolute
part (``$``) a fixed index. So ``=A1*$B$2`` in ``C1`` and its copy in ``D5`` are one and the same tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, Rect


@dataclass(frozen=True, slots=True)
class Bound:
    """One edge of a reference: an absolute index (from 0) or an offset from the formula's own cell."""

    index: int
    absolute: bool

    def at(self, origin: int) -> int:
        return self.index if self.absolute else origin + self.index


@dataclass(frozen=True, slots=True)
class SheetRef:
    """The part before ``!``. ``first`` alone names a sheet, ``first`` and ``last`` a run of sheets (3-D).

    ``book`` is the number in ``[1]Sheet!A1``, ``None`` for this workbook.
    """

    first: str
    last: str | None = None
    book: int | None = None


@dataclass(frozen=True, slots=True)
class NumberLit:
    value: float


@dataclass(frozen=True, slots=True)
class TextLit:
    value: str


@dataclass(frozen=True, slots=True)
class LogicalLit:
    value: bool


@dataclass(frozen=True, slots=True)
class ErrorLit:
    """``kind`` as in :mod:`xlsx_attention.model.values`."""

    kind: int


@dataclass(frozen=True, slots=True)
class Missing:
    """An argument left out: ``IF(A1,,2)``."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A cell or range. ``bottom`` and ``right`` are inclusive edges here, as they are written.

    ``extent`` is ``"rows"`` for ``3:5``, ``"columns"`` for ``A:C`` (their open edges are absolute), else ``"cells"``.
    ``is_range`` tells ``A1:A1`` from ``A1``.
    """

    top: Bound
    left: Bound
    bottom: Bound
    right: Bound
    sheet: SheetRef | None = None
    extent: Literal["cells", "rows", "columns"] = "cells"
    is_range: bool = False

    def at(self, row: int, column: int) -> Rect | None:
        """The rectangle as seen from a cell; ``None`` where a relative part leaves the sheet (``#REF!``)."""
        # Written out: it runs a few times for every reference of a workbook.
        top, bottom, left, right = self.top, self.bottom, self.left, self.right
        first = top.index if top.absolute else row + top.index
        last = bottom.index if bottom.absolute else row + bottom.index
        low = left.index if left.absolute else column + left.index
        high = right.index if right.absolute else column + right.index
        if first > last:
            first, last = last, first
        if low > high:
            low, high = high, low
        if first < 0 or last >= MAX_ROWS or low < 0 or high >= MAX_COLUMNS:
            return None
        return Rect(first, low, last + 1, high + 1)


@dataclass(frozen=True, slots=True)
class NameRef:
    """A defined name or a LET/LAMBDA variable; ``sheet`` for ``Sheet1!name`` or ``[1]!name``."""

    name: str
    sheet: SheetRef | None = None


@dataclass(frozen=True, slots=True)
class TableRef:
    """``Table1[[#Headers],[First]:[Last]]``. ``table`` is ``""`` inside the table itself.

    ``items`` are among ``#All #Data #Headers #Totals #This Row``; ``first``/``last`` are column names or ``None``.
    """

    table: str
    items: tuple[str, ...]
    first: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class ArrayLit:
    """``{1,2;3,4}``: rows of literals."""

    rows: tuple[tuple[NumberLit | TextLit | LogicalLit | ErrorLit, ...], ...]


@dataclass(frozen=True, slots=True)
class Unary:
    op: Literal["+", "-", "%"]
    operand: Tree


@dataclass(frozen=True, slots=True)
class Binary:
    """``op`` is one of ``+ - * / ^ & = <> < > <= >=``, or a reference operator: ``:`` (range), ``,`` (union), `` ``
    (intersection).
    """

    op: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Call:
    """A call by name; ``name`` is in capitals and without ``_xlfn.``, ``_xlws.`` prefixes (``_xlpm.`` goes from
    variables).
    """

    name: str
    args: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Apply:
    """A call of what an expression gives: ``LAMBDA(x, x+1)(3)``."""

    callee: Tree
    args: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Spill:
    """``A1#`` (stored as ``ANCHORARRAY(A1)``): the range that the formula of a cell fills."""

    operand: Tree


@dataclass(frozen=True, slots=True)
class Single:
    """``@expression`` (stored as ``SINGLE(expression)``): implicit intersection with the formula's cell."""

    operand: Tree


@dataclass(frozen=True, slots=True)
class Located:
    """A reference whose sheet is known (compiled trees only): ``sheets`` are indices, several for a 3-D reference."""

    sheets: tuple[int, ...]
    reference: Reference


@dataclass(frozen=True, slots=True)
class External:
    """A reference into another workbook (compiled trees only); its values are what the file remembers of them."""

    book: int
    sheet: str
    reference: Reference


Tree: TypeAlias = (
    NumberLit
    | TextLit
    | LogicalLit
    | ErrorLit
    | Missing
    | Reference
    | NameRef
    | TableRef
    | ArrayLit
    | Unary
    | Binary
    | Call
    | Apply
    | Spill
    | Single
    | Located
    | External
)


def parts(node: Tree) -> tuple[Tree, ...]:
    """What a node holds, in the order of reading; the literals of an array are its own."""
    if isinstance(node, Binary):
        return node.left, node.right
    if isinstance(node, (Unary, Spill, Single)):
        return (node.operand,)
    if isinstance(node, Call):
        return node.args
    return (node.callee, *node.args) if isinstance(node, Apply) else ()


def with_parts(node: Tree, of: Callable[[Tree], Tree]) -> Tree:
    """The node with each of its :func:`parts` put through ``of``."""
    match node:
        case Binary(op, left, right):
            return Binary(op, of(left), of(right))
        case Unary(op, operand):
            return Unary(op, of(operand))
        case Spill(operand):
            return Spill(of(operand))
        case Single(operand):
            return Single(of(operand))
        case Call(name, args):
            return Call(name, tuple(map(of, args)))
        case Apply(callee, args):
            return Apply(of(callee), tuple(map(of, args)))
    return node


def nodes(tree: Tree) -> Iterator[Tree]:
    """Every node of a tree, without recursion."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(parts(node))


@dataclass(frozen=True, slots=True)
class FormulaForm:
    """One relative form: its key in R1C1 notation, which people can read too, and its tree.

    ``tree`` is ``None`` where the text is no formula; ``fault`` then says why.
    """

    r1c1: str
    tree: Tree | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Cells of one sheet with one relative form, as a full rectangle.

    ``spill`` is the range that an array formula or spill fills (then ``rect`` is its anchor alone); ``None`` where
    each cell holds one value. ``mode`` ``"plain"`` means implicit intersection where a range stands for one value.
    ``sample`` is the stored text of the top left cell, without ``=``.
    """

    sheet: int
    rect: Rect
    form: FormulaForm
    mode: Literal["plain", "array", "dynamic"]
    sample: str
    spill: Rect | None = None

    @property
    def cells(self) -> Rect:
        """What the block computes: its spill, or its own rectangle."""
        return self.spill or self.rect
