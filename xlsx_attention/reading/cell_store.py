"""Cells of one sheet while it is read: growing columns, no object for a cell but its formula's text."""

from __future__ import annotations

from array import array
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import MAX_COLUMNS, Rect, cell_name
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.grid import ArrayFormula, FormulaMode, Ints
from xlsx_attention.model.values import Floats, Kinds
from xlsx_attention.reading.notices import NoticeLog
from xlsx_attention.reading.strings import unescape
from xlsx_attention.reading.workbook_part import truth
from xlsx_attention.reading.xml_events import Attributes

Styles = npt.NDArray[np.uint16]

#: Pending cells are turned into arrays at this number, so that lists of Python numbers stay small.
_FLUSH = 1 << 16
#: Elements that all array ranges of a sheet may cover together before a range is cut to the cells that exist.
_ARRAY_AREA = 1 << 19
#: Cells of a cut range for each that the file holds, from which on it is taken for its first cell alone.
_ARRAY_FILL = 64
_ARRAY_CUTS = 1_000
#: Stored numbers kept as text to measure how many digits the application writes.
SAMPLE = 2_048


@dataclass(slots=True)
class Tally:
    """What all sheets of a workbook have used of the budgets, and a sample of the numbers stored under formulas."""

    cells: int = 0
    formulas: int = 0
    numbers: set[str] = field(default_factory=set)


@dataclass(slots=True)
class SheetCells:
    """The cells of a sheet in row-major order, each once. ``formula_cells`` are indices into the other columns."""

    rows: Ints
    columns: Ints
    numbers: Floats
    kinds: Kinds
    styles: Styles
    formula_cells: npt.NDArray[np.int64]
    formula_texts: list[str]
    shared: dict[int, int]
    arrays: dict[tuple[int, int], ArrayFormula]
    empty_formulas: list[tuple[int, int]]


class CellStore:
    """Takes cells in any order; :meth:`finish` sorts them and settles shared formulas and array ranges."""

    def __init__(
        self, part: str, scope: str, budgets: Budgets, tally: Tally, notices: NoticeLog, dynamic: Container[int]
    ) -> None:
        self.part, self.scope, self.budgets, self.tally, self.notices = part, scope, budgets, tally, notices
        self._dynamic = dynamic
        self._blocks: list[tuple[Any, ...]] = []
        self._count = 0
        self._filled = 0
        self._pending: tuple[list[int], list[int], list[float], list[int], list[int]] = ([], [], [], [], [])
        self._formula_cells = array("q")
        self._texts: list[str] = []
        self._members: dict[int, str] = {}
        self._member_masters: dict[int, int] = {}
        self._masters: dict[str, int] = {}
        self._arrays: list[tuple[int, int, Rect, FormulaMode]] = []
        self._empty: list[tuple[int, int]] = []

    # cells

    def add(self, row: int, column: int, number: float, kind: int, style: int, filled: bool) -> int:
        """One cell; gives its index, which :meth:`add_formula` takes."""
        rows, columns, numbers, kinds, styles = self._pending
        if len(rows) >= _FLUSH:
            self.flush()
            rows, columns, numbers, kinds, styles = self._pending
        rows.append(row)
        columns.append(column)
        numbers.append(number)
        kinds.append(kind)
        styles.append(style)
        if filled:
            self._filled += 1
        return self._count + len(rows) - 1

    def flush(self) -> None:
        """Turn pending cells into arrays and check the budgets."""
        rows, columns, numbers, kinds, styles = self._pending
        if rows:
            self._blocks.append(
                (
                    np.array(rows, np.int32),
                    np.array(columns, np.int32),
                    np.array(numbers, np.float64),
                    np.array(kinds, np.uint8),
                    np.array(styles, np.uint16),
                )
            )
            self._count += len(rows)
            self._pending = ([], [], [], [], [])
        self._check()

    def add_block(self, rows: Ints, columns: Ints, numbers: Floats, kinds: Kinds, styles: Styles, filled: int) -> int:
        """Many cells at once; gives the index of the first."""
        self.flush()
        first = self._count
        self._blocks.append((rows, columns, numbers, kinds, styles))
        self._count += len(rows)
        self._filled += filled
        self._check()
        return first

    def _check(self) -> None:
        cells, formulas = self.tally.cells + self._filled, self.tally.formulas + len(self._texts)
        if self._count > self.budgets.elements:
            raise self.budgets.over("elements", self._count, self.part)
        if cells > self.budgets.cells:
            raise self.budgets.over("cells", cells, self.part)
        if formulas > self.budgets.formulas:
            raise self.budgets.over("formulas", formulas, self.part)

    def sample(self, text: str) -> None:
        """A number as it is stored under a formula."""
        if len(self.tally.numbers) < SAMPLE:
            self.tally.numbers.add(text)

    # formulas

    def add_formulas(self, cells: npt.NDArray[np.int64], texts: list[str]) -> None:
        """Plain formulas, with the indices of their cells."""
        self._formula_cells.frombytes(cells.astype(np.int64).tobytes())
        self._texts.extend(texts)

    def add_formula(self, cell: int, row: int, column: int, attributes: Attributes, text: str, metadata: int) -> None:
        """The formula of a cell as its ``f`` element has it; ``metadata`` is the cell's ``cm``."""
        kind = attributes.get("t", "normal")
        text = unescape(text)
        if len(text) > self.budgets.formula_length:
            self.notice(
                "formula-too-long",
                row,
                column,
                f"a formula of {len(text):,} characters, the limit is {self.budgets.formula_length:,} "
                f"({self.budgets.option('formula_length')}); the cell is not computed",
            )
            text = "FORMULA_TOO_LONG()"
        if kind == "shared":
            self._add_shared(cell, attributes, text)
        elif kind == "dataTable":
            self.notice("data-table", row, column, "a what-if data table is not computed")
            self._add_array(row, column, attributes, "array")
            self._append(cell, _data_table(attributes))
        elif not text.strip():
            self._empty.append((row, column))
        else:
            if kind == "array":
                self._add_array(row, column, attributes, "dynamic" if metadata in self._dynamic else "array")
            elif kind != "normal":
                self.notice("unknown-formula-type", row, column, f"unknown formula type {kind[:20]!r}, read as plain")
            self._append(cell, text)

    def _append(self, cell: int, text: str) -> None:
        self._formula_cells.append(cell)
        self._texts.append(text)

    def _add_shared(self, cell: int, attributes: Attributes, text: str) -> None:
        """A member takes its master's formula and its own text, if any, does not count (ECMA-376 part 1, 18.3.1.40)."""
        group = attributes.get("si", "")
        formula = len(self._texts)
        if text and ("ref" in attributes or group not in self._masters):
            self._masters[group] = formula
        elif group in self._masters:
            self._member_masters[formula] = self._masters[group]
            text = ""
        else:
            self._members[formula] = group
        self._append(cell, text)

    def _add_array(self, row: int, column: int, attributes: Attributes, mode: FormulaMode) -> None:
        rect = Rect.cell(row, column)
        try:
            claimed = Rect.parse(attributes.get("ref", ""))
        except ValueError:
            claimed = None
        if claimed is not None and (claimed.top, claimed.left) == (row, column):
            rect = claimed
        else:
            self.notice("array-range", row, column, "the range of the array formula does not begin at its cell")
        self._arrays.append((row, column, rect, mode))

    def notice(self, code: str, row: int, column: int, message: str) -> None:
        self.notices.add(code, self.scope, cell_name(row, column), message)

    # the end

    def finish(self) -> SheetCells:
        self.flush()
        self.tally.cells += self._filled
        self.tally.formulas += len(self._texts)
        rows, columns, numbers, kinds, styles = self._columns()
        formula_cells = np.frombuffer(self._formula_cells, np.int64) if self._texts else np.zeros(0, np.int64)
        texts = self._texts
        shared = self._settle_shared(rows, columns, formula_cells)
        keys = rows.astype(np.int64) * MAX_COLUMNS + columns
        if len(keys) > 1 and not bool(np.all(keys[1:] > keys[:-1])):
            keep = self._order(keys, rows, columns)
            place = np.full(len(keys), -1, np.int64)
            place[keep] = np.arange(len(keep))
            rows, columns, numbers, kinds, styles = (column[keep] for column in (rows, columns, numbers, kinds, styles))
            moved = place[formula_cells]
            order = np.argsort(moved, kind="stable")
            order = order[moved[order] >= 0]
            formula_cells = moved[order]
            texts = [texts[index] for index in order.tolist()]
            shared = self._reorder(shared, order.tolist(), texts)
        elif len(formula_cells) > 1 and not bool(np.all(formula_cells[1:] > formula_cells[:-1])):
            raise AssertionError("formulas are added in the order of their cells")
        arrays = self._settle_arrays(rows, columns)
        return SheetCells(rows, columns, numbers, kinds, styles, formula_cells, texts, shared, arrays, self._empty)

    def _columns(self) -> tuple[Any, ...]:
        if not self._blocks:
            types = (np.int32, np.int32, np.float64, np.uint8, np.uint16)
            return tuple(np.zeros(0, type_) for type_ in types)
        columns = []
        for index in range(5):
            columns.append(np.concatenate([block[index] for block in self._blocks]))
        self._blocks.clear()
        return tuple(columns)

    def _order(self, keys: npt.NDArray[np.int64], rows: Ints, columns: Ints) -> npt.NDArray[np.intp]:
        """Row-major order; of cells written twice, the last."""
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        last = np.append(ordered[1:] != ordered[:-1], True)
        for index in order[~last][:200].tolist():
            self.notice(
                "duplicate-cell",
                int(rows[index]),
                int(columns[index]),
                "the cell is written twice; the last one counts",
            )
        kept: npt.NDArray[np.intp] = order[last]
        return kept

    def _settle_shared(self, rows: Ints, columns: Ints, formula_cells: npt.NDArray[np.int64]) -> dict[int, int]:
        shared = dict(self._member_masters)
        for formula, group in self._members.items():
            master = self._masters.get(group)
            if master is not None:
                shared[formula] = master
                continue
            cell = int(formula_cells[formula])
            self._texts[formula] = "SHARED_FORMULA_MISSING()"
            self.notice(
                "shared-master-missing",
                int(rows[cell]),
                int(columns[cell]),
                "the first cell of this shared formula is missing; the cell is not computed",
            )
        return shared

    @staticmethod
    def _reorder(shared: dict[int, int], order: list[int], texts: list[str]) -> dict[int, int]:
        """Shared formulas after sorting. Where a doubled cell took the master away, its members lose their formula."""
        place = {old: new for new, old in enumerate(order)}
        moved: dict[int, int] = {}
        for member, master in shared.items():
            if member in place and master in place:
                moved[place[member]] = place[master]
            elif member in place:
                texts[place[member]] = "SHARED_FORMULA_MISSING()"
        return moved

    def _settle_arrays(self, rows: Ints, columns: Ints) -> dict[tuple[int, int], ArrayFormula]:
        arrays: dict[tuple[int, int], ArrayFormula] = {}
        area = cuts = 0
        for row, column, rect, mode in self._arrays:
            if area + rect.size > _ARRAY_AREA:
                cuts += 1
                claimed, rect = (
                    rect,
                    self._existing(rect, rows, columns) if cuts <= _ARRAY_CUTS else Rect.cell(row, column),
                )
                if rect != claimed:
                    self.notice(
                        "array-range", row, column, f"the array range {claimed.a1} is cut to {rect.a1}, its cells"
                    )
            area += rect.size
            arrays[row, column] = ArrayFormula(rect, mode)
        return arrays

    @staticmethod
    def _existing(rect: Rect, rows: Ints, columns: Ints) -> Rect:
        first, last = np.searchsorted(rows, (rect.top, rect.bottom))
        rows, columns = rows[first:last], columns[first:last]
        inside = (columns >= rect.left) & (columns < rect.right)
        if not inside.any():
            return Rect.cell(rect.top, rect.left)
        found = Rect(rect.top, rect.left, int(rows[inside].max()) + 1, int(columns[inside].max()) + 1)
        # Two cells can lie as far apart as the grid is wide: a range that is nearly empty is no array's.
        sparse = found.size > _ARRAY_FILL * int(inside.sum())
        return Rect.cell(rect.top, rect.left) if sparse else found


def _data_table(attributes: Attributes) -> str:
    """As Excel shows it: ``TABLE(row input, column input)``."""
    first = "#REF!" if truth(attributes.get("del1"), False) else attributes.get("r1", "")
    second = "#REF!" if truth(attributes.get("del2"), False) else attributes.get("r2", "")
    if truth(attributes.get("dt2D"), False):
        return f"TABLE({first},{second})"
    return f"TABLE({first},)" if truth(attributes.get("dtr"), False) else f"TABLE(,{first})"
