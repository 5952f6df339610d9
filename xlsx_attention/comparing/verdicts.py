"""One verdict for each computed cell, as arrays: most sheets never leave NumPy here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from xlsx_attention.comparing.tolerance import Bools, Tolerance, close, same_bits, ulp_distance
from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Repair
from xlsx_attention.model.report import NOT_COMPUTED_CELL, VERDICTS
from xlsx_attention.model.values import EMPTY, NOT_COMPUTED, NUMBER, Floats, Kinds, Plane

CODE = {name: position for position, name in enumerate(VERDICTS)}

#: (sheet, rectangle) → Σ|terms| of what its step sums there, shape of the rectangle; the floor of the tolerance.
Magnitude = Callable[[int, Rect], Floats]
#: What a repaired cell's block gives there: (repair, "precedents") → (number, kind).
Cell = tuple[int, int, int]


@dataclass(slots=True)
class Judged:
    """Verdict codes of one workbook, sheet by sheet, over each sheet's core rectangle; ``far`` for cells outside.

    ``bit_equal`` and ``max_ulp`` as in :class:`~xlsx_attention.model.report.FileReport`. ``unlike`` are the repairs
    whose cell is right all the same: they are findings, not divergences.
    """

    codes: list[npt.NDArray[np.uint8]]
    far: list[dict[tuple[int, int], int]]
    bit_equal: int = 0
    max_ulp: float = 0.0
    unlike: list[Repair] = field(default_factory=list)

    def code(self, grid: WorkbookGrid, cell: Cell) -> int:
        sheet, row, column = cell
        rect = grid.sheets[sheet].cached.rect
        if rect.contains(row, column):
            return int(self.codes[sheet][row - rect.top, column - rect.left])
        return self.far[sheet].get((row, column), NOT_COMPUTED_CELL)

    def put(self, grid: WorkbookGrid, cell: Cell, code: int) -> None:
        sheet, row, column = cell
        rect = grid.sheets[sheet].cached.rect
        if rect.contains(row, column):
            self.codes[sheet][row - rect.top, column - rect.left] = code
        else:
            self.far[sheet][row, column] = code


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What running gave: planes from precedents and from inputs, and for each repair its block's value in both."""

    precedents: list[Plane]
    inputs: list[Plane]
    repaired: dict[Cell, tuple[float, int]]


def _parts(plane: Plane, rect: Rect) -> tuple[Floats, Kinds]:
    return plane.read(rect)


def _agree(
    a: tuple[Floats, Kinds], b: tuple[Floats, Kinds], rect: Rect, sheet: int, tolerance: Tolerance, magnitude: Magnitude
) -> Bools:
    result = close(*a, *b, tolerance)
    if result.all():
        return result
    # Only where the relative test fails is it worth asking what was summed.
    doubtful = ~result & (a[1] == NUMBER) & (b[1] == NUMBER)
    if doubtful.any():
        with np.errstate(all="ignore"):
            floor = tolerance.epsilon * magnitude(sheet, rect)
            result = result | (doubtful & (np.abs(a[0] - b[0]) <= floor))
    return result


def judge(
    grid: WorkbookGrid,
    plan: Plan,
    values: Recomputed,
    tolerance: Tolerance,
    magnitude: Magnitude,
    special: dict[int, str],
    circular: set[Cell],
) -> Judged:
    """Verdicts of every computed cell.

    ``special`` gives steps that are judged otherwise: ``volatile``, ``depends-on-volatile``, ``external``,
    ``depends-on-not-computed``. ``circular`` are the cells on cycles.
    """
    judged = Judged(
        [np.full(sheet.cached.rect.shape, NOT_COMPUTED_CELL, np.uint8) for sheet in grid.sheets],
        [{} for _ in grid.sheets],
    )
    for step in plan.steps:
        block = step.block
        rect = block.cells
        sheet = grid.sheets[block.sheet]
        cached = _parts(sheet.cached, rect)
        own = _parts(values.precedents[block.sheet], rect)
        whole = _parts(values.inputs[block.sheet], rect)
        equal = same_bits(*cached, *own)
        if equal.all():
            follows: Bools = equal
        else:
            follows = _agree(cached, own, rect, block.sheet, tolerance, magnitude)
            both = follows & ~equal & (cached[1] == NUMBER)
            if both.any():
                judged.max_ulp = max(judged.max_ulp, float(ulp_distance(cached[0], own[0])[both].max()))
        judged.bit_equal += int(equal.sum())
        if whole[0] is own[0] or same_bits(*cached, *whole).all():
            traced: Bools = np.ones(rect.shape, bool)
        else:
            traced = _agree(cached, whole, rect, block.sheet, tolerance, magnitude)
        codes = np.where(
            traced, np.uint8(CODE["agrees"]), np.where(follows, np.uint8(CODE["inherited"]), np.uint8(CODE["origin"]))
        )
        kind = special.get(step.index)
        if kind == "volatile":
            codes = np.full(rect.shape, CODE["volatile"], np.uint8)
        elif kind == "external":
            codes = np.full(rect.shape, CODE["external"], np.uint8)
        elif kind == "depends-on-volatile":
            codes = np.where(follows, np.uint8(CODE["volatile"]), np.uint8(CODE["origin"]))
        elif kind == "depends-on-not-computed":
            codes = np.where(follows, np.uint8(CODE["not-computed"]), np.uint8(CODE["origin"]))
        codes = np.where(own[1] == NOT_COMPUTED, np.uint8(CODE["not-computed"]), codes)
        if kind is None:
            codes = np.where((whole[1] == NOT_COMPUTED) & follows, np.uint8(CODE["not-computed"]), codes)
        codes = np.where(cached[1] == EMPTY, np.uint8(CODE["no-cached-value"]), codes)
        _write(judged, grid, block.sheet, rect, codes.astype(np.uint8))
    for cell in circular:
        if not grid.calc.iterate:
            judged.put(grid, cell, CODE["circular"])
            continue
        rect = Rect.cell(*cell[1:])
        cached, own = grid.sheets[cell[0]].cached.read(rect), values.precedents[cell[0]].read(rect)
        settled = _settled(grid, cached, own) or bool(_agree(cached, own, rect, cell[0], tolerance, magnitude).all())
        judged.put(grid, cell, CODE["agrees" if settled else "circular"])
    for repair in plan.repairs:
        _judge_repair(judged, grid, values, tolerance, magnitude, repair)
    return judged


def _settled(grid: WorkbookGrid, stored: tuple[Floats, Kinds], again: tuple[Floats, Kinds]) -> bool:
    """Whether one more pass moves a cell of a cycle by less than the file's own limit, where Excel stops iterating."""
    numbers = not stored[1].any() and not again[1].any()
    return numbers and bool((np.abs(stored[0] - again[0]) < grid.calc.iterate_delta).all())


def _write(judged: Judged, grid: WorkbookGrid, sheet: int, rect: Rect, codes: npt.NDArray[np.uint8]) -> None:
    core = grid.sheets[sheet].cached.rect
    if core.covers(rect):
        judged.codes[sheet][
            rect.top - core.top : rect.bottom - core.top, rect.left - core.left : rect.right - core.left
        ] = codes
        return
    for row, column in rect.cells():
        judged.put(grid, (sheet, row, column), int(codes[row - rect.top, column - rect.left]))


def _judge_repair(
    judged: Judged,
    grid: WorkbookGrid,
    values: Recomputed,
    tolerance: Tolerance,
    magnitude: Magnitude,
    repair: Repair,
) -> None:
    """A cell unlike its block is held against what its block's formula gives there."""
    cell = (repair.sheet, repair.row, repair.column)
    rect = Rect.cell(repair.row, repair.column)
    cached = _parts(grid.sheets[repair.sheet].cached, rect)
    if cached[1][0, 0] == EMPTY:
        judged.put(grid, cell, CODE["no-cached-value"])
        return

    def agrees(number: float, kind: int) -> bool:
        other = (np.array([[number]]), np.array([[kind]], np.uint8))
        return bool(_agree(cached, other, rect, repair.sheet, tolerance, magnitude)[0, 0])

    by_block = agrees(*values.repaired[cell])
    from_inputs = agrees(*values.inputs[repair.sheet].get(repair.row, repair.column))
    if repair.own is None:
        if from_inputs:
            verdict = "overridden"
        elif by_block:
            verdict = "inherited"
            judged.unlike.append(repair)
        else:
            verdict = "origin"
        if not by_block and not from_inputs and values.repaired[cell][1] >= 16:
            # The block's formula gives no number here: nothing to hold the cell against.
            judged.put(grid, cell, NOT_COMPUTED_CELL)
            return
        judged.put(grid, cell, CODE[verdict])
        judged.bit_equal += bool(
            same_bits(
                *cached, *(np.array([[values.repaired[cell][0]]]), np.array([[values.repaired[cell][1]]], np.uint8))
            )[0, 0]
        )
        return
    by_itself = agrees(*values.precedents[repair.sheet].get(repair.row, repair.column))
    if by_itself and (by_block or from_inputs):
        judged.put(grid, cell, CODE["agrees" if from_inputs else "inherited"])
        judged.unlike.append(repair)
    else:
        judged.put(grid, cell, CODE["origin"])
