"""Rectangles of numbers on a sheet, each number with the interval that its printed digits allow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import Rect
from xlsx_attention.model.values import NUMBER, Floats
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.places import rectangles
from xlsx_attention.recognising.terms import ROW_BITS, cells_of, pack, unpack

#: Sheets with more cells than this are no worked example by hand.
LARGEST_SHEET = 60_000
LARGEST_TABLE = 4_096
MOST_TABLES = 120
#: Numbers with more decimals than this were not rounded by anyone; they carry the rounding of their file alone.
PRINTED_DECIMALS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """``values`` and ``radius`` (half the width of each number's interval) have the shape of ``rect``.

    ``ids`` are the cells' numbers. A turned table is the same cells read across.
    """

    sheet: int
    rect: Rect
    values: Floats
    radius: Floats
    ids: npt.NDArray[np.int64]
    turned: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.values.shape
        return rows, columns

    @property
    def T(self) -> Table:  # noqa: N802 - as NumPy and the lessons call it
        return Table(self.sheet, self.rect, self.values.T, self.radius.T, self.ids.T, not self.turned)


def tables_of(sheet: int, cells: Cells) -> list[Table]:
    """All rectangles of numbers of a sheet, in reading order; ``[]`` for a sheet that is too large."""
    if sheet >= cells.inside.first:
        return []
    plane = cells.grid.sheets[sheet].cached
    if plane.rect.size > LARGEST_SHEET:
        return []
    numbers = plane.kind == NUMBER
    computed = np.zeros(plane.rect.shape, np.bool_)
    rects: list[Rect] = []
    families: dict[str, list[Rect]] = {}
    for step in cells.plan.steps:
        if step.block.sheet != sheet:
            continue
        inside = step.block.cells.intersection(plane.rect)
        if inside is None:
            continue
        rows = slice(inside.top - plane.rect.top, inside.bottom - plane.rect.top)
        computed[rows, inside.left - plane.rect.left : inside.right - plane.rect.left] = True
        families.setdefault(step.block.form.r1c1, []).append(inside)
    for alike in families.values():
        single = len(alike) == 1
        rects += alike if single else rectangles(cell for rect in alike for cell in cells_of(sheet, rect))
    for part in _islands(numbers & ~computed):
        ids = [pack(sheet, row + plane.rect.top, column + plane.rect.left) for row, column in part]
        for rect in rectangles(ids):
            rects += _without_counts(rect, cells, sheet)
    unique = sorted(set(rects))
    return [_table(sheet, rect, cells) for rect in unique if 1 < rect.size <= LARGEST_TABLE][:MOST_TABLES]


def _islands(mask: npt.NDArray[np.bool_]) -> list[list[tuple[int, int]]]:
    """Cells that touch by their edges."""
    rest = set(map(tuple, np.argwhere(mask).tolist()))
    islands = []
    while rest:
        stack = [rest.pop()]
        island = []
        while stack:
            row, column = stack.pop()
            island.append((row, column))
            for neighbour in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if neighbour in rest:
                    rest.discard(neighbour)
                    stack.append(neighbour)
        islands.append(island)
    return islands


def _without_counts(rect: Rect, cells: Cells, sheet: int) -> list[Rect]:
    """The rectangle, and without a first row or column that merely counts 1, 2, 3 …"""
    found = [rect]
    if (
        rect.height > 2
        and rect.width > 1
        and _counts(Rect(rect.top + 1, rect.left, rect.bottom, rect.left + 1), cells, sheet)
    ):
        found.append(Rect(rect.top, rect.left + 1, rect.bottom, rect.right))
    if (
        rect.width > 2
        and rect.height > 1
        and _counts(Rect(rect.top, rect.left + 1, rect.top + 1, rect.right), cells, sheet)
    ):
        found.append(Rect(rect.top + 1, rect.left, rect.bottom, rect.right))
    return found


def _counts(rect: Rect, cells: Cells, sheet: int) -> bool:
    values = [cells.number(cell) for cell in cells_of(sheet, rect)]
    first = values[0]
    return first in (0.0, 1.0, 2.0) and all(value == first + i for i, value in enumerate(values) if first is not None)


def _table(sheet: int, rect: Rect, cells: Cells) -> Table:
    rows, columns = np.arange(rect.top, rect.bottom), np.arange(rect.left, rect.right)
    ids = np.int64(pack(sheet, 0, 0)) + (rows[:, None] << ROW_BITS) + columns
    values, kinds = cells.grid.sheets[sheet].cached.read(rect)
    if not (kinds == NUMBER).all():
        values = np.array([cells.number(cell) or 0.0 for cell in ids.ravel().tolist()]).reshape(rect.shape)
    values = np.where(np.isfinite(values), values, np.sign(values) * 1e300)
    return Table(sheet, rect, values, _radius(values), ids)


def _radius(values: Floats) -> Floats:
    """Half a unit of the last decimal that the table shows; whole numbers are taken as exact."""
    exact = 1e-9 * np.abs(values) + 1e-12
    decimals = 0
    for value in values[values != np.round(values)].tolist():
        decimals = max(decimals, _decimals(value))
        if decimals > PRINTED_DECIMALS:
            break
    if not 0 < decimals <= PRINTED_DECIMALS:
        return exact
    return np.where(np.abs(values) >= 1e6, exact, 0.5 * 10.0**-decimals + exact)


def _decimals(value: float) -> int:
    text = f"{value:.15g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        return max(0, len(mantissa.partition(".")[2]) - int(exponent))
    return len(text.partition(".")[2])


def corner(table: Table) -> tuple[int, int, int]:
    return unpack(int(table.ids.flat[0]))
