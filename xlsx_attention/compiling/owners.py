"""Which step computes which cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Step

#: Cells that may be taken apart one by one; a larger knot of blocks is reported, not untied.
CELL_BUDGET = 1_000_000

Cell = tuple[int, int, int]


class Owners:
    """Which step computes each cell: a plane of step numbers per sheet (−1 for constants)."""

    def __init__(self, grid: WorkbookGrid, steps: Sequence[Step]) -> None:
        self.rects = [sheet.cached.rect for sheet in grid.sheets]
        self.planes: list[npt.NDArray[np.int32]] = [np.full(rect.shape, -1, np.int32) for rect in self.rects]
        self.far: dict[Cell, int] = {}
        self._budgets = grid.budgets
        self._names = [sheet.name for sheet in grid.sheets]
        self._known: dict[tuple[int, Rect], frozenset[int]] = {}
        self._links = self._looked = 0
        self._seen = np.zeros(len(steps) + 1, bool)
        # One object for each number, however many sets hold it; the last is that of constants.
        self._numbers = [*range(len(steps)), -1]
        for step in steps:
            block = step.block
            rect, core = block.cells, self.rects[block.sheet]
            if core.covers(rect):
                self._view(block.sheet, rect)[...] = step.index
            else:
                inside = core.intersection(rect)
                if inside is not None:
                    self._view(block.sheet, inside)[...] = step.index
                if rect.size <= CELL_BUDGET:
                    for row, column in rect.cells():
                        if not core.contains(row, column):
                            self.far[block.sheet, row, column] = step.index

    @property
    def most_links(self) -> int:
        return self._budgets.links

    def too_many(self, links: int, sheet: int) -> UnreadableFile:
        """The refusal of a workbook whose formulas depend on each other in too many ways."""
        return self._budgets.over("links", links, self._names[sheet])

    def _view(self, sheet: int, rect: Rect) -> npt.NDArray[np.int32]:
        core = self.rects[sheet]
        return self.planes[sheet][
            rect.top - core.top : rect.bottom - core.top, rect.left - core.left : rect.right - core.left
        ]

    def give(self, sheet: int, row: int, column: int, step: int) -> None:
        """Let another step own one cell."""
        self._known.clear()
        self._links = 0
        if self.rects[sheet].contains(row, column):
            self._view(sheet, Rect.cell(row, column))[...] = step
        else:
            self.far[sheet, row, column] = step

    def of(self, sheet: int, row: int, column: int) -> int:
        core = self.rects[sheet]
        if core.contains(row, column):
            return int(self.planes[sheet][row - core.top, column - core.left])
        return self.far.get((sheet, row, column), -1)

    def within(self, sheet: int, rect: Rect) -> frozenset[int]:
        """The steps that compute any cell of ``rect``; one and the same set for one and the same rectangle."""
        known = self._known.get((sheet, rect))
        if known is None:
            known = self._known[sheet, rect] = self._within(sheet, rect)
            self._links += len(known)
            # Kept for reuse: what is kept is bounded, too.
            if self._links > self._budgets.links:
                raise self.too_many(self._links, sheet)
        return known

    def _within(self, sheet: int, rect: Rect) -> frozenset[int]:
        found: set[int] = set()
        inside = self.rects[sheet].intersection(rect)
        if inside is not None:
            view = self._view(sheet, inside)
            if view.size == 1:
                found.add(int(view[0, 0]))
            else:
                found.update(map(self._numbers.__getitem__, self._distinct(view)))
        if self.far and (inside is None or inside.size < rect.size):
            if rect.size < len(self.far):
                found.update(self.far.get((sheet, row, column), -1) for row, column in rect.cells())
            else:
                found.update(
                    s for (at, row, column), s in self.far.items() if at == sheet and rect.contains(row, column)
                )
        found.discard(-1)
        return frozenset(found)

    def _distinct(self, view: npt.NDArray[np.int32]) -> list[int]:
        self._looked += view.size
        if self._looked > self._budgets.work // 4:
            raise self._budgets.over("work", 4 * self._looked, "")
        if view.size < 4 * len(self._seen):
            return [int(step) for step in np.unique(view)]
        # Marking is several times faster than sorting; -1 marks the last place.
        self._seen[view] = True
        found: list[int] = np.flatnonzero(self._seen).tolist()
        self._seen[:] = False
        return found
