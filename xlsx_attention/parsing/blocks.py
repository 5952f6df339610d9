"""Sheets → blocks: rectangles of formula cells with one relative form and one mode.

Each formula cell is in exactly one block. Blocks come sheet by sheet, in the order of their top left cells as a sheet
is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from xlsx_attention.model.address import MAX_COLUMNS, Rect
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.formula import Block, FormulaForm
from xlsx_attention.model.grid import FormulaMode, Ints, Sheet, WorkbookGrid
from xlsx_attention.parsing.cut import Longs, cut
from xlsx_attention.parsing.fill import number_forms
from xlsx_attention.parsing.relative import formula_at

_MODES: Final[tuple[FormulaMode, ...]] = ("plain", "array", "dynamic")


def find_blocks(grid: WorkbookGrid) -> tuple[Block, ...]:
    """The blocks of every sheet. A formula that does not parse is in a block whose form has no tree and says why."""
    spent = _Spent(grid.budgets)
    blocks: list[Block] = []
    for sheet in grid.sheets:
        blocks += sheet_blocks(sheet, spent)
    return tuple(blocks)


class _Spent:
    """What reading formulas has cost so far; raises :class:`~xlsx_attention.errors.UnreadableFile` past a budget."""

    def __init__(self, budgets: Budgets) -> None:
        self.budgets = budgets
        self.characters = self.blocks = 0

    def read(self, characters: int) -> None:
        self.characters += characters
        if self.characters > self.budgets.characters:
            raise self.budgets.over("characters", self.characters, "")

    def add(self, blocks: int) -> None:
        self.blocks += blocks
        if self.blocks > self.budgets.blocks:
            raise self.budgets.over("blocks", self.blocks, "")


def sheet_blocks(sheet: Sheet, spent: _Spent | None = None) -> list[Block]:
    """The blocks of one sheet."""
    spent = spent or _Spent(Budgets())
    rows, columns = sheet.formula_rows, sheet.formula_columns
    if not len(rows):
        return []
    numbers, forms = _forms_of(sheet, spent.read)
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
    cuts = cut(rows[~alone].astype(np.int64), columns[~alone].astype(np.int64), codes[~alone])
    spent.add(len(cuts) + len(spills))
    blocks = [_block(sheet, Rect(*rect), code, forms, keys) for *rect, code in cuts.tolist()]
    for place, spill in spills.items():
        anchor_rect = Rect.cell(int(rows[place]), int(columns[place]))
        blocks.append(_block(sheet, anchor_rect, int(codes[place]), forms, keys, spill))
    blocks.sort(key=lambda block: (block.rect.top, block.rect.left))
    return blocks


def _forms_of(sheet: Sheet, read: Callable[[int], None]) -> tuple[Ints, list[FormulaForm]]:
    """Numbers of forms by position, those of shared members taken from their masters."""
    if not sheet.shared:
        return number_forms(sheet.formula_rows, sheet.formula_columns, sheet.formula_texts, read)
    members = np.fromiter(sheet.shared.keys(), np.int64, len(sheet.shared))
    masters = np.fromiter(sheet.shared.values(), np.int64, len(sheet.shared))
    own = np.ones(sheet.formula_count, np.bool_)
    own[members] = False
    places = np.flatnonzero(own)
    texts = [sheet.formula_texts[place] for place in places.tolist()]
    numbers = np.zeros(sheet.formula_count, np.int32)
    numbers[places], forms = number_forms(sheet.formula_rows[own], sheet.formula_columns[own], texts, read)
    numbers[members] = numbers[masters]
    return numbers, forms


def _block(
    sheet: Sheet, rect: Rect, code: int, forms: list[FormulaForm], keys: Longs, spill: Rect | None = None
) -> Block:
    number, mode = divmod(code, len(_MODES))
    place = int(np.searchsorted(keys, rect.top * MAX_COLUMNS + rect.left))
    form = forms[number]
    sample = sheet.formula_texts[place] or formula_at(form, rect.top, rect.left)
    return Block(sheet.index, rect, form, _MODES[mode], sample, spill)
