"""A tree, evaluated for a whole block at once.

One :class:`BlockEvaluator` serves one block (or one cell of it). It walks the tree: nodes that are values or make
them stand in :mod:`xlsx_attention.running.operating`, references in :mod:`xlsx_attention.running.referring`, and what a
function does with its arguments in :mod:`xlsx_attention.running.calling`, by the style of the function's row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions import operators
from xlsx_attention.functions.coercion import collapse
from xlsx_attention.functions.registry import Area, Lambda, Matrix, Operand, Value
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import (
    Apply,
    ArrayLit,
    Binary,
    Call,
    ErrorLit,
    External,
    Located,
    LogicalLit,
    Missing,
    NameRef,
    NumberLit,
    Single,
    Spill,
    TextLit,
    Tree,
    Unary,
)
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.values import EMPTY, ERROR_CODES, NOT_COMPUTED, NUMBER, VALUE, Array, Scalar, TextPool
from xlsx_attention.running import calling, operating, referring
from xlsx_attention.running.conversion import join, to_pair
from xlsx_attention.running.indirect import areas_of
from xlsx_attention.running.machine import CALL, CALL_DEPTH, ELEMENT, NODE, Machine, Spending, Want
from xlsx_attention.running.window import clip


@dataclass(slots=True)
class BlockEvaluator:
    """Evaluates trees for the cells of ``rect`` on ``sheet``; implements the ``Evaluator`` protocol of the
    functions.
    """

    machine: Machine
    sheet: int
    rect: Rect
    mode: Literal["plain", "array", "dynamic"]
    one_by_one: bool = False
    variables: dict[str, Operand] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)

    # --- what bodies may use ---------------------------------------------------------------------------------------
    @property
    def texts(self) -> TextPool:
        return self.machine.grid.texts

    @property
    def date1904(self) -> bool:
        return self.machine.grid.calc.date1904

    @property
    def row(self) -> int:
        return self.rect.top

    @property
    def column(self) -> int:
        return self.rect.left

    def scalar(self, number: float, kind: int) -> Scalar:
        return self.machine.grid.scalar(number, kind)

    def charge(self, elements: int) -> None:
        """Count elements of arrays before they are made: larger blocks run in strips, larger arrays are refused."""
        self.spending.elements += int(elements)
        budgets = self.machine.grid.budgets
        if self.spending.elements > budgets.array_elements:
            raise budgets.refuse_step("array_elements", self.spending.elements)
        self.machine.toil(ELEMENT * int(elements))

    def toil(self, operations: int) -> None:
        """Count work that makes no array: see :meth:`Machine.toil`."""
        self.machine.toil(operations)

    def bind(self, variables: dict[str, Operand]) -> BlockEvaluator:
        return BlockEvaluator(
            self.machine,
            self.sheet,
            self.rect,
            self.mode,
            self.one_by_one,
            {**self.variables, **variables},
            self.spending,
        )

    def taking_arrays(self) -> BlockEvaluator:
        """The same for what is computed as in an array formula: ranges are not intersected."""
        return BlockEvaluator(
            self.machine, self.sheet, self.rect, "array", self.one_by_one, self.variables, self.spending
        )

    def call(self, function: Lambda, arguments: Iterable[Operand]) -> Operand:
        """Apply a LAMBDA; too many arguments, or too few that are not optional, give ``#VALUE!``."""
        given = list(arguments)
        if len(given) > len(function.parameters):
            return self.error(VALUE)
        bound = dict(function.variables)
        for position, name in enumerate(function.parameters):
            if position < len(given):
                bound[name] = given[position]
            elif name in function.optional:
                bound[name] = Operand(Array.of(0.0, EMPTY), missing=True)
            else:
                return self.error(VALUE)
        spending = self.spending
        spending.calls += 1
        if spending.calls > self.machine.grid.budgets.call_steps:
            raise self.machine.grid.budgets.refuse_step("call_steps", spending.calls)
        self.machine.toil(CALL)
        if spending.depth >= CALL_DEPTH:
            raise NotComputed("over-budget", f"LAMBDA recursion (limit {CALL_DEPTH} levels)")
        inner = BlockEvaluator(self.machine, self.sheet, self.rect, "dynamic", self.one_by_one, bound, spending)
        spending.depth += 1
        try:
            return inner.evaluate(function.body)
        finally:
            spending.depth -= 1

    def read(self, areas: tuple[Area, ...]) -> Operand:
        arrays = []
        for area in areas:
            if self.machine.on_read is not None:
                self.machine.on_read(area)
            arrays.append(self._area(area))
        return Operand(join(arrays) if len(arrays) != 1 else arrays[0], True, areas)

    def _area(self, area: Area) -> Array:
        rect = clip(area.rect, self.machine.used[area.sheet])
        self.charge(rect.size)
        number, kind = self.machine.planes[area.sheet].read(rect)
        return Array(number[None, None], collapse(kind[None, None]))

    def parse_reference(self, text: str, a1: bool = True) -> tuple[Area, ...] | None:
        if not a1 or self.machine.parse is None:
            return None
        parse = self.machine.parse
        tree = parse(text, self.row, self.column)
        return areas_of(self.machine.grid, parse, tree, self.sheet, self.row, self.column)

    def formula_text(self, area: Area) -> str | None:
        formulas = self.machine.formulas
        if formulas is None:
            formulas = self.machine.formulas = _formula_texts(self.machine.grid)
        text = formulas.get((area.sheet, area.rect.top, area.rect.left))
        return None if text is None else f"={text}"

    @property
    def sheet_count(self) -> int:
        return len(self.machine.grid.sheets)

    @property
    def has_macros(self) -> bool:
        return self.machine.grid.has_macros

    def sheet_name(self, sheet: int) -> str:
        return self.machine.grid.sheets[sheet].name

    def matrix(self, operand: Operand) -> Matrix:
        number, kind = operand.array.full()
        return Matrix(number[0, 0], kind[0, 0])

    def from_python(self, value: Value | Matrix) -> Operand:
        if isinstance(value, Matrix):
            return Operand(Array(value.number[None, None], collapse(value.kind[None, None])))
        return Operand(Array.of(*to_pair(value, self.texts)))

    def error(self, kind: int) -> Operand:
        return Operand(Array.of(0.0, kind))

    # --- the walk ----------------------------------------------------------------------------------------------------
    def evaluate(self, node: Tree, want: Want = "array") -> Operand:
        """The node's value; ``want="value"`` asks for one value a cell, by implicit intersection in a plain formula."""
        self.machine.toil(NODE)
        operand = _EVALUATE[type(node)](self, node, want)
        if want == "value" and self.mode == "plain" and not operand.array.is_single and isinstance(node, Located):
            return referring.intersect(self, node)
        return operand

    def finish(self, tree: Tree, snaps: bool) -> Array:
        """The formula's result, with what Excel does at the very end of a formula."""
        want: Want = "value" if self.mode == "plain" else "array"
        if snaps and isinstance(tree, Binary) and tree.op in "+-":
            left, right = operating.spine(self, tree, want)
            result = operators.arithmetic(tree.op, left, right, self.texts)
            result = operators.snap_to_zero(left, right, result, self.texts)
        else:
            operand = self.evaluate(tree, want)
            if operand.function is not None:
                return Array.of(0.0, ERROR_CODES["#CALC!"])
            result = operand.array
        if result.kind.any() and (result.kind == EMPTY).any():
            kind = np.where(result.kind == EMPTY, np.uint8(NUMBER), result.kind)
            return Array(result.number, collapse(kind))
        return result

    def apply(self, op: str, left: Array, right: Array) -> Array:
        """A binary operator on values, element by element."""
        size = 1
        for a, b in zip(left.shape, right.shape, strict=True):
            size *= max(a, b)
        if size > 4096:
            self.charge(size)
        if op in operators.ARITHMETIC:
            return operators.arithmetic(op, left, right, self.texts)
        if op == "&":
            return operators.concatenate(left, right, self.texts)
        return operators.compare(op, left, right, self.texts)

    def _apply_lambda(self, node: Apply, want: Want) -> Operand:
        callee = self.evaluate(node.callee)
        if callee.function is None:
            return callee if (callee.array.kind >= 16).any() else self.error(VALUE)
        return self.call(callee.function, [self.evaluate(arg) for arg in node.args])

    def not_computed(self, reason: str) -> Operand:
        return Operand(Array.of(float(self.texts.note(reason)), NOT_COMPUTED))


_EVALUATE: dict[type, Callable[..., Operand]] = {
    NumberLit: operating.number_or_logical,
    LogicalLit: operating.number_or_logical,
    TextLit: operating.text_literal,
    ErrorLit: operating.error_literal,
    Missing: operating.missing,
    ArrayLit: operating.array_literal,
    Located: referring.located,
    External: referring.external,
    NameRef: referring.name,
    Unary: operating.unary,
    Binary: operating.binary,
    Call: calling.call,
    Apply: BlockEvaluator._apply_lambda,
    Spill: referring.spill,
    Single: referring.single,
}


def _formula_texts(grid: WorkbookGrid) -> dict[tuple[int, int, int], str]:
    return {
        (sheet.index, int(row), int(column)): text
        for sheet in grid.sheets
        for row, column, text in zip(sheet.formula_rows, sheet.formula_columns, sheet.formula_texts, strict=True)
        if text
    }


__all__ = ["BlockEvaluator"]
