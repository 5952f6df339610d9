"""Where the dense core of a sheet lies, and which cells stay outside it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import Ints, Sheet
from xlsx_attention.model.values import EMPTY, Plane
from xlsx_attention.reading.cell_store import SheetCells

#: A core of up to this many cells is always allowed; above it, at most so many places for each filled cell.
_SMALL = 1 << 22
_SPARSE = 8
#: Cuts at the largest gap before the rectangle is simply halved: cells on a diagonal have as many gaps as cells.
_GAP_CUTS = 32
_WORTH = 1 / 16

Mask = npt.NDArray[np.bool_]


def choose_core(rows: Ints, columns: Ints, rects: Iterable[Rect] = ()) -> Rect:
    """The rectangle to keep dense: the bounding box of the cells and ``rects``, cut until it is small enough.

    A cut goes through the largest gap, measured in places saved, and drops the side that holds fewer cells.
    """
    if not len(rows):
        return Rect(0, 0, 1, 1)
    limit = max(_SMALL, _SPARSE * len(rows))
    core = whole = _bounds(rows, columns)
    for rect in rects:
        whole = whole.union(rect)
    if whole.size <= limit:
        return whole
    cuts = 0
    while core.size > limit:
        keep = _gap_cut(rows, columns, core) if cuts < _GAP_CUTS else None
        if keep is None:
            keep = _halve(rows, columns, core)
        rows, columns = rows[keep], columns[keep]
        core = _bounds(rows, columns)
        cuts += 1
    for rect in rects:  # array ranges as far as they still fit
        grown = core.union(rect)
        if grown.size <= limit:
            core = grown
    return core


def _bounds(rows: Ints, columns: Ints) -> Rect:
    return Rect(int(rows.min()), int(columns.min()), int(rows.max()) + 1, int(columns.max()) + 1)


def _gap_cut(rows: Ints, columns: Ints, core: Rect) -> Mask | None:
    """Which cells to keep; ``None`` where even the largest gap is too small to be worth a cut."""
    best: tuple[int, Mask] | None = None
    for values, other in ((rows, core.width), (columns, core.height)):
        present = np.unique(values)
        if len(present) < 2:
            continue
        gaps = np.diff(present)
        at = int(gaps.argmax())
        below = values <= present[at]
        keep = below if 2 * int(below.sum()) >= len(values) else ~below
        saved = int(gaps[at]) * other
        if best is None or saved > best[0]:
            best = saved, keep
    return best[1] if best is not None and best[0] >= _WORTH * core.size else None


def _halve(rows: Ints, columns: Ints, core: Rect) -> Mask:
    if core.height >= core.width:
        first = rows < core.top + core.height // 2
    else:
        first = columns < core.left + core.width // 2
    return first if 2 * int(first.sum()) >= len(first) else ~first


def lay_out(cells: SheetCells, sheet: Sheet) -> None:
    """Fill ``sheet`` with its plane, styles, formulas and arrays."""
    filled = cells.kinds != EMPTY
    filled[cells.formula_cells] = True
    core = choose_core(cells.rows[filled], cells.columns[filled], [formula.rect for formula in cells.arrays.values()])
    plane = Plane.empty(core)
    styles = np.zeros(core.shape, np.uint16)
    inside = (
        (cells.rows >= core.top)
        & (cells.rows < core.bottom)
        & (cells.columns >= core.left)
        & (cells.columns < core.right)
    )
    everywhere = bool(inside.all())
    chosen = slice(None) if everywhere else inside
    at = (cells.rows[chosen] - core.top, cells.columns[chosen] - core.left)
    plane.number[at] = cells.numbers[chosen]
    plane.kind[at] = cells.kinds[chosen]
    styles[at] = cells.styles[chosen]
    if not everywhere:
        far = np.flatnonzero(~inside & (cells.kinds != EMPTY))
        for row, column, number, kind in zip(
            cells.rows[far].tolist(),
            cells.columns[far].tolist(),
            cells.numbers[far].tolist(),
            cells.kinds[far].tolist(),
            strict=True,
        ):
            plane.outliers[row, column] = (number, kind)
    sheet.cached = plane
    sheet.styles = styles
    sheet.formula_rows = cells.rows[cells.formula_cells]
    sheet.formula_columns = cells.columns[cells.formula_cells]
    sheet.formula_texts = cells.formula_texts
    sheet.shared = cells.shared
    sheet.arrays = cells.arrays


def uncovered(cells: SheetCells) -> list[tuple[int, int]]:
    """Cells with an empty formula that no array range covers."""
    left = dict.fromkeys(cells.empty_formulas)
    for formula in cells.arrays.values():
        rect = formula.rect
        # Walk whichever is smaller, so that the work stays below the area that array ranges may cover together.
        inside = rect.cells() if rect.size < len(left) else [place for place in left if rect.contains(*place)]
        for place in inside:
            left.pop(place, None)
    return list(left)
