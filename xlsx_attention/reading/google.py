"""What Google Sheets stores otherwise than Excel."""

from __future__ import annotations

from xlsx_attention.model.grid import Sheet, WorkbookGrid
from xlsx_attention.model.values import ERROR_CODES, TEXT


def restore_errors(grid: WorkbookGrid) -> None:
    """Under a formula Google Sheets stores an error as a text (``t="str"``): make it the error that it is.

    A formula that really gives the text ``#N/A`` cannot be told apart; it is far rarer than an error.
    """
    errors = {index: code for text, code in ERROR_CODES.items() if (index := _find(grid, text)) is not None}
    if errors:
        for sheet in grid.sheets:
            _restore(sheet, errors)


def _find(grid: WorkbookGrid, text: str) -> int | None:
    return grid.texts.add(text) if text in grid.texts.texts else None


def _restore(sheet: Sheet, errors: dict[int, int]) -> None:
    places = list(zip(sheet.formula_rows.tolist(), sheet.formula_columns.tolist(), strict=True))
    for array in sheet.arrays.values():
        places += array.rect.cells() if array.rect.size <= 1_000_000 else ()
    for row, column in places:
        number, kind = sheet.cached.get(row, column)
        if kind == TEXT and int(number) in errors:
            sheet.cached.set(row, column, 0.0, errors[int(number)])
