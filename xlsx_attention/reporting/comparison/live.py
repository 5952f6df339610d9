"""Live sheets: every step of the file as Excel formulas over the inputs, in the comparison workbook itself.

Constants stand as values, formulas as formulas: names and tables are written out as cells, LAMBDAs that have a name
become names of this workbook, references lead to the live sheets. A cell that its block accuses has its block's
formula, as in the recomputation from the inputs. Formulas that no copy can recompute (volatile, external, circular,
bound to their place, not computed) stand as values. Cached results are NumPy's.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from xlsxwriter.format import Format

from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Bound, Call, External, Located, Reference, Spill, Tree, nodes, with_parts
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Step
from xlsx_attention.model.values import EMPTY, NOT_COMPUTED, NUMBER, Plane
from xlsx_attention.reporting.comparison.book import Book, as_result, put, set_widths
from xlsx_attention.reporting.formula_text import FormulaTemplate, FormulaWriter, quoted_sheet
from xlsx_attention.reporting.future_functions import PLACE_BOUND
from xlsx_attention.writing import AttentionSheet

#: Verdicts whose cells stand as values.
_AS_VALUES = frozenset({"volatile", "external", "circular", "not-computed"})


def write_live(book: Book) -> None:
    """One live sheet for every sheet of the file."""
    if not book.lives:
        book.said.append(book.say("cut-live", cells=f"{book.filled:,}", limit=f"{book.limits.live:,}"))
        return
    values = 0
    names = _define_names(book)
    for sheet in book.grid.sheets:
        writer = FormulaWriter(_prefixes(book, sheet.index), names)
        values += _LiveSheet(book, writer, sheet.index).write()
    if values:
        book.said.append(book.say("live-values", cells=f"{values:,}"))


def _define_names(book: Book) -> dict[str, str]:
    """LAMBDAs that are called by name, under names that no cell and no function has: their key → the name."""
    names = {
        key: f"live_{position}_{re.sub(r'[^0-9A-Za-z_]', '_', key)}" for position, key in enumerate(book.plan.names, 1)
    }
    writer = FormulaWriter(_prefixes(book, None), names)
    for key, tree in book.plan.names.items():
        book.workbook.define_name(names[key], "=" + writer.template(tree).at(0, 0))
    return names


def _prefixes(book: Book, own: int | None) -> Callable[[tuple[int, ...]], str]:
    """Live sheets by the sheets of the file that they stand for; nothing before a cell of the own sheet."""

    def prefix(sheets: tuple[int, ...]) -> str:
        first, last = book.lives[sheets[0]], book.lives[sheets[-1]]
        if len(sheets) == 1:
            return "" if sheets[0] == own else quoted_sheet(first)
        return quoted_sheet(f"{first}:{last}")

    return prefix


class _LiveSheet:
    def __init__(self, book: Book, writer: FormulaWriter, index: int) -> None:
        self.book = book
        self.writer = writer
        self.index = index
        self.source = book.grid.sheets[index]
        self.result = next((sheet for sheet in book.report.sheets if sheet.index == index), None)
        self.values: Plane = self.result.from_inputs if self.result is not None else self.source.cached
        self.target: AttentionSheet = book.add_sheet(book.lives[index], taken=True)
        self.templates: dict[int, FormulaTemplate] = {}
        self.as_values = 0

    def write(self) -> int:
        """How many computed cells stand as values."""
        set_widths(self.target, self.source.column_widths)
        self._constants()
        if self.result is not None:
            steps = [step for step in self.book.plan.steps if step.block.sheet == self.index]
            repaired = {(r.row, r.column): r.step for r in self.book.plan.repairs if r.sheet == self.index}
            for step in steps:
                self._step(step, repaired)
            for (row, column), owner in repaired.items():
                self._formula(self.book.plan.steps[owner], row, column)
        self.target.freeze_panes(1, 0)
        return self.as_values

    def _constants(self) -> None:
        rect = self.values.rect
        for i, j in np.argwhere(self.values.kind != EMPTY).tolist():
            self._value(rect.top + i, rect.left + j)
        for row, column in self.values.outliers:
            self._value(row, column)

    def _value(self, row: int, column: int) -> None:
        value = self.book.grid.scalar(*self.values.get(row, column))
        if value.kind == NOT_COMPUTED:
            value = self.book.grid.value(self.index, row, column)
        put(self.target, row, column, value, self._style(row, column))

    def _style(self, row: int, column: int) -> Format | None:
        facts = self.book.facts.get(self.index)
        code = facts.number_format(row, column) if facts is not None else "General"
        return None if code == "General" else self.book.cell_format(None, code)

    def _step(self, step: Step, repaired: dict[tuple[int, int], int]) -> None:
        block = step.block
        if not _recomputable(step):
            self.as_values += block.cells.size
            return
        if block.spill is not None:
            self._array(step, block.spill)
            return
        for row, column in block.rect.cells():
            if (row, column) not in repaired:
                self._formula(step, row, column)

    def _keeps_value(self, row: int, column: int) -> bool:
        assert self.result is not None
        return self.result.verdict(row, column) in _AS_VALUES or self.values.get(row, column)[1] == NOT_COMPUTED

    def _template(self, step: Step) -> FormulaTemplate:
        template = self.templates.get(step.index)
        if template is None:
            tree = step.tree
            if step.block.rect.size == 1:
                tree = _without_spills(tree, self.book.grid, step.block.rect.top, step.block.rect.left)
            template = self.templates[step.index] = self.writer.template(tree)
        return template

    def _formula(self, step: Step, row: int, column: int) -> None:
        if self._keeps_value(row, column):
            self.as_values += 1
            return
        formula = self._template(step).at(row, column)
        number, kind = self.values.get(row, column)
        mode = step.block.mode
        if mode == "plain":
            result = number if kind == NUMBER else as_result(self.book.grid.scalar(number, kind))
            self.target.write_formula_cached(row, column, formula, self._style(row, column), result)
        else:
            result = as_result(self.book.grid.scalar(number, kind))
            style = self._style(row, column)
            self.target.write_array_cached(
                Rect.cell(row, column), formula, style, [[result]], dynamic=mode == "dynamic"
            )

    def _array(self, step: Step, rect: Rect) -> None:
        if any(self._keeps_value(row, column) for row, column in rect.cells()):
            self.as_values += rect.size
            return
        top, left = rect.top, rect.left
        results = [
            [as_result(self.book.grid.scalar(*self.values.get(row, column))) for column in range(left, rect.right)]
            for row in range(top, rect.bottom)
        ]
        formula = self._template(step).at(step.block.rect.top, step.block.rect.left)
        dynamic = step.block.mode == "dynamic"
        self.target.write_array_cached(rect, formula, self._style(top, left), results, dynamic=dynamic)


def _without_spills(tree: Tree, grid: WorkbookGrid, row: int, column: int) -> Tree:
    """``A1#`` as the range that the file gives the spill: programs without dynamic arrays can then follow.

    On a live sheet the two are one: its spills are stored with the file's ranges.
    """

    def visit(node: Tree) -> Tree:
        if isinstance(node, Spill):
            return _spilled(node, grid, row, column) or Spill(visit(node.operand))
        return with_parts(node, visit)

    return visit(tree) if _any(tree, lambda node: isinstance(node, Spill)) else tree


def _spilled(node: Spill, grid: WorkbookGrid, row: int, column: int) -> Tree | None:
    operand = node.operand
    if not isinstance(operand, Located) or len(operand.sheets) != 1 or operand.reference.is_range:
        return None
    ref = operand.reference
    array = grid.sheets[operand.sheets[0]].arrays.get((ref.top.at(row), ref.left.at(column)))
    if array is None:
        return None
    bottom = Bound(ref.top.index + array.rect.height - 1, ref.top.absolute)
    right = Bound(ref.left.index + array.rect.width - 1, ref.left.absolute)
    return Located(operand.sheets, Reference(ref.top, ref.left, bottom, right, is_range=True))


def _recomputable(step: Step) -> bool:
    return not (
        step.volatile or step.external or step.lacking or step.block.form.tree is None or _any(step.tree, _bound)
    )


def _bound(node: Tree) -> bool:
    """Whether a part looks at its place, at text that names cells, or into another workbook."""
    return isinstance(node, External) or (isinstance(node, Call) and node.name in PLACE_BOUND)


def _any(tree: Tree, holds: Callable[[Tree], bool]) -> bool:
    """Whether any part of a tree is so."""
    return any(map(holds, nodes(tree)))
