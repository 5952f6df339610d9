"""A workbook as read: cells, formulas, names, and where it came from. No formula is understood here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.values import EMPTY, NOT_COMPUTED, NUMBER, TEXT, Plane, Scalar, TextPool

Ints = npt.NDArray[np.int32]

#: How a cell's formula is stored: alone or shared (``plain``), with Ctrl-Shift-Enter (``array``), or as a dynamic
#: array.
FormulaMode = Literal["plain", "array", "dynamic"]


@dataclass(frozen=True, slots=True)
class ArrayFormula:
    """The range that an array formula or a spill fills; its anchor is the top left cell."""

    rect: Rect
    mode: FormulaMode


@dataclass(frozen=True, slots=True)
class Table:
    """A table (list object): the whole range with its header and totals rows, and the column names in order."""

    name: str
    sheet: int
    rect: Rect
    columns: tuple[str, ...]
    header_rows: int = 1
    totals_rows: int = 0


@dataclass(frozen=True, slots=True)
class DefinedName:
    """``formula`` is the stored text without a leading ``=``; ``sheet`` is ``None`` for the whole workbook."""

    name: str
    formula: str
    sheet: int | None = None


@dataclass(frozen=True, slots=True)
class ExternalBook:
    """What a workbook remembers of another one: sheet names and the cached cells that it used."""

    sheets: tuple[str, ...]
    cells: dict[tuple[int, int, int], Scalar]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who saved the file. ``digits`` is how many significant digits its numbers carry (Excel 17, LibreOffice 15, …)."""

    application: str = ""
    version: str = ""
    digits: int = 17


@dataclass(frozen=True, slots=True)
class CalcSettings:
    mode: Literal["auto", "autoNoTable", "manual"] = "auto"
    iterate: bool = False
    iterate_count: int = 100
    iterate_delta: float = 0.001
    full_precision: bool = True
    date1904: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """Something odd that was read and let pass: ``code`` for machines, the cell (or part) and a sentence for people."""

    code: str
    where: str
    message: str


@dataclass(slots=True)
class Sheet:
    """One worksheet.

    ``cached`` holds constants and, under every formula, the result that the file stores (``EMPTY`` = none stored).
    The formula cells are three parallel columns in row-major order: ``formula_rows``, ``formula_columns`` (int32) and
    ``formula_texts`` (without ``=``). A member of a shared formula has the text ``""`` and its master's position in
    ``shared`` (position → position): by definition it has its master's relative form. Members of an array range hold
    no formula of their own: ``arrays`` maps the anchor to the range. ``styles`` gives each cell's index into
    ``WorkbookGrid.number_formats`` over ``cached.rect``.
    """

    name: str
    index: int
    cached: Plane
    formula_rows: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    formula_columns: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    formula_texts: list[str] = field(default_factory=list)
    shared: dict[int, int] = field(default_factory=dict)
    arrays: dict[tuple[int, int], ArrayFormula] = field(default_factory=dict)
    styles: npt.NDArray[np.uint16] | None = None
    column_widths: dict[int, float] = field(default_factory=dict)
    merged: tuple[Rect, ...] = ()
    hidden: bool = False
    part: str = ""

    @property
    def formula_count(self) -> int:
        return len(self.formula_texts)


@dataclass(slots=True)
class WorkbookGrid:
    """A whole workbook. ``texts`` is shared by every plane and by everything that is computed from them."""

    path: str
    sheets: list[Sheet]
    texts: TextPool
    names: tuple[DefinedName, ...] = ()
    tables: tuple[Table, ...] = ()
    external: tuple[ExternalBook, ...] = ()
    number_formats: tuple[str, ...] = ("General",)
    provenance: Provenance = field(default_factory=Provenance)
    calc: CalcSettings = field(default_factory=CalcSettings)
    notices: list[Notice] = field(default_factory=list)
    has_macros: bool = False
    budgets: Budgets = field(default_factory=Budgets)
    #: Elementary operations that running its formulas has cost so far; understanding the workbook anew begins at 0.
    spent: int = field(default=0, repr=False, compare=False)
    _by_name: dict[str, int] = field(default_factory=dict, repr=False, compare=False)
    _named: int = field(default=0, repr=False, compare=False)

    def sheet_index(self, name: str) -> int | None:
        """Excel compares sheet names without case."""
        if self._named != len(self.sheets):
            self._named = len(self.sheets)
            # The first of two sheets with one name, as a search from the front finds it.
            self._by_name = {sheet.name.casefold(): sheet.index for sheet in reversed(self.sheets)}
        return self._by_name.get(name.casefold())

    def scalar(self, number: float, kind: int) -> Scalar:
        """A pair from a plane as one value with its text."""
        if kind in (TEXT, NOT_COMPUTED):
            return Scalar(kind, 0.0, self.texts[number])
        return Scalar(kind, float(number))

    def value(self, sheet: int, row: int, column: int) -> Scalar:
        """The stored value of one cell."""
        return self.scalar(*self.sheets[sheet].cached.get(row, column))

    def is_blank(self, sheet: int, row: int, column: int) -> bool:
        return self.sheets[sheet].cached.get(row, column)[1] == EMPTY

    def number(self, sheet: int, row: int, column: int) -> float | None:
        number, kind = self.sheets[sheet].cached.get(row, column)
        return number if kind == NUMBER else None
