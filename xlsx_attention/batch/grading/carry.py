"""The key's formulas on the student's own numbers: what each cell would be if only it were computed rightly."""

from __future__ import annotations

import numpy as np

from xlsx_attention import parsing
from xlsx_attention.batch.grading.books import Book, KeyBook, Region
from xlsx_attention.batch.grading.places import Placement
from xlsx_attention.comparing.tolerance import Tolerance, close
from xlsx_attention.model.address import Rect
from xlsx_attention.model.plan import Plan, Step
from xlsx_attention.model.values import NOT_COMPUTED, NUMBER, TEXT, Plane, Scalar
from xlsx_attention.running import run
from xlsx_attention.running.machine import Machine
from xlsx_attention.running.magnitude import magnitude


class Carried:
    """``planes``: the student's values in the key's places; ``expected``: what the key's formulas give on them."""

    def __init__(
        self,
        key: KeyBook,
        own: Book,
        placed: list[tuple[Region, Placement]],
        inputs: bool,
        copies: tuple[Step, ...] = (),
        tolerance: Tolerance | None = None,
    ) -> None:
        """``inputs``: the student's own inputs count, else the key's. ``copies``: steps that earn nothing, so that
        nothing follows from a slip in them: what reads them is held against the block that they should repeat.
        """
        self.key = key
        self.planes = [plane.copy() for plane in key.values]
        for region, placement in placed:
            if region.step is None and not inputs:
                continue
            theirs, mine = self.planes[region.sheet], own.values[placement.sheet]
            computed = key.steps_at[region.sheet]
            for row, column in region.rect.cells():
                if region.step is None and ((row, column) in computed or theirs.get(row, column)[1] != NUMBER):
                    continue
                number, kind = mine.get(*placement.at(region, row, column))
                if kind in (TEXT, NOT_COMPUTED):
                    number = float(key.grid.texts.add(own.grid.texts[number]))
                theirs.set(row, column, number, kind)
        read = self._mended(copies, tolerance or Tolerance()) if copies else self.planes
        self.expected: list[Plane] = run.from_precedents(key.grid, key.plan, parsing.parse, planes=read)
        self._machine = Machine(key.grid, self.planes, key.plan.names, parsing.parse)

    def _mended(self, copies: tuple[Step, ...], tolerance: Tolerance) -> list[Plane]:
        """The student's values, and in each copy that is not one what it should repeat."""
        planes = [plane.copy() for plane in self.planes]
        few = Plan(copies, names=self.key.plan.names)
        # A copy of a copy is right one round later.
        for _ in copies:
            right, mended = run.from_precedents(self.key.grid, few, parsing.parse, planes=planes), False
            for step in copies:
                sheet, cells = step.block.sheet, step.block.cells
                own, due = planes[sheet].read(cells), right[sheet].read(cells)
                for i, j in np.argwhere(~close(*own, *due, tolerance)):
                    row, column = cells.top + int(i), cells.left + int(j)
                    planes[sheet].set(row, column, *right[sheet].get(row, column))
                    mended = True
            if not mended:
                break
        return planes

    def agrees(self, step: Step | None, sheet: int, row: int, column: int, other: Plane, tolerance: Tolerance) -> bool:
        """Whether the student's value agrees with that of ``other`` (the key's values, or the expected ones)."""
        a, b = self.planes[sheet].get(row, column), other.get(row, column)
        pair = [np.array([[value]]) for value in (a[0], b[0])]
        kinds = [np.array([[value]], np.uint8) for value in (a[1], b[1])]
        if close(pair[0], kinds[0], pair[1], kinds[1], tolerance)[0, 0]:
            return True
        if step is None or a[1] != NUMBER or b[1] != NUMBER:
            return a[1] == b[1] == TEXT and self._text(a[0]) == self._text(b[0])
        floor = tolerance.epsilon * float(magnitude(self._machine, step, Rect.cell(row, column)).flat[0])
        return abs(a[0] - b[0]) <= floor

    def _text(self, number: float) -> str:
        return self.key.grid.texts[number].strip().casefold()

    def value(self, planes: list[Plane], sheet: int, row: int, column: int) -> Scalar:
        return self.key.grid.scalar(*planes[sheet].get(row, column))
