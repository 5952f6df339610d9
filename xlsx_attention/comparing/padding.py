"""Signs that a sequence is padded: tokens that say so, and a mask that no formula reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from xlsx_attention.comparing.matrices import Cells, Sheets
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.values import NUMBER, TEXT

PAD = re.compile(r"[<\[(（【]?\s*(pad(ding)?|填充|补齐|补位|补零)\s*\d*\s*[>\])）】]?", re.IGNORECASE)
MASK = re.compile(r"mask|掩码|遮罩|掩蔽|蒙版", re.IGNORECASE)
#: Cells between a matrix and its labels.
REACH = 3


@dataclass(frozen=True, slots=True)
class Padding:
    """Which tokens are padding, and what says so: a label's cell, or the range of a mask."""

    hidden: tuple[int, ...]
    said: str
    by_mask: bool


def padded(sheets: Sheets, tokens: tuple[int, Cells], blocks: tuple[int, list[Cells]]) -> Padding | None:
    """``tokens``: sheet and cells of X or K, a line a token. ``blocks``: sheet and blocks beside which a mask may
    stand.
    """
    named = _named(sheets, *tokens)
    if named:
        said = ", ".join(name for _, name in named)
        return Padding(tuple(index for index, _ in named), said, False)
    return next(_unread_masks(sheets, blocks[0], len(tokens[1]), blocks[1]), None)


def _named(sheets: Sheets, sheet: int, tokens: Cells) -> list[tuple[int, str]]:
    found = []
    for index, line in enumerate(tokens):
        label = _label(sheets, sheet, line)
        if label is not None and PAD.fullmatch(label[0].strip()):
            found.append((index, label[1]))
    return found if len(found) < len(tokens) else []


def _label(sheets: Sheets, sheet: int, line: tuple[tuple[int, int], ...]) -> tuple[str, str] | None:
    """The first text before a line of cells, along the line: to the left of a row, above a column."""
    if len(line) < 2:
        return None
    (row, column), (next_row, next_column) = line[0], line[1]
    down, right = next_row - row, next_column - column
    if (down, right) not in ((0, 1), (1, 0)):
        return None
    for distance in range(1, REACH + 1):
        r, c = row - down * distance, column - right * distance
        if r < 0 or c < 0:
            return None
        number, kind = sheets.grid.sheets[sheet].cached.get(r, c)
        if kind == TEXT:
            return sheets.grid.texts[number], cell_name(r, c)
        if kind == NUMBER:
            # Past the numbers of another block there is no label of this one.
            return None
    return None


def _unread_masks(sheets: Sheets, sheet: int, keys: int, blocks: list[Cells]) -> Iterator[Padding]:
    """A line of 0 and 1 above (or left of) a block with a label that says mask, read by nobody."""
    plan = sheets.plan
    for block in blocks:
        if len(block[0]) != keys or keys < 2:
            continue
        (row, column), (next_row, next_column) = block[0][0], block[0][1]
        down, right = next_row - row, next_column - column
        if (down, right) not in ((0, 1), (1, 0)):
            continue
        for distance in range(1, REACH + 1):
            line = tuple((r - right * distance, c - down * distance) for r, c in block[0])
            if line[0][0] < 0 or line[0][1] < 0:
                break
            numbers = [sheets.number(sheet, r, c) for r, c in line]
            kinds = [sheets.grid.sheets[sheet].cached.get(r, c)[1] for r, c in line]
            if any(kind != NUMBER for kind in kinds) or set(numbers) != {0.0, 1.0}:
                continue
            label = _label(sheets, sheet, line)
            if label is None or not MASK.search(label[0]):
                continue
            rect = Rect(line[0][0], line[0][1], line[-1][0] + 1, line[-1][1] + 1)
            read = any(r.sheet == sheet and r.rect.intersection(rect) for s in plan.steps for r in s.reads)
            computed = any(s.block.sheet == sheet and s.block.cells.intersection(rect) for s in plan.steps)
            if not read and not computed:
                hidden = tuple(index for index, number in enumerate(numbers) if number == 0.0)
                yield Padding(hidden, rect.a1, True)
