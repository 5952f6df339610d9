"""Cycles through references that only a formula's run makes known: INDIRECT's text, OFFSET's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.registry import Area
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Tree
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.running.machine import Machine
from xlsx_attention.running.run import evaluate

Cell = tuple[int, int, int]
Parse = Callable[[str, int, int], Tree]

#: Work of looking at one cell that a formula reads.
_LOOK = 50


def dynamic_cycles(grid: WorkbookGrid, plan: Plan, parse: Parse) -> set[Cell]:
    """The cells (sheet, row, column) on a cycle that a dynamic reference closes, as the stored values lead it.

    The plan's own cycles are found before anything runs; these need each dynamic formula to run once.
    """
    dynamic = [step for step in plan.steps if step.dynamic]
    if not dynamic:
        return set()
    machine = Machine(grid, [sheet.cached for sheet in grid.sheets], plan.names, parse)
    followed: dict[Cell, list[Area]] = {}
    try:
        for step in dynamic:
            for row, column in step.block.rect.cells():
                machine.on_read = followed.setdefault((step.block.sheet, row, column), []).append
                evaluate(machine, step, Rect.cell(row, column))
        machine.on_read = None
        return _Search(grid, plan, machine, followed).cycles()
    except NotComputed:
        return set()  # the budget of the whole workbook is spent: nothing more is computed, or told of


class _Search:
    """Tarjan's search for strongly connected parts, cell by cell from the dynamic ones, without recursion."""

    def __init__(self, grid: WorkbookGrid, plan: Plan, machine: Machine, followed: dict[Cell, list[Area]]) -> None:
        self.plan, self.machine, self.followed = plan, machine, followed
        self.used = [sheet.cached.used for sheet in grid.sheets]
        self.owner: dict[Cell, int] = {}
        for step in plan.steps:
            covered = step.block.spill or step.block.rect
            machine.toil(covered.size)  # an array formula may say that it fills the grid
            self.owner.update(((step.block.sheet, *at), step.index) for at in covered.cells())
        self.order: dict[Cell, int] = {}
        self.low: dict[Cell, int] = {}
        self.open: list[Cell] = []
        self.is_open: set[Cell] = set()

    def cycles(self) -> set[Cell]:
        """All cells of parts of several cells, and cells that read themselves."""
        found: set[Cell] = set()
        for start in self.followed:
            if start not in self.order:
                self._from(start, found)
        return found

    def _from(self, start: Cell, found: set[Cell]) -> None:
        path = [(start, self._begin(start))]
        while path:
            cell, following = path[-1]
            after = next(following, None)
            if after is None:
                path.pop()
                if path:
                    before = path[-1][0]
                    self.low[before] = min(self.low[before], self.low[cell])
                if self.low[cell] == self.order[cell]:
                    self._close(cell, found)
            elif after == cell:
                found.add(cell)
            elif after not in self.order:
                path.append((after, self._begin(after)))
            elif after in self.is_open:
                self.low[cell] = min(self.low[cell], self.order[after])

    def _begin(self, cell: Cell) -> Iterator[Cell]:
        self.order[cell] = self.low[cell] = len(self.order)
        self.open.append(cell)
        self.is_open.add(cell)
        return self._precedents(cell)

    def _close(self, cell: Cell, found: set[Cell]) -> None:
        part: list[Cell] = []
        while not part or part[-1] != cell:
            part.append(self.open.pop())
        self.is_open.difference_update(part)
        if len(part) > 1:
            found.update(part)

    def _precedents(self, cell: Cell) -> Iterator[Cell]:
        """The computed cells that a cell reads."""
        step = self.plan.steps[self.owner[cell]]
        row, column = cell[1:] if step.block.spill is None else (step.block.rect.top, step.block.rect.left)
        areas = [(area.sheet, area.rect) for area in self.followed.get((cell[0], row, column), ())]
        for read in step.reads:
            rect = read.reference.at(row, column)
            if rect is not None:
                areas.append((read.sheet, rect))
        for sheet, rect in areas:
            inside = rect.intersection(self.used[sheet])
            if inside is None:
                continue
            self.machine.toil(_LOOK * inside.size)
            for at in inside.cells():
                if (sheet, *at) in self.owner:
                    yield (sheet, *at)
