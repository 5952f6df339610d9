"""Products whose ranges wander because a ``$`` is missing, read as they were meant.

In a block of products each factor is a line of cells: a row of the one matrix, a column of the other. Such a line may
move with the block across itself only. Where it moves along itself, so that the block's second column multiplies with a
range that begins one cell later, recognition goes by the line of the block's first cell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Binary, Bound, Call, Located, Reference, Tree, Unary

_PRODUCTS: Final = frozenset({"MMULT", "SUMPRODUCT"})


def straightened(tree: Tree, block: Rect, inside: bool = False) -> Tree:
    """``tree`` with the lines inside products held along themselves; itself for a block of one row or column."""
    if block.height == 1 or block.width == 1:
        return tree
    match tree:
        case Located(sheets, reference) if inside:
            return Located(sheets, _held(reference, block))
        case Call(name, args):
            within = inside or name in _PRODUCTS
            return Call(name, tuple(straightened(arg, block, within) for arg in args))
        case Binary(op, left, right):
            return Binary(op, straightened(left, block, inside), straightened(right, block, inside))
        case Unary(op, operand):
            return Unary(op, straightened(operand, block, inside))
        case _:
            return tree


def _held(reference: Reference, block: Rect) -> Reference:
    tall = _span(reference.top, reference.bottom)
    wide = _span(reference.left, reference.right)
    if tall == 0 and wide:
        left, right = (_absolute(bound, block.left) for bound in (reference.left, reference.right))
        return replace(reference, left=left, right=right)
    if wide == 0 and tall:
        top, bottom = (_absolute(bound, block.top) for bound in (reference.top, reference.bottom))
        return replace(reference, top=top, bottom=bottom)
    return reference


def _span(first: Bound, last: Bound) -> int | None:
    return last.index - first.index if first.absolute == last.absolute else None


def _absolute(bound: Bound, origin: int) -> Bound:
    return Bound(bound.at(origin), True)
