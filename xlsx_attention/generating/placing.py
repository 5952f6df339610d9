"""Where each block stands: bands of panels from top to bottom, panels from left to right."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from xlsx_attention.generating.captions import Caption, caption
from xlsx_attention.generating.lesson import Lesson, Step
from xlsx_attention.model.address import Rect

#: Rows above the first band: heading, two remarks, named cells, one free.
TOP = 5
#: A panel's lines of text: title, mathematics, NumPy.
LINES = 3
#: Columns between panels, which hold the arrows; rows between bands.
GAP = 1
#: Width of every column, in characters of the body's font.
COLUMN_WIDTH = 6.9

Shapes = Mapping[str, tuple[int, int]]
Strip = tuple[str, Rect]


@dataclass(frozen=True, slots=True)
class Panel:
    """One block with what stands around it. ``rect`` holds the numbers; labels stand above and to the left of it.

    ``above`` and ``beside`` are the blocks of one row or column along its edges, as they lie on the sheet.
    """

    step: Step
    rect: Rect
    caption: Caption
    top: int  #   row of the title
    left: int  #  column of the title
    right: int  # first column after the panel
    above: Strip | None
    beside: Strip | None
    check: Rect | None  # one cell for each token, where an exercise says whether it is right


@dataclass(frozen=True, slots=True)
class Page:
    """A lesson on its sheet."""

    panels: tuple[Panel, ...]
    rects: Mapping[str, Rect]
    heads: Mapping[int, int]  # head → row of its heading
    names: Mapping[str, tuple[int, int]]  # the named cells
    bottom: int
    right: int


def text_width(text: str) -> float:
    """Characters of Latin text that ``text`` is as wide as."""
    return sum(1.8 if unicodedata.east_asian_width(c) in "WF" else 1.0 for c in text)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A panel before it has its place: ``shape`` as it lies, ``checked`` with cells for a check."""

    step: Step
    caption: Caption
    shape: tuple[int, int]
    checked: bool


def place(lesson: Lesson, shapes: Shapes, *, columns: bool, lang: str, checked: frozenset[str] = frozenset()) -> Page:
    """Lay the lesson out; ``shapes``: of every block, tokens in rows; ``checked``: blocks with cells for a check."""
    wanted = {
        step.key: _Wanted(
            step,
            caption(step, lesson, shapes, columns=columns, lang=lang),
            shapes[step.key][::-1] if columns else shapes[step.key],
            step.key in checked,
        )
        for step in lesson.steps
    }
    panels: list[Panel] = []
    heads: dict[int, int] = {}
    row = TOP
    for band, widths in zip(lesson.bands, _slots(lesson, wanted, columns), strict=True):
        present = [wanted[key] if key else None for key in band.keys]
        head = max(panel.step.head for panel in present if panel)
        if head and head not in heads:
            heads[head] = row
            row += 2
        # Panels of a band begin their numbers in one row, so all keep room for a strip above if one has it.
        depth = LINES + 1 + any(_strips(panel.step, columns)[0] is not None for panel in present if panel)
        left = 0
        for panel, width in zip(present, widths, strict=True):
            if panel:
                panels.append(_panel(panel, row, depth, left, width, columns))
            left += width + GAP if width else 0
        row = max((panel.check or panel.rect).bottom for panel in panels) + 2
    rects = {panel.step.key: panel.rect for panel in panels}
    for placed in panels:
        rects.update(strip for strip in (placed.above, placed.beside) if strip)
    names = {name: (TOP - 2, 1 + 4 * i) for i, name in enumerate(lesson.names)}
    return Page(tuple(panels), rects, heads, names, row - 2, max(panel.right for panel in panels))


def _strips(step: Step, columns: bool) -> tuple[str | None, str | None]:
    """The keys of the strips above and beside the block as it lies."""
    return (step.side, step.over) if columns else (step.over, step.side)


def _panel(wanted: _Wanted, top: int, depth: int, left: int, width: int, columns: bool) -> Panel:
    above, beside = _strips(wanted.step, columns)
    body = left + (2 if beside else 1)
    rect = Rect(top + depth, body, top + depth + wanted.shape[0], body + wanted.shape[1])
    over = Rect(rect.top - 2, rect.left, rect.top - 1, rect.right)
    side = Rect(rect.top, left, rect.bottom, left + 1)
    below = Rect(rect.bottom, rect.left, rect.bottom + 1, rect.right)
    after = Rect(rect.top, rect.right, rect.bottom, rect.right + 1)
    return Panel(
        wanted.step,
        rect,
        wanted.caption,
        top,
        left,
        left + width,
        (above, over) if above else None,
        (beside, side) if beside else None,
        (below if columns else after) if wanted.checked else None,
    )


def _needed(wanted: _Wanted, columns: bool) -> int:
    """Columns that a panel takes: its numbers with their labels, or its longest line of text."""
    body = wanted.shape[1] + (2 if _strips(wanted.step, columns)[1] else 1) + (wanted.checked and not columns)
    # Bold letters and those of a fixed width are wider than the digits that column widths are counted in.
    text = wanted.caption
    longest = max(text_width(text.title) * 1.1, text_width(text.mathematics), text_width(text.numpy) * 0.95)
    return max(body, math.ceil(longest / COLUMN_WIDTH))


def _slots(lesson: Lesson, wanted: Mapping[str, _Wanted], columns: bool) -> list[list[int]]:
    """The width of each place of each band; the bands of one group line up, places that stay open included."""
    found = [[_needed(wanted[key], columns) if key else 0 for key in band.keys] for band in lesson.bands]
    for group in {band.group for band in lesson.bands if band.group}:
        members = [i for i, band in enumerate(lesson.bands) if band.group == group]
        common = [max(column) for column in zip(*(found[i] for i in members), strict=True)]
        for i in members:
            found[i] = common
    return found
