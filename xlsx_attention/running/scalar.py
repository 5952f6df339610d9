"""One cell at a time in Python's own floats: for chains, where every cell waits for the one before.

A block that reads itself runs cell by cell, and there the arrays of the block evaluator cost a hundred times the
arithmetic. Here a small formula of numbers, single cells and ``+ - * /`` becomes nested functions. They know nothing of
texts, errors or Excel's special cases: wherever one could come up they raise :class:`Unsure`, and the block evaluator
decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from xlsx_attention.model.formula import Binary, Located, NumberLit, Tree, Unary
from xlsx_attention.model.plan import Step
from xlsx_attention.model.values import EMPTY, Plane

#: The value of a formula in the cell (row, column).
Scalar = Callable[[int, int], float]

#: Parts of a formula beyond which nested functions gain nothing.
_PARTS: Final = 24
#: A sum smaller than this share of its operands may be what Excel takes for 0.
_SNAPS_BELOW: Final = 1e-12
#: Quotients and products below this may be denormal.
_TINY: Final = 1e-300


class Unsure(Exception):
    """Not plainly a number: the block evaluator is to be asked."""


def compiled(step: Step, planes: list[Plane]) -> Scalar | None:
    """``step``'s formula as a function of the cell, reading ``planes`` as they are when it is called.

    ``None`` for a formula of another kind.
    """
    if step.block.spill is not None or _parts(step.tree) > _PARTS:
        return None
    value = _value(step.tree, planes)
    if value is None or not step.snaps or not isinstance(step.tree, Binary):
        return value
    if step.tree.op not in "+-":
        return value
    left, right = _value(step.tree.left, planes), _value(step.tree.right, planes)
    return None if left is None or right is None else _snapping(left, right, 1.0 if step.tree.op == "+" else -1.0)


def _parts(tree: Tree) -> int:
    """How many parts a tree has; it is not counted further than needed."""
    stack, parts = [tree], 0
    while stack and parts <= _PARTS:
        node = stack.pop()
        parts += 1
        if isinstance(node, Binary):
            stack += (node.left, node.right)
        elif isinstance(node, Unary):
            stack.append(node.operand)
    return parts


def _value(tree: Tree, planes: list[Plane]) -> Scalar | None:
    if isinstance(tree, NumberLit):
        number = float(tree.value)
        return lambda row, column: number
    if isinstance(tree, Located):
        return _cell(tree, planes)
    if isinstance(tree, Unary) and tree.op in "+-":
        inner = _value(tree.operand, planes)
        # + leaves a text a text, - does not; of numbers both are plain.
        return inner if inner is None or tree.op == "+" else lambda row, column: 0.0 - inner(row, column)
    if isinstance(tree, Binary) and tree.op in _OPERATORS:
        left, right = _value(tree.left, planes), _value(tree.right, planes)
        return None if left is None or right is None else _OPERATORS[tree.op](left, right)
    return None


def _cell(tree: Located, planes: list[Plane]) -> Scalar | None:
    reference = tree.reference
    if len(tree.sheets) > 1 or reference.top != reference.bottom or reference.left != reference.right:
        return None
    plane = planes[tree.sheets[0]]
    number, kind = plane.number, plane.kind
    height, width = plane.rect.shape
    down, right = reference.top.index - plane.rect.top, reference.left.index - plane.rect.left
    fixed_row, fixed_column = reference.top.absolute, reference.left.absolute

    def value(row: int, column: int) -> float:
        i = down if fixed_row else row + down
        j = right if fixed_column else column + right
        if not (0 <= i < height and 0 <= j < width) or kind[i, j] > EMPTY:
            raise Unsure
        return float(number[i, j])

    return value


def _snapping(left: Scalar, right: Scalar, sign: float) -> Scalar:
    """A sum at the end of a formula, where Excel makes 0 of what only rounding has left."""

    def value(row: int, column: int) -> float:
        a, b = left(row, column), sign * right(row, column)
        total = a + b
        if not math.isfinite(total) or (total != 0.0 and abs(total) < _SNAPS_BELOW * max(abs(a), abs(b))):
            raise Unsure
        return total + 0.0

    return value


def _plain(result: float) -> float:
    if not math.isfinite(result):
        raise Unsure
    return result + 0.0


def _product(result: float) -> float:
    if -_TINY < result < _TINY and result != 0.0:
        raise Unsure
    return _plain(result)


def _quotient(a: float, b: float) -> float:
    if b == 0.0:
        raise Unsure
    return _product(a / b)


_OPERATORS: Final[dict[str, Callable[[Scalar, Scalar], Scalar]]] = {
    "+": lambda a, b: lambda row, column: _plain(a(row, column) + b(row, column)),
    "-": lambda a, b: lambda row, column: _plain(a(row, column) - b(row, column)),
    "*": lambda a, b: lambda row, column: _product(a(row, column) * b(row, column)),
    "/": lambda a, b: lambda row, column: _quotient(a(row, column), b(row, column)),
}
