"""Matrices of cells → rectangles on a sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from xlsx_attention.model.address import Rect
from xlsx_attention.model.role import Orientation, Place
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.terms import unpack
from xlsx_attention.recognising.thinning import whole

#: Cells by (line, element): one line a token, a query or an output feature.
Matrix: TypeAlias = Sequence[Sequence[int]]
#: A rectangle may lack this share of its cells (those of a mistake) and still be one.
HOLES = 0.25


def orientation_of(matrix: Matrix) -> Orientation | None:
    """``rows`` where a line lies along a row of the sheet; ``None`` where it cannot be seen."""
    for line in matrix:
        if len(line) > 1:
            _, row, column = unpack(line[0])
            _, other_row, other_column = unpack(line[1])
            if row == other_row and column != other_column:
                return "rows"
            if column == other_column and row != other_row:
                return "columns"
    if len(matrix) > 1 and matrix[0] and matrix[1]:
        _, row, column = unpack(matrix[0][0])
        _, other_row, other_column = unpack(matrix[1][0])
        if row != other_row and column == other_column:
            return "rows"
        if column != other_column and row == other_row:
            return "columns"
    return None


def place_of(matrix: Matrix, orientation: Orientation, cells: Cells) -> Place | None:
    """Where a matrix lies, its lines along ``orientation`` unless it is transposed; ``None`` for an empty one."""
    if cells.thin:
        matrix = whole(matrix)
    ids = list(dict.fromkeys(cell for line in matrix for cell in line))
    if not ids:
        return None
    sheet = unpack(ids[0])[0]
    if sheet >= cells.inside.first:
        # It is inside a formula alone.
        return None
    here = [cell for cell in ids if unpack(cell)[0] == sheet]
    rect = bounds(here)
    if rect.size == len(here):
        steps = cells.steps_in(sheet, rect)
    else:
        steps = tuple(sorted({step for cell in here if (step := cells.step_of(cell)) is not None}))
    lies = orientation_of(matrix)
    across = lies is not None and lies != orientation
    lines = tuple(tuple(unpack(cell)[1:] for cell in line if unpack(cell)[0] == sheet) for line in matrix)
    if rect.size * (1 - HOLES) <= len(here):
        return Place(sheet, rect, steps, across, lines=lines)
    return Place(sheet, rect, steps, across, tuple(rectangles(here)), lines)


def bounds(ids: Iterable[int]) -> Rect:
    places = [unpack(cell) for cell in ids]
    rows, columns = [place[1] for place in places], [place[2] for place in places]
    return Rect(min(rows), min(columns), max(rows) + 1, max(columns) + 1)


def rectangles(ids: Iterable[int]) -> list[Rect]:
    """Cells as few rectangles: runs in rows, joined downwards where they are alike."""
    runs: list[Rect] = []
    for cell in sorted(set(ids)):
        _, row, column = unpack(cell)
        if runs and runs[-1].top == row and runs[-1].right == column:
            runs[-1] = Rect(row, runs[-1].left, row + 1, column + 1)
        else:
            runs.append(Rect.cell(row, column))
    return _downwards(runs)


def stacked(parts: Iterable[Rect]) -> list[Rect]:
    """Rectangles that do not overlap, joined where they are alike: sideways, then downwards."""
    runs: list[Rect] = []
    for part in sorted(parts, key=lambda r: (r.top, r.bottom, r.left)):
        last = runs[-1] if runs else None
        if last is not None and (last.top, last.bottom, last.right) == (part.top, part.bottom, part.left):
            runs[-1] = last.union(part)
        else:
            runs.append(part)
    return _downwards(runs)


def _downwards(runs: Iterable[Rect]) -> list[Rect]:
    joined: list[Rect] = []
    for run in sorted(runs, key=lambda r: (r.left, r.right, r.top)):
        last = joined[-1] if joined else None
        if last is not None and (last.left, last.right, last.bottom) == (run.left, run.right, run.top):
            joined[-1] = last.union(run)
        else:
            joined.append(run)
    return sorted(joined)
