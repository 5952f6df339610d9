"""Formula cells for the tests: by hand, and from files by way of openpyxl: no stage but this one is at work."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import openpyxl
from openpyxl.worksheet.formula import ArrayFormula as OpenpyxlArray

from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import ArrayFormula, Sheet, WorkbookGrid
from xlsx_attention.model.values import Plane, TextPool


def sheet_of(
    cells: Mapping[tuple[int, int], str],
    index: int = 0,
    arrays: dict[tuple[int, int], ArrayFormula] | None = None,
    shared: dict[tuple[int, int], tuple[int, int]] | None = None,
) -> Sheet:
    """A sheet with these formulas; ``shared`` maps member → master, both as cells."""
    members = shared or {}
    places = sorted([*cells, *members])
    position = {place: at for at, place in enumerate(places)}
    return Sheet(
        f"Sheet{index + 1}",
        index,
        Plane.empty(Rect(0, 0, 1, 1)),
        formula_rows=np.array([row for row, _ in places], np.int32),
        formula_columns=np.array([column for _, column in places], np.int32),
        formula_texts=[cells.get(place, "") for place in places],
        shared={position[member]: position[master] for member, master in members.items()},
        arrays=arrays or {},
    )


def grid_of(*sheets: Sheet) -> WorkbookGrid:
    return WorkbookGrid("book.xlsx", list(sheets), TextPool())


def read_formulas(path: Path) -> WorkbookGrid | None:
    """Every formula cell of a file; ``None`` where openpyxl refuses the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            book = openpyxl.load_workbook(path)
        except (ValueError, TypeError, KeyError):
            return None
    sheets = []
    for index, worksheet in enumerate(book.worksheets):
        cells: dict[tuple[int, int], str] = {}
        arrays: dict[tuple[int, int], ArrayFormula] = {}
        for cell in (cell for row in worksheet.iter_rows() for cell in row):
            value, place = cell.value, (cell.row - 1, cell.column - 1)
            if isinstance(value, OpenpyxlArray):
                arrays[place] = ArrayFormula(Rect.parse(value.ref), "array")
                value = value.text
            elif cell.data_type != "f":
                continue
            if isinstance(value, str) and value not in ("", "="):
                cells[place] = value.removeprefix("=")
            else:
                arrays.pop(place, None)
        sheets.append(sheet_of(cells, index, arrays))
    return grid_of(*sheets)
