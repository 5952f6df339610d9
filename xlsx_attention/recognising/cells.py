"""Every cell of a workbook by number: what it computes, which cell it merely repeats, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, inf
from typing import Final

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Tree
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Step
from xlsx_attention.recognising.array_functions import ARRAY_FUNCTIONS
from xlsx_attention.recognising.inside import Inside
from xlsx_attention.recognising.straight import straightened
from xlsx_attention.recognising.symbols import Block, Scope, Unclear, read
from xlsx_attention.recognising.terms import (
    ROUNDINGS,
    Cell,
    Exp,
    Expr,
    Func,
    If,
    Inverse,
    Max,
    Num,
    Power,
    Product,
    Sum,
    pack,
    unpack,
)
from xlsx_attention.recognising.thinning import kept

#: Chains of copies and of formulas longer than this are not followed.
DEEPEST: Final = 60
#: A number as low as this in a score's place hides it.
TYPED_MASK: Final = -1e4


@dataclass(slots=True)
class Cells:
    """All that recognition asks of a workbook's cells, each answer remembered.

    ``supposed`` holds what bare numbers seem to compute; it stands in for the formulas that a sheet does not have.
    ``thin``: long ranges are read by their ends. ``mend``: a cell that lacks its block's formula is read as if it held
    it, and ranges that wander are held.
    """

    grid: WorkbookGrid
    plan: Plan
    supposed: dict[int, Expr] = field(default_factory=dict)
    mend: bool = True
    thin: bool = False
    inside: Inside = field(init=False)
    _owners: list[tuple[Rect, npt.NDArray[np.int32]]] = field(default_factory=list)
    _mended: dict[int, int] = field(default_factory=dict)
    _arrays: dict[int, Block | None] = field(default_factory=dict)
    _raw: dict[int, Expr | None] = field(default_factory=dict)
    _same: dict[int, int] = field(default_factory=dict)
    _values: dict[int, float | None] = field(default_factory=dict)
    _trees: dict[int, Tree] = field(default_factory=dict)
    _ranges: dict[tuple[int, Rect, bool], tuple[Expr, ...]] = field(default_factory=dict)
    _blocks: dict[tuple[int, Rect, bool], Block] = field(default_factory=dict)
    _before: dict[int, int] = field(default_factory=dict)
    _begun: set[int] = field(default_factory=set)
    _readers: dict[int, int] = field(default_factory=dict)
    _parameters: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.inside = Inside(len(self.grid.sheets))
        reach = [sheet.cached.used for sheet in self.grid.sheets]
        for step in self.plan.steps:
            reach[step.block.sheet] = reach[step.block.sheet].union(step.block.cells)
        for sheet, used in zip(self.grid.sheets, reach, strict=True):
            dense = used if used.size <= 20_000_000 else sheet.cached.rect
            self._owners.append((dense, np.full(dense.shape, -1, np.int32)))
        for step in self.plan.steps:
            rect, plane = self._owners[step.block.sheet]
            inside = step.block.cells.intersection(rect)
            if inside is not None:
                rows = slice(inside.top - rect.top, inside.bottom - rect.top)
                plane[rows, inside.left - rect.left : inside.right - rect.left] = step.index
        for repair in self.plan.repairs if self.mend else ():
            typed = self.grid.number(repair.sheet, repair.row, repair.column) if repair.own is None else None
            # A −1e9 typed among scores is a mask by hand, no slip.
            if typed is None or typed > TYPED_MASK:
                self._mended[pack(repair.sheet, repair.row, repair.column)] = repair.step

    def step_of(self, cell: int, *, mended: bool = True) -> int | None:
        """The step whose formula a cell holds, or should hold where it is a hole in its block."""
        if mended and cell in self._mended:
            return self._mended[cell]
        sheet, row, column = unpack(cell)
        if sheet >= self.inside.first:
            return None
        rect, plane = self._owners[sheet]
        if not rect.contains(row, column):
            return None
        found = int(plane[row - rect.top, column - rect.left])
        return None if found < 0 else found

    def raw(self, cell: int) -> Expr | None:
        """A cell's formula over the cells that it names; ``None`` for a constant and for what cannot be followed."""
        if cell not in self._raw:
            self._raw[cell] = self._read(cell)
        return self._raw[cell]

    def _read(self, cell: int) -> Expr | None:
        index = self.step_of(cell)
        if index is None:
            return self.supposed.get(cell) or self.inside.raw.get(cell)
        step = self.plan.steps[index]
        _, row, column = unpack(cell)
        try:
            if step.block.spill is None:
                return read(self._tree(step), self._scope(step, row, column))(0, 0)
            array = self._array(step)
            anchor = step.block.cells
            return None if array is None else array(*self._position(anchor, row - anchor.top, column - anchor.left))
        except (Unclear, RecursionError):
            return None

    def _position(self, rect: Rect, row: int, column: int) -> tuple[int, int]:
        """Where an array holds what it gives to a cell of its range."""
        if not self.thin:
            return row, column
        rows, columns = kept(rect.height), kept(rect.width)
        if row not in rows or column not in columns:
            raise Unclear("no sampled cell")
        return rows.index(row), columns.index(column)

    def before(self, step: int) -> int:
        """All that a step follows from, itself too: bit *i* of the number stands for step *i*."""
        if not self._before:
            edges, done = self.plan.edges, self._before
            for root in range(len(self.plan.steps)):
                stack = [root]
                while stack:
                    node = stack[-1]
                    if node in done:
                        stack.pop()
                        continue
                    # On a cycle, what is begun counts as done.
                    self._begun.add(node)
                    rest = [other for other in edges.get(node, ()) if other not in done and other not in self._begun]
                    if rest:
                        stack += rest
                        continue
                    found = 1 << node
                    for other in edges.get(node, ()):
                        found |= done.get(other, 0)
                    done[node] = found
                    stack.pop()
        return self._before[step]

    def readers(self, cell: int) -> int:
        """The steps that read a cell, a bit each."""
        if cell not in self._readers:
            sheet, row, column = unpack(cell)
            self._readers[cell] = sum(
                1 << step.index
                for step in self.plan.steps
                if any(read.sheet == sheet and read.rect.contains(row, column) for read in step.reads)
            )
        return self._readers[cell]

    def steps_in(self, sheet: int, rect: Rect, *, mended: bool = True) -> tuple[int, ...]:
        """All steps whose formulas a rectangle's cells hold, with ``mended`` holes of blocks included."""
        home, plane = self._owners[sheet]
        inside = rect.intersection(home)
        found: set[int] = set()
        if inside is not None:
            rows = slice(inside.top - home.top, inside.bottom - home.top)
            found.update(np.unique(plane[rows, inside.left - home.left : inside.right - home.left]).tolist())
        for cell, step in self._mended.items() if mended else ():
            at, row, column = unpack(cell)
            if at == sheet and rect.contains(row, column):
                found.add(step)
        return tuple(sorted(found - {-1}))

    def _tree(self, step: Step) -> Tree:
        if not self.mend:
            return step.tree
        if step.index not in self._trees:
            self._trees[step.index] = straightened(step.tree, step.block.rect)
        return self._trees[step.index]

    def _scope(self, step: Step, row: int, column: int) -> Scope:
        plain = step.block.mode == "plain"
        return Scope(
            self.grid,
            self.plan.names,
            step.block.sheet,
            row,
            column,
            plain,
            ARRAY_FUNCTIONS,
            ranges=self._ranges,
            blocks=self._blocks,
            thin=self.thin,
            inside=self.inside if self.mend and step.block.spill is not None else None,
        )

    def _array(self, step: Step) -> Block | None:
        """What a formula that fills a range gives, read once for the range."""
        if step.index not in self._arrays:
            rect = step.block.rect
            try:
                self._arrays[step.index] = read(step.tree, self._scope(step, rect.top, rect.left))
            except Unclear:
                self._arrays[step.index] = None
        return self._arrays[step.index]

    def same(self, cell: int) -> int:
        """The cell that this one repeats, through any number of copies and transposes; itself if it is no copy."""
        found = self._same.get(cell)
        if found is None:
            found = cell
            seen = {cell}
            while isinstance(shown := self.raw(found), Cell) and shown.id not in seen:
                found = shown.id
                seen.add(found)
            self._same[cell] = found
        return found

    def expand(self, cell: int) -> Expr | None:
        """What a cell computes, seen through copies; ``None`` for an input."""
        found = self.raw(self.same(cell))
        return None if isinstance(found, Cell) else found

    def is_parameter(self, of: Expr, depth: int = 0) -> bool:
        """Whether an expression is made of numbers and input cells alone, as a scale is: ``SQRT(d)``, ``1/SQRT(d)``."""
        if depth > 6:
            return False
        match of:
            case Num():
                return True
            case Cell(cell):
                cell = self.same(cell)
                if cell not in self._parameters:
                    self._parameters[cell] = False
                    body = self.expand(cell)
                    self._parameters[cell] = self.step_of(cell) is None if body is None else self._small(body, depth)
                return self._parameters[cell]
            case Inverse(inner) | Exp(inner):
                return self.is_parameter(inner, depth + 1)
            case Power(base, exponent):
                return self.is_parameter(base, depth + 1) and self.is_parameter(exponent, depth + 1)
            case Product(items) | Sum(items) | Func(_, items):
                return len(items) <= 4 and all(self.is_parameter(item, depth + 1) for item in items)
            case _:
                return False

    def _small(self, body: Expr, depth: int) -> bool:
        if isinstance(body, Func) and body.name in ("COUNT", "COUNTA", "COUNTIF"):
            return True
        return not isinstance(body, (Sum, Max)) and self.is_parameter(body, depth + 1)

    def value(self, of: Expr, depth: int = 0) -> float | None:
        """An expression's worth by the numbers that the file stores, computed where it stores none."""
        if depth > DEEPEST:
            return None
        match of:
            case Num(number):
                return number
            case Cell(cell):
                return self.number(cell, depth)
            case Func(name, args):
                return self._function(name, args, depth)
            case If(condition, yes, no):
                test = self.value(condition, depth + 1)
                return None if test is None else self.value(yes if test else no, depth + 1)
            case Sum(items) | Product(items) | Max(items):
                values = [self.value(item, depth + 1) for item in items]
                numbers = [value for value in values if value is not None]
                if len(numbers) < len(values):
                    return None
                if isinstance(of, Max):
                    return max(numbers)
                return sum(numbers) if isinstance(of, Sum) else float(np.prod(numbers))
            case Inverse(inner):
                divisor = self.value(inner, depth + 1)
                return None if not divisor else 1.0 / divisor
            case Exp(inner):
                exponent_ = self.value(inner, depth + 1)
                return None if exponent_ is None else exp(min(exponent_, 700.0))
            case Power(base, exponent):
                a, b = self.value(base, depth + 1), self.value(exponent, depth + 1)
                if a is None or b is None or (a < 0 and b % 1) or (a == 0 and b < 0):
                    return None
                return float(a**b)

    def number(self, cell: int, depth: int = 0) -> float | None:
        """The stored number (an empty cell is 0, a logical 1 or 0); computed where a formula has no stored value."""
        if cell not in self._values:
            sheet, row, column = unpack(cell)
            if sheet >= self.inside.first:
                self._values[cell] = None if (hidden := self.raw(cell)) is None else self.value(hidden, depth + 1)
                return self._values[cell]
            value = self.grid.value(sheet, row, column).python
            if isinstance(value, (int, float)):
                self._values[cell] = float(value)
            elif value is None:
                body = self.raw(cell)
                owned = self.step_of(cell) is not None
                self._values[cell] = (self.value(body, depth + 1) if body is not None else None) if owned else 0.0
            elif isinstance(value, str) and value.strip().lower() in ("-inf", "-∞", "−∞", "-infinity"):
                self._values[cell] = -inf
            else:
                self._values[cell] = None
        return self._values[cell]

    def _function(self, name: str, args: tuple[Expr, ...], depth: int) -> float | None:
        values = [self.value(arg, depth + 1) for arg in args]
        numbers = [value for value in values if value is not None]
        if len(numbers) < len(values):
            return None
        table = {
            "=": lambda: float(numbers[0] == numbers[1]),
            "<>": lambda: float(numbers[0] != numbers[1]),
            "<": lambda: float(numbers[0] < numbers[1]),
            ">": lambda: float(numbers[0] > numbers[1]),
            "<=": lambda: float(numbers[0] <= numbers[1]),
            ">=": lambda: float(numbers[0] >= numbers[1]),
            "AND": lambda: float(all(numbers)),
            "OR": lambda: float(any(numbers)),
            "NOT": lambda: float(not numbers[0]),
            **{name: lambda: numbers[0] for name in ROUNDINGS},
            "ABS": lambda: abs(numbers[0]),
            "COUNT": lambda: float(len(numbers)),
            "AVERAGE": lambda: sum(numbers) / len(numbers),
            "MIN": lambda: min(numbers),
        }
        compute = table.get(name)
        return None if compute is None or not numbers else compute()
