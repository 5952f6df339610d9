"""A tree, evaluated for a whole block at once.

One :class:`BlockEvaluator` serves one block (or one cell of it). It walks the tree; what a function does with its
arguments stands in :mod:`xlsx_attention.running.calling`, by the style of the function's row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions import operators
from xlsx_attention.functions.registry import Area, ExcelError, Lambda, Matrix, Operand, Value
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
    Reference,
    Single,
    Spill,
    TextLit,
    Tree,
    Unary,
)
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.values import (
    EMPTY,
    ERROR_CODES,
    LOGICAL,
    NAME,
    NOT_COMPUTED,
    NULL,
    NUMBER,
    REF,
    TEXT,
    VALUE,
    Array,
    Plane,
    Scalar,
    TextPool,
)
from xlsx_attention.running import calling
from xlsx_attention.running.indirect import areas_of
from xlsx_attention.running.window import clip, window

Want = Literal["value", "array"]

#: What one node of a tree costs in elementary operations, however few cells it computes, and what one call of a
#: LAMBDA does.
NODE = 5_000
CALL = 40_000
#: What making one element of an array costs.
ELEMENT = 4
#: An order beyond this that is too large is refused alone.
_SMALL = 20_000_000
#: Nested calls of LAMBDAs: Excel gives up at 1,024 over the number of parameters.
CALL_DEPTH = 120


@dataclass(slots=True)
class Machine:
    """What all blocks of one run share: the workbook, the planes that are read, and the budgets.

    ``planes`` are the cached values ("from its precedents") or what has been computed so far ("from the inputs").
    ``parse`` turns reference text into a tree (INDIRECT); ``on_read`` sees every area that a reference function reads.
    """

    grid: WorkbookGrid
    planes: list[Plane]
    names: dict[str, Tree]
    parse: Callable[[str, int, int], Tree] | None = None
    on_read: Callable[[Area], None] | None = None
    used: list[Rect] = field(default_factory=list)
    formulas: dict[tuple[int, int, int], str] | None = None

    def toil(self, operations: int) -> None:
        """Count elementary operations (a few nanoseconds each); past the workbook's budget no step is computed any
        more.
        """
        wanted = self.grid.spent + operations
        if wanted > self.grid.budgets.work:
            # A large order is refused alone; where even a small one is too much, the budget is spent.
            if operations <= _SMALL:
                self.grid.spent = wanted
            raise self.grid.budgets.refuse_step("work", wanted)
        self.grid.spent = wanted

    @property
    def work(self) -> int:
        """Elementary operations spent on the workbook so far, by all runs."""
        return self.grid.spent

    @work.setter
    def work(self, operations: int) -> None:
        self.grid.spent = operations

    def exhausted(self) -> bool:
        """Whether the workbook's budget is spent."""
        return self.grid.spent > self.grid.budgets.work

    def __post_init__(self) -> None:
        if not self.used:
            self.used = [plane.used for plane in self.planes]


@dataclass(slots=True)
class Spending:
    elements: int = 0
    calls: int = 0
    depth: int = 0


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
        return Operand(calling.join(arrays) if len(arrays) != 1 else arrays[0], True, areas)

    def _area(self, area: Area) -> Array:
        rect = clip(area.rect, self.machine.used[area.sheet])
        self.charge(rect.size)
        number, kind = self.machine.planes[area.sheet].read(rect)
        return Array(number[None, None], calling.collapse(kind[None, None]))

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
            return Operand(Array(value.number[None, None], calling.collapse(value.kind[None, None])))
        return Operand(Array.of(*calling.to_pair(value, self.texts)))

    def error(self, kind: int) -> Operand:
        return Operand(Array.of(0.0, kind))

    # --- the walk ----------------------------------------------------------------------------------------------------
    def evaluate(self, node: Tree, want: Want = "array") -> Operand:
        """The node's value; ``want="value"`` asks for one value a cell, by implicit intersection in a plain formula."""
        self.machine.toil(NODE)
        operand = _EVALUATE[type(node)](self, node, want)
        if want == "value" and self.mode == "plain" and not operand.array.is_single and isinstance(node, Located):
            return self._intersect(node, operand)
        return operand

    def finish(self, tree: Tree, snaps: bool) -> Array:
        """The formula's result, with what Excel does at the very end of a formula."""
        want: Want = "value" if self.mode == "plain" else "array"
        if snaps and isinstance(tree, Binary) and tree.op in "+-":
            left, right = self._spine(tree, want)
            result = operators.arithmetic(tree.op, left, right, self.texts)
            result = operators.snap_to_zero(tree.op, left, right, result, self.texts)
        else:
            operand = self.evaluate(tree, want)
            if operand.function is not None:
                return Array.of(0.0, ERROR_CODES["#CALC!"])
            result = operand.array
        if result.kind.any() and (result.kind == EMPTY).any():
            kind = np.where(result.kind == EMPTY, np.uint8(NUMBER), result.kind)
            return Array(result.number, calling.collapse(kind))
        return result

    def _literal(self, node: NumberLit | LogicalLit, want: Want) -> Operand:
        return Operand(Array.of(float(node.value), LOGICAL if isinstance(node, LogicalLit) else NUMBER))

    def _text(self, node: TextLit, want: Want) -> Operand:
        return Operand(Array.of(float(self.texts.add(node.value)), TEXT))

    def _error(self, node: ErrorLit, want: Want) -> Operand:
        return self.error(node.kind)

    def _missing(self, node: Missing, want: Want) -> Operand:
        return Operand(Array.of(0.0, EMPTY), missing=True)

    def _array(self, node: ArrayLit, want: Want) -> Operand:
        pairs = [[calling.literal(item, self.texts) for item in row] for row in node.rows]
        number = np.array([[pair[0] for pair in row] for row in pairs])
        kind = np.array([[pair[1] for pair in row] for row in pairs], np.uint8)
        return Operand(Array(number[None, None], calling.collapse(kind[None, None])))

    def _located(self, node: Located, want: Want) -> Operand:
        if self.one_by_one:
            rect = node.reference.at(self.rect.top, self.rect.left)
            if rect is None:
                return self.error(REF)
            areas = tuple(Area(sheet, rect) for sheet in node.sheets)
            # Only reference functions look at areas; reading through the window keeps one code path for values.
            return Operand(self._windows(node), True, areas)
        return Operand(self._windows(node), True)

    def _windows(self, node: Located) -> Array:
        machine = self.machine
        if len(node.sheets) > 1:
            machine.toil(NODE * len(node.sheets))
        arrays = [window(machine.planes[s], machine.used[s], node.reference, self.rect, machine.toil)
                  for s in node.sheets]
        return arrays[0] if len(arrays) == 1 else calling.join(arrays)

    def _intersect(self, node: Located, operand: Operand) -> Operand:
        """The cell of a row or column that stands level with each cell of the block, else ``#VALUE!``."""
        first = node.reference.at(self.rect.top, self.rect.left)
        if first is None or len(node.sheets) != 1:
            return self.error(VALUE)
        plane = self.machine.planes[node.sheets[0]]
        self.machine.toil(200 * self.rect.size)
        number = np.zeros((*self.rect.shape, 1, 1))
        kind = np.full((*self.rect.shape, 1, 1), VALUE, np.uint8)
        for row, column in self.rect.cells():
            rect = node.reference.at(row, column)
            if rect is None:
                continue
            at = None
            if rect.width == 1 and rect.top <= row < rect.bottom:
                at = (row, rect.left)
            elif rect.height == 1 and rect.left <= column < rect.right:
                at = (rect.top, column)
            elif rect.size > 1 and rect.contains(row, column):
                at = (row, column)
            if at is not None:
                i, j = row - self.rect.top, column - self.rect.left
                number[i, j, 0, 0], kind[i, j, 0, 0] = plane.get(*at)
        return Operand(Array(number, calling.collapse(kind)), True)

    def _external(self, node: External, want: Want) -> Operand:
        books = self.machine.grid.external
        rect = node.reference.at(self.rect.top, self.rect.left)
        if not 0 < node.book <= len(books) or rect is None:
            return self.error(REF)
        book = books[node.book - 1]
        wanted = node.sheet.casefold()
        sheet = next((i for i, name in enumerate(book.sheets) if name.casefold() == wanted), None)
        if sheet is None:
            return self.error(REF)
        self.charge(rect.size)
        number, kind = np.zeros(rect.shape), np.full(rect.shape, EMPTY, np.uint8)
        self.machine.toil(100 * min(rect.size, len(book.cells)))
        # Whichever is fewer: the cells asked for, or those that the file remembers.
        places = ((sheet, *at) for at in rect.cells()) if rect.size < len(book.cells) else book.cells
        for place in places:
            value = book.cells.get(place)
            if value is not None and place[0] == sheet and rect.contains(*place[1:]):
                at = (place[1] - rect.top, place[2] - rect.left)
                kind[at] = value.kind
                number[at] = self.texts.add(value.text) if value.kind == TEXT else value.number
        return Operand(Array(number[None, None], calling.collapse(kind[None, None])), True)

    def _name(self, node: NameRef, want: Want) -> Operand:
        variable = self.variables.get(node.name.upper())
        if variable is not None:
            return variable
        tree = self.machine.names.get(node.name)
        if tree is not None:
            return self.bind({}).evaluate(tree)
        builtin = calling.builtin_as_lambda(node.name.upper())
        return self.error(NAME) if builtin is None else Operand(Array.of(0.0, EMPTY), function=builtin)

    def _unary(self, node: Unary, want: Want) -> Operand:
        ops = [node.op]
        inner: Tree = node.operand
        while isinstance(inner, Unary):
            ops.append(inner.op)
            inner = inner.operand
        operand = self.evaluate(inner, want)
        array = operand.array
        for op in reversed(ops):
            if op == "-":
                array = operators.negate(array, self.texts)
            elif op == "%":
                array = operators.percent(array, self.texts)
        return operand if all(op == "+" for op in ops) else Operand(array)

    def _spine(self, node: Binary, want: Want) -> tuple[Array, Array]:
        """Both operands of ``node``, its left side folded without recursion: chains of + run thousands deep."""
        spine: list[Binary] = []
        inner: Tree = node.left
        while isinstance(inner, Binary) and inner.op not in _REFERENCE_OPERATORS:
            spine.append(inner)
            inner = inner.left
        left = self.evaluate(inner, want).array
        self.machine.toil(NODE * len(spine))
        for binary in reversed(spine):
            left = self.apply(binary.op, left, self.evaluate(binary.right, want).array)
        return left, self.evaluate(node.right, want).array

    def _binary(self, node: Binary, want: Want) -> Operand:
        if node.op in _REFERENCE_OPERATORS:
            return self._reference_operator(node)
        left, right = self._spine(node, want)
        return Operand(self.apply(node.op, left, right))

    def apply(self, op: str, left: Array, right: Array) -> Array:
        self._charge_broadcast(left, right)
        if op in operators.ARITHMETIC:
            return operators.arithmetic(op, left, right, self.texts)
        if op == "&":
            return operators.concatenate(left, right, self.texts)
        return operators.compare(op, left, right, self.texts)

    def _charge_broadcast(self, left: Array, right: Array) -> None:
        size = 1
        for a, b in zip(left.shape, right.shape, strict=True):
            size *= max(a, b)
        if size > 4096:
            self.charge(size)

    def _reference_operator(self, node: Binary) -> Operand:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        for side in (left, right):
            if not side.is_reference:
                return side if (side.array.kind >= 16).any() else self.error(VALUE)
        if node.op == ",":
            if left.areas and right.areas:
                return self.read((*left.areas, *right.areas))
            return Operand(calling.join([left.array, right.array]), True)
        if not (left.areas and right.areas):
            return self.error(VALUE)
        if node.op == ":":
            if left.areas[0].sheet != right.areas[0].sheet:
                return self.error(VALUE)
            whole = left.areas[0].rect
            for area in (*left.areas, *right.areas):
                whole = whole.union(area.rect)
            return self.read((Area(left.areas[0].sheet, whole),))
        common = tuple(
            Area(a.sheet, rect)
            for a in left.areas
            for b in right.areas
            if a.sheet == b.sheet and (rect := a.rect.intersection(b.rect)) is not None
        )
        return self.read(common) if common else self.error(NULL)

    def _spill(self, node: Spill, want: Want) -> Operand:
        anchor = self.evaluate(node.operand)
        if not anchor.areas:
            return self.error(REF)
        area = anchor.areas[0]
        key = (area.rect.top, area.rect.left)
        found = self.machine.grid.sheets[area.sheet].arrays.get(key)
        if found is None:
            return self.error(REF)
        return self.read((Area(area.sheet, found.rect),))

    def _single(self, node: Single, want: Want) -> Operand:
        inner = node.operand
        operand = self.evaluate(inner, "array")
        if operand.array.is_single:
            return operand
        if isinstance(inner, Located):
            return self._intersect(inner, operand)
        if operand.areas:
            area = operand.areas[0]
            rect = area.rect
            if rect.width == 1 and rect.top <= self.row < rect.bottom:
                return self.read((Area(area.sheet, Rect.cell(self.row, rect.left)),))
            if rect.height == 1 and rect.left <= self.column < rect.right:
                return self.read((Area(area.sheet, Rect.cell(rect.top, self.column)),))
            return self.error(VALUE)
        number, kind = operand.array.full()
        return Operand(Array(number[:, :, :1, :1], kind[:, :, :1, :1]))

    def _call(self, node: Call, want: Want) -> Operand:
        return calling.call(self, node, want)

    def _apply_lambda(self, node: Apply, want: Want) -> Operand:
        callee = self.evaluate(node.callee)
        if callee.function is None:
            return callee if (callee.array.kind >= 16).any() else self.error(VALUE)
        return self.call(callee.function, [self.evaluate(arg) for arg in node.args])

    def not_computed(self, reason: str) -> Operand:
        return Operand(Array.of(float(self.texts.note(reason)), NOT_COMPUTED))


_REFERENCE_OPERATORS = frozenset({":", ",", " "})

_EVALUATE: dict[type, Callable[..., Operand]] = {
    NumberLit: BlockEvaluator._literal,
    LogicalLit: BlockEvaluator._literal,
    TextLit: BlockEvaluator._text,
    ErrorLit: BlockEvaluator._error,
    Missing: BlockEvaluator._missing,
    ArrayLit: BlockEvaluator._array,
    Located: BlockEvaluator._located,
    External: BlockEvaluator._external,
    NameRef: BlockEvaluator._name,
    Unary: BlockEvaluator._unary,
    Binary: BlockEvaluator._binary,
    Call: BlockEvaluator._call,
    Apply: BlockEvaluator._apply_lambda,
    Spill: BlockEvaluator._spill,
    Single: BlockEvaluator._single,
}


def _formula_texts(grid: WorkbookGrid) -> dict[tuple[int, int, int], str]:
    return {
        (sheet.index, int(row), int(column)): text
        for sheet in grid.sheets
        for row, column, text in zip(sheet.formula_rows, sheet.formula_columns, sheet.formula_texts, strict=True)
        if text
    }


__all__ = ["BlockEvaluator", "ExcelError", "Machine", "Reference"]
