"""Sheets → blocks: rectangles of formula cells with one relative form and one mode.

The cells of a form are cut into rectangles row by row (runs of neighbours, joined downwards where they have the same
columns) and column by column, and the cut with fewer rectangles is kept, by rows where they tie. Each formula cell is
in exactly one block. Blocks come sheet by sheet, in the order of their top left cells as a sheet is read.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import MAX_COLUMNS, Rect
from xlsx_attention.model.formula import Block, FormulaForm
from xlsx_attention.model.grid import FormulaMode, Ints, Sheet, WorkbookGrid
from xlsx_attention.parsing.fill import number_forms
from xlsx_attention.parsing.relative import formula_at

_MODES: Final[tuple[FormulaMode, ...]] = ("plain", "array", "dynamic")
_Longs = npt.NDArray[np.int64]


def find_blocks(grid: WorkbookGrid) -> tuple[Block, ...]:
    """The blocks of every sheet. A formula that does not parse is in a block whose form has no tree and says why."""
    return tuple(block for sheet in grid.sheets for block in sheet_blocks(sheet))


def sheet_blocks(sheet: Sheet) -> list[Block]:
    """The blocks of one sheet."""
    rows, columns = sheet.formula_rows, sheet.formula_columns
    if not len(rows):
        return []
    numbers, forms = _forms_of(sheet)
    # One code for each form and mode; a formula that fills a larger range stands alone, so it gets a code of its own.
    codes = numbers.astype(np.int64) * len(_MODES)
    keys = rows.astype(np.int64) * MAX_COLUMNS + columns
    spills: dict[int, Rect] = {}
    if sheet.arrays:
        anchors = np.array([row * MAX_COLUMNS + column for row, column in sheet.arrays], np.int64)
        places = np.searchsorted(keys, anchors).clip(max=len(keys) - 1)
        arrays = zip(places.tolist(), anchors.tolist(), sheet.arrays.values(), strict=True)
        for place, anchor, array in arrays:
            if keys[place] != anchor:
                continue
            codes[place] += _MODES.index(array.mode)
            if array.rect.size > 1:
                spills[place] = array.rect
    alone = np.zeros(len(rows), np.bool_)
    alone[list(spills)] = True
    cuts = _cut(rows[~alone].astype(np.int64), columns[~alone].astype(np.int64), codes[~alone])
    blocks = [_block(sheet, Rect(*rect), code, forms, keys) for *rect, code in cuts.tolist()]
    for place, spill in spills.items():
        anchor_rect = Rect.cell(int(rows[place]), int(columns[place]))
        blocks.append(_block(sheet, anchor_rect, int(codes[place]), forms, keys, spill))
    blocks.sort(key=lambda block: (block.rect.top, block.rect.left))
    return blocks


def _forms_of(sheet: Sheet) -> tuple[Ints, list[FormulaForm]]:
    """Numbers of forms by position, those of shared members taken from their masters."""
    if not sheet.shared:
        return number_forms(sheet.formula_rows, sheet.formula_columns, sheet.formula_texts)
    members = np.fromiter(sheet.shared.keys(), np.int64, len(sheet.shared))
    masters = np.fromiter(sheet.shared.values(), np.int64, len(sheet.shared))
    own = np.ones(sheet.formula_count, np.bool_)
    own[members] = False
    places = np.flatnonzero(own)
    texts = [sheet.formula_texts[place] for place in places.tolist()]
    numbers = np.zeros(sheet.formula_count, np.int32)
    numbers[places], forms = number_forms(sheet.formula_rows[own], sheet.formula_columns[own], texts)
    numbers[members] = numbers[masters]
    return numbers, forms


def _block(
    sheet: Sheet, rect: Rect, code: int, forms: list[FormulaForm], keys: _Longs, spill: Rect | None = None
) -> Block:
    number, mode = divmod(code, len(_MODES))
    place = int(np.searchsorted(keys, rect.top * MAX_COLUMNS + rect.left))
    form = forms[number]
    sample = sheet.formula_texts[place] or formula_at(form, rect.top, rect.left)
    return Block(sheet.index, rect, form, _MODES[mode], sample, spill)


def _cut(rows: _Longs, columns: _Longs, codes: _Longs) -> _Longs:
    """Cells in row-major order → rectangles, shape (n, 5): top, left, bottom, right, code."""
    if not len(rows):
        return np.zeros((0, 5), np.int64)
    by_rows = _strips(rows, columns, codes)
    kinds, counts = np.unique(by_rows[:, 4], return_counts=True)
    split = kinds[counts > 1]
    if not len(split):
        return by_rows
    some = np.isin(codes, split)
    order = np.lexsort((rows[some], columns[some]))
    flipped = _strips(columns[some][order], rows[some][order], codes[some][order])
    by_columns = flipped[:, [1, 0, 3, 2, 4]]
    column_kinds, column_counts = np.unique(by_columns[:, 4], return_counts=True)
    better = column_kinds[column_counts < counts[np.searchsorted(kinds, column_kinds)]]
    return np.concatenate((by_rows[~np.isin(by_rows[:, 4], better)], by_columns[np.isin(by_columns[:, 4], better)]))


def _strips(rows: _Longs, columns: _Longs, codes: _Longs) -> _Longs:
    """Runs of neighbours in each row, joined downwards while columns and code are the same."""
    breaks = (np.diff(rows) != 0) | (np.diff(columns) != 1) | (np.diff(codes) != 0)
    first = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    last = np.concatenate((first[1:], [len(rows)])) - 1
    top, left, right, code = rows[first], columns[first], columns[last] + 1, codes[first]
    order = np.lexsort((top, right, left, code))
    top, left, right, code = top[order], left[order], right[order], code[order]
    breaks = (np.diff(top) != 1) | (np.diff(left) != 0) | (np.diff(right) != 0) | (np.diff(code) != 0)
    first = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    last = np.concatenate((first[1:], [len(top)])) - 1
    return np.stack((top[first], left[first], top[last] + 1, right[first], code[first]), axis=1)
