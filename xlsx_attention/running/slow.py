"""The same trees, one cell at a time, in plain Python: slow, obvious, and the oracle of the fast runner.

Numbers are Python floats, arrays are lists of rows, and every sum is a loop. Operators, references and the functions
that lessons are made of are written out here and in the two modules beside it once more; a call of any other function
goes to its body for this one cell, so that at least the block's axes are checked.
"""

from __future__ import annotations

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
from xlsx_attention.model.values import EMPTY, ERROR, LOGICAL, NA, NUMBER, REF, TEXT, VALUE, Plane, Scalar
from xlsx_attention.running.evaluator import BlockEvaluator
from xlsx_attention.running.machine import Machine
from xlsx_attention.running.slow_functions import CALLS
from xlsx_attention.running.slow_values import BINARY, UNARY, Rows, as_number, both, each
from xlsx_attention.running.window import clip


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
        rows = Cell(self, step, *anchor).result()
        if block.spill is None:
            value = rows[0][0]
        else:
            i, j = row - block.spill.top, column - block.spill.left
            i = 0 if len(rows) == 1 else i
            j = 0 if len(rows[0]) == 1 else j
            value = rows[i][j] if i < len(rows) and j < len(rows[0]) else Scalar(NA)
        return Scalar(NUMBER) if value.kind == EMPTY else value


class Cell:
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
            return each(UNARY[tree.op], self.value(tree.operand, as_array))
        if isinstance(tree, Binary) and tree.op in BINARY:
            return self._binary(tree, as_array)
        if isinstance(tree, Call) and tree.name in CALLS:
            return CALLS[tree.name](self, tree, as_array)
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
        while isinstance(node, Binary) and node.op in BINARY:
            spine.append(node)
            node = node.left
        rows = self.value(node, as_array)
        for binary in reversed(spine):
            rows = both(BINARY[binary.op], rows, self.value(binary.right, as_array))
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
                found.append(as_number(rows[0][0]))
        return found
