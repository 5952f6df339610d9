"""The same trees, one cell at a time, in plain Python: slow, obvious, and the oracle of the fast runner.

Numbers are Python floats, arrays are lists of rows, and every sum is a loop. Operators, references and the functions
that lessons are made of are written out here once more; a call of any other function goes to its body for this one
cell, so that at least the block's axes are checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from xlsx_attention.functions.coercion import text_of
from xlsx_attention.functions.numbers_as_text import parse_number
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import (
    ArrayLit,
    Binary,
    Call,
    ErrorLit,
    Located,
    LogicalLit,
    NumberLit,
    TextLit,
    Tree,
    Unary,
)
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Step
from xlsx_attention.model.values import DIV0, EMPTY, ERROR, LOGICAL, NA, NUM, NUMBER, REF, TEXT, VALUE, Plane, Scalar
from xlsx_attention.running.evaluator import BlockEvaluator, Machine
from xlsx_attention.running.window import clip

Rows: TypeAlias = list[list[Scalar]]


def number(x: float) -> Scalar:
    """What no double holds is ``#NUM!``; −0 is 0."""
    return Scalar(NUMBER, x + 0.0) if math.isfinite(x) else Scalar(NUM)


class SlowRunner:
    """Evaluates steps of ``plan`` cell by cell over ``planes``."""

    def __init__(self, grid: WorkbookGrid, plan: Plan, planes: list[Plane]) -> None:
        self.grid = grid
        self.plan = plan
        self.machine = Machine(grid, planes, plan.names)

    def cell(self, step: Step, row: int, column: int) -> Scalar:
        """The value of one cell of a step: the anchor's array at the cell's place for a spill."""
        block = step.block
        anchor = (block.rect.top, block.rect.left) if block.spill is not None else (row, column)
        rows = _Cell(self, step, *anchor).result()
        if block.spill is None:
            value = rows[0][0]
        else:
            i, j = row - block.spill.top, column - block.spill.left
            i = 0 if len(rows) == 1 else i
            j = 0 if len(rows[0]) == 1 else j
            value = rows[i][j] if i < len(rows) and j < len(rows[0]) else Scalar(NA)
        return Scalar(NUMBER) if value.kind == EMPTY else value


class _Cell:
    def __init__(self, runner: SlowRunner, step: Step, row: int, column: int) -> None:
        self.runner = runner
        self.step = step
        self.row = row
        self.column = column
        self.plain = step.block.mode == "plain"

    def result(self) -> Rows:
        tree = self.step.tree
        rows = self.value(tree, not self.plain)
        single = len(rows) == len(rows[0]) == 1 and rows[0][0].kind == NUMBER
        if self.step.snaps and isinstance(tree, Binary) and single:
            left, right = self.value(tree.left, not self.plain)[0][0], self.value(tree.right, not self.plain)[0][0]
            return self._through_block(tree, finish=True) if left.kind == right.kind == NUMBER else rows
        return rows

    def value(self, tree: Tree, as_array: bool) -> Rows:
        if isinstance(tree, NumberLit):
            return [[Scalar(NUMBER, float(tree.value))]]
        if isinstance(tree, TextLit):
            return [[Scalar(TEXT, 0.0, tree.value)]]
        if isinstance(tree, LogicalLit):
            return [[Scalar(LOGICAL, float(tree.value))]]
        if isinstance(tree, ErrorLit):
            return [[Scalar(tree.kind)]]
        if isinstance(tree, ArrayLit):
            return [[self.value(item, True)[0][0] for item in row] for row in tree.rows]
        if isinstance(tree, Located) and len(tree.sheets) == 1:
            return self._reference(tree, as_array)
        if isinstance(tree, Unary):
            return _each(_UNARY[tree.op], self.value(tree.operand, as_array))
        if isinstance(tree, Binary) and tree.op in _BINARY:
            return self._binary(tree, as_array)
        if isinstance(tree, Call) and tree.name in _CALLS:
            return _CALLS[tree.name](self, tree, as_array)
        return self._through_block(tree)

    def _through_block(self, tree: Tree, finish: bool = False) -> Rows:
        block = self.step.block
        rect = Rect.cell(self.row, self.column)
        ev = BlockEvaluator(self.runner.machine, block.sheet, rect, block.mode, one_by_one=True)
        array = ev.finish(tree, True) if finish else ev.evaluate(tree, "value" if self.plain else "array").array
        numbers, kinds = array.full()
        return [
            [self.runner.grid.scalar(float(n), int(k)) for n, k in zip(row_n, row_k, strict=True)]
            for row_n, row_k in zip(numbers[0, 0], kinds[0, 0], strict=True)
        ]

    def _reference(self, tree: Located, as_array: bool) -> Rows:
        rect = tree.reference.at(self.row, self.column)
        if rect is None:
            return [[Scalar(REF)]]
        sheet = tree.sheets[0]
        plane = self.runner.machine.planes[sheet]
        if not as_array and rect.size > 1:
            if rect.width == 1 and rect.top <= self.row < rect.bottom:
                rect = Rect.cell(self.row, rect.left)
            elif rect.height == 1 and rect.left <= self.column < rect.right:
                rect = Rect.cell(rect.top, self.column)
            else:
                return [[Scalar(VALUE)]]
        rect = clip(rect, self.runner.machine.used[sheet])
        return [
            [self.runner.grid.scalar(*plane.get(row, column)) for column in range(rect.left, rect.right)]
            for row in range(rect.top, rect.bottom)
        ]

    def _binary(self, tree: Binary, as_array: bool) -> Rows:
        spine = []
        node: Tree = tree
        while isinstance(node, Binary) and node.op in _BINARY:
            spine.append(node)
            node = node.left
        rows = self.value(node, as_array)
        for binary in reversed(spine):
            rows = _both(_BINARY[binary.op], rows, self.value(binary.right, as_array))
        return rows

    def terms(self, call: Call) -> list[Scalar]:
        """All arguments of SUM and its kin in reading order: in ranges only numbers count, typed values are made
        numbers.
        """
        found: list[Scalar] = []
        for arg in call.args:
            computes = isinstance(arg, (Binary, Unary))
            rows = self.value(arg, not (self.plain and computes))
            if isinstance(arg, Located) or len(rows) > 1 or len(rows[0]) > 1:
                found += [v for row in rows for v in row if v.kind == NUMBER or v.kind >= ERROR]
            else:
                found.append(_as_number(rows[0][0]))
        return found


def _as_number(value: Scalar) -> Scalar:
    if value.kind == NUMBER or value.kind >= ERROR:
        return value
    if value.kind == TEXT:
        parsed = parse_number(value.text)
        return Scalar(VALUE) if parsed is None else Scalar(NUMBER, parsed)
    return Scalar(NUMBER, value.number)


def _each(body: Callable[[Scalar], Scalar], rows: Rows) -> Rows:
    return [[body(value) for value in row] for row in rows]


def _both(body: Callable[[Scalar, Scalar], Scalar], left: Rows, right: Rows) -> Rows:
    """Broadcast as Excel does: one row or column repeats, what is missing is ``#N/A``."""
    height, width = max(len(left), len(right)), max(len(left[0]), len(right[0]))

    def at(rows: Rows, i: int, j: int) -> Scalar:
        i = 0 if len(rows) == 1 else i
        j = 0 if len(rows[0]) == 1 else j
        return rows[i][j] if i < len(rows) and j < len(rows[0]) else Scalar(NA)

    return [[body(at(left, i, j), at(right, i, j)) for j in range(width)] for i in range(height)]


def _numeric(body: Callable[[float, float], Scalar]) -> Callable[[Scalar, Scalar], Scalar]:
    def apply(a: Scalar, b: Scalar) -> Scalar:
        a, b = _as_number(a), _as_number(b)
        if a.kind != NUMBER:
            return a
        return b if b.kind != NUMBER else body(a.number, b.number)

    return apply


def _divide(a: float, b: float) -> Scalar:
    return Scalar(DIV0) if b == 0.0 else number(a / b)


def _power(a: float, b: float) -> Scalar:
    """Excel multiplies for a whole exponent and takes ``e^(b·ln a)`` for a broken one (see the operators)."""
    if a == 0.0 and b <= 0.0:
        return Scalar(NUM if b == 0.0 else DIV0)
    try:
        if b == int(b) and abs(b) < 1024:
            product, square, rest = 1.0, a, int(abs(b))
            while rest > 0:
                if rest % 2 == 1:
                    product = product * square
                rest = rest // 2
                if rest > 0:
                    square = square * square
            return number(product if b >= 0 else 1.0 / product)
        return number(math.exp(b * math.log(a)) if a > 0.0 else math.pow(a, b))
    except (OverflowError, ValueError, ZeroDivisionError):
        return Scalar(NUM)


def _compare(test: Callable[[int], bool]) -> Callable[[Scalar, Scalar], Scalar]:
    def rank(value: Scalar) -> int:
        return {TEXT: 1, LOGICAL: 2}.get(value.kind, 0)

    def apply(a: Scalar, b: Scalar) -> Scalar:
        if a.kind >= ERROR or b.kind >= ERROR:
            return a if a.kind >= ERROR else b
        if a.kind == EMPTY:
            a = Scalar(NUMBER if b.kind == EMPTY else b.kind)
        if b.kind == EMPTY:
            b = Scalar(a.kind)
        left: tuple[int, float | str] = (rank(a), a.text.upper() if a.kind == TEXT else a.number)
        right: tuple[int, float | str] = (rank(b), b.text.upper() if b.kind == TEXT else b.number)
        order = (left[0] > right[0]) - (left[0] < right[0])
        if not order:
            order = (left[1] > right[1]) - (left[1] < right[1])  # type: ignore[operator]
        return Scalar(LOGICAL, float(test(order)))

    return apply


def _join(a: Scalar, b: Scalar) -> Scalar:
    if a.kind >= ERROR or b.kind >= ERROR:
        return a if a.kind >= ERROR else b
    text = text_of(a) + text_of(b)
    return Scalar(TEXT, 0.0, text) if len(text) <= 32_767 else Scalar(VALUE)


def _negate(a: Scalar) -> Scalar:
    a = _as_number(a)
    return number(-a.number) if a.kind == NUMBER else a


def _percent(a: Scalar) -> Scalar:
    a = _as_number(a)
    return number(a.number / 100.0) if a.kind == NUMBER else a


_UNARY: dict[str, Callable[[Scalar], Scalar]] = {"-": _negate, "+": lambda a: a, "%": _percent}
_BINARY: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "+": _numeric(lambda a, b: number(a + b)),
    "-": _numeric(lambda a, b: number(a - b)),
    "*": _numeric(lambda a, b: number(a * b)),
    "/": _numeric(_divide),
    "^": _numeric(_power),
    "&": _join,
    "=": _compare(lambda order: order == 0),
    "<>": _compare(lambda order: order != 0),
    "<": _compare(lambda order: order < 0),
    ">": _compare(lambda order: order > 0),
    "<=": _compare(lambda order: order <= 0),
    ">=": _compare(lambda order: order >= 0),
}


# --- functions ------------------------------------------------------------------------------------------------------
def _first_error(values: list[Scalar]) -> Scalar | None:
    return next((v for v in values if v.kind >= ERROR), None)


def _sum(cell: _Cell, call: Call, as_array: bool) -> Rows:
    terms = cell.terms(call)
    error = _first_error(terms)
    total = 0.0
    for term in terms:
        total += term.number
    return [[error or number(total)]]


def _average(cell: _Cell, call: Call, as_array: bool) -> Rows:
    terms = cell.terms(call)
    error = _first_error(terms)
    total = 0.0
    for term in terms:
        total += term.number
    return [[error or (number(total / len(terms)) if terms else Scalar(DIV0))]]


def _extreme(pick: Callable[[list[float]], float]) -> Callable[[_Cell, Call, bool], Rows]:
    def apply(cell: _Cell, call: Call, as_array: bool) -> Rows:
        terms = cell.terms(call)
        return [[_first_error(terms) or number(pick([t.number for t in terms]) if terms else 0.0)]]

    return apply


def _exp_of(x: Scalar) -> Scalar:
    x = _as_number(x)
    if x.kind != NUMBER:
        return x
    try:
        return number(math.exp(x.number))
    except OverflowError:
        return Scalar(NUM)


def _sqrt_of(x: Scalar) -> Scalar:
    x = _as_number(x)
    if x.kind != NUMBER:
        return x
    return Scalar(NUM) if x.number < 0 else number(math.sqrt(x.number))


def _elementwise(body: Callable[[Scalar], Scalar]) -> Callable[[_Cell, Call, bool], Rows]:
    def apply(cell: _Cell, call: Call, as_array: bool) -> Rows:
        return _each(body, cell.value(call.args[0], as_array))

    return apply


def _power_call(cell: _Cell, call: Call, as_array: bool) -> Rows:
    return _both(_BINARY["^"], cell.value(call.args[0], as_array), cell.value(call.args[1], as_array))


def _mmult(cell: _Cell, call: Call, as_array: bool) -> Rows:
    a, b = cell.value(call.args[0], True), cell.value(call.args[1], True)
    if len(a[0]) != len(b) or any(v.kind != NUMBER for row in a + b for v in row):
        error = _first_error([v for row in a + b for v in row])
        return [[error or Scalar(VALUE)]]
    result: Rows = []
    for row in a:
        line = []
        for j in range(len(b[0])):
            total = 0.0
            for k in range(len(b)):
                total += row[k].number * b[k][j].number
            line.append(number(total))
        result.append(line)
    return result


def _transpose(cell: _Cell, call: Call, as_array: bool) -> Rows:
    rows = cell.value(call.args[0], True)
    return [list(column) for column in zip(*rows, strict=True)]


def _sumproduct(cell: _Cell, call: Call, as_array: bool) -> Rows:
    factors = [cell.value(arg, True) for arg in call.args]
    if len({(len(f), len(f[0])) for f in factors}) > 1:
        return [[Scalar(VALUE)]]
    flat = [[v for row in f for v in row] for f in factors]
    error = _first_error([v for f in flat for v in f])
    total = 0.0
    for place in range(len(flat[0])):
        product = flat[0][place].number if flat[0][place].kind == NUMBER else 0.0
        for f in flat[1:]:
            product *= f[place].number if f[place].kind == NUMBER else 0.0
        total += product
    return [[error or number(total)]]


_CALLS: dict[str, Callable[[_Cell, Call, bool], Rows]] = {
    "SUM": _sum,
    "AVERAGE": _average,
    "MAX": _extreme(max),
    "MIN": _extreme(min),
    "EXP": _elementwise(_exp_of),
    "SQRT": _elementwise(_sqrt_of),
    "POWER": _power_call,
    "MMULT": _mmult,
    "TRANSPOSE": _transpose,
    "SUMPRODUCT": _sumproduct,
}
