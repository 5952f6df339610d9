"""Who reads whom, in which order to run, and which cells go round in circles. No recursion anywhere.

Whole blocks are ordered first. Where blocks read each other (or themselves), they are taken apart: blocks that only
read earlier rows or columns of each other run line by line, everything else cell by cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Repair, Step, Task

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


def strongly_connected(count: int, successors: Callable[[int], Iterable[int]]) -> list[list[int]]:
    """Tarjan's components of the nodes ``0 … count−1``, each after all that it leads to (successors first)."""
    index = [0] * count
    low = [0] * count
    on_stack = bytearray(count)
    stack: list[int] = []
    components: list[list[int]] = []
    clock = 0
    for root in range(count):
        if index[root]:
            continue
        clock += 1
        index[root] = low[root] = clock
        stack.append(root)
        on_stack[root] = 1
        work = [(root, iter(successors(root)))]
        while work:
            node, rest = work[-1]
            for successor in rest:
                if not index[successor]:
                    clock += 1
                    index[successor] = low[successor] = clock
                    stack.append(successor)
                    on_stack[successor] = 1
                    work.append((successor, iter(successors(successor))))
                    break
                if on_stack[successor]:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack[member] = 0
                        component.append(member)
                        if member == node:
                            break
                    components.append(component[::-1])
    return components


def order(
    steps: Sequence[Step], owners: Owners, repairs: Sequence[Repair] = ()
) -> tuple[dict[int, frozenset[int]], tuple[Task, ...], tuple[tuple[Cell, ...], ...]]:
    """``(edges, tasks, cycles)`` of a plan; see :class:`xlsx_attention.model.plan.Plan`.

    Cells that a repair names are run by their block, as tasks of their own.
    """
    repaired: dict[int, list[Rect]] = {}
    for repair in repairs:
        repaired.setdefault(repair.step, []).append(Rect.cell(repair.row, repair.column))
    edges = _edges(steps, owners)
    tasks: list[Task] = []
    cycles: list[tuple[Cell, ...]] = []
    for component in strongly_connected(len(steps), lambda i: edges[i]):
        if len(component) == 1:
            step = steps[component[0]]
            holes = repaired.get(step.index, [])
            if step.index not in edges[step.index]:
                tasks.extend(lines(step))
                tasks.extend(Task(step.index, rect) for rect in holes)
                continue
        knot = [steps[i] for i in component]
        along = _by_lines(knot, owners, repaired)
        if along is not None:
            tasks.extend(along)
            continue
        knot_tasks, knot_cycles = _untie(knot, owners, repaired)
        tasks.extend(knot_tasks)
        cycles.extend(knot_cycles)
    return edges, tuple(tasks), tuple(cycles)


def _edges(steps: Sequence[Step], owners: Owners) -> dict[int, frozenset[int]]:
    """What each step reads; a step with one reference shares the set with others that have the same."""
    edges: dict[int, frozenset[int]] = {}
    links = 0
    for step in steps:
        sets = [owners.within(read.sheet, read.rect) for read in step.reads]
        edges[step.index] = sets[0] if len(sets) == 1 else frozenset().union(*sets)
        links += len(edges[step.index])
        if links > 8 * owners.most_links:
            raise owners.too_many(links, step.block.sheet)
    return edges


def lines(step: Step) -> list[Task]:
    """The whole block, or its rows / columns / cells where a range grows along it."""
    rect = step.block.rect
    rows = range(rect.top, rect.bottom) if step.growing_rows else [None]
    columns = range(rect.left, rect.right) if step.growing_columns else [None]
    return [
        Task(
            step.index,
            Rect(
                rect.top if row is None else row,
                rect.left if column is None else column,
                rect.bottom if row is None else row + 1,
                rect.right if column is None else column + 1,
            ),
        )
        for row in rows
        for column in columns
    ]


def _by_lines(knot: list[Step], owners: Owners, repaired: dict[int, list[Rect]]) -> list[Task] | None:
    """Row by row (or column by column), if every reference within the knot points to lines done before or to the
    line itself.

    Within a line the steps run in the order in which they read each other there; ``None`` where they go round in
    circles there, or where a reference does not move along.
    """
    if any(step.dynamic or step.block.spill is not None or not step.reads for step in knot):
        return None
    for rows in (True, False):
        for forwards in (True, False):
            tasks = _along(knot, owners, repaired, rows, forwards)
            if tasks is not None:
                return tasks
    return None


def _along(
    knot: list[Step], owners: Owners, repaired: dict[int, list[Rect]], rows: bool, forwards: bool
) -> list[Task] | None:
    position = {step.index: i for i, step in enumerate(knot)}
    level: dict[int, set[int]] = {i: set() for i in range(len(knot))}
    for i, step in enumerate(knot):
        for read in step.reads:
            inside = owners.within(read.sheet, read.rect) & position.keys()
            if not inside:
                continue
            first, last = (
                (read.reference.top, read.reference.bottom) if rows else (read.reference.left, read.reference.right)
            )
            if first.absolute or last.absolute or read.sheet != step.block.sheet:
                return None
            low, high = min(first.index, last.index), max(first.index, last.index)
            if (high > 0) if forwards else (low < 0):
                return None
            if low <= 0 <= high:
                level[i] |= {position[other] for other in inside}
    order_in_line: list[Step] = []
    for component in strongly_connected(len(knot), lambda i: level[i]):
        if len(component) > 1 or component[0] in level[component[0]]:
            return None
        order_in_line.append(knot[component[0]])
    lines_of: dict[int, list[Task]] = {}
    for step in order_in_line:
        rect = step.block.rect
        growing = step.growing_columns if rows else step.growing_rows
        for i in range(rect.top, rect.bottom) if rows else range(rect.left, rect.right):
            line = Rect(i, rect.left, i + 1, rect.right) if rows else Rect(rect.top, i, rect.bottom, i + 1)
            parts = [Rect.cell(*cell) for cell in line.cells()] if growing else [line]
            lines_of.setdefault(i, []).extend(Task(step.index, part) for part in parts)
        for hole in repaired.get(step.index, ()):
            lines_of.setdefault(hole.top if rows else hole.left, []).append(Task(step.index, hole))
    return [task for i in sorted(lines_of, reverse=not forwards) for task in lines_of[i]]


def _untie(
    knot: list[Step], owners: Owners, repaired: dict[int, list[Rect]]
) -> tuple[list[Task], list[tuple[Cell, ...]]]:
    """Cell by cell; what is still a component there is a cycle."""
    cells: list[tuple[int, Rect]] = []
    number: dict[Cell, int] = {}
    size = sum(step.block.rect.size for step in knot)
    if size > min(CELL_BUDGET, owners.most_links):
        raise owners.too_many(size, knot[0].block.sheet)
    for step in knot:
        for row, column in step.block.rect.cells():
            here = len(cells)
            cells.append((step.index, Rect.cell(row, column)))
            covered = step.block.cells if step.block.spill is not None else Rect.cell(row, column)
            for at in covered.cells():
                number.setdefault((step.block.sheet, *at), here)
    for step in knot:
        for rect in repaired.get(step.index, ()):
            number[step.block.sheet, rect.top, rect.left] = len(cells)
            cells.append((step.index, rect))
    by_index = {step.index: step for step in knot}
    holes = {rect for step in knot for rect in repaired.get(step.index, ())}
    links = 0

    def successors(node: int) -> Iterable[int]:
        nonlocal links
        index, rect = cells[node]
        found: dict[int, None] = {}
        for read in by_index[index].reads:
            seen = read.reference.at(rect.top, rect.left)
            # A hole lies outside the block, and so may what it reads outside what the block reads.
            cut = seen if seen is None or rect in holes else seen.intersection(read.rect)
            if cut is None:
                continue
            if cut.size == 1:
                target = number.get((read.sheet, cut.top, cut.left))
                if target is not None:
                    found[target] = None
                continue
            # Whichever is fewer: the cells of the range, or those of the knot.
            links += min(cut.size, len(number))
            if links > 4 * owners.most_links:
                raise owners.too_many(links, read.sheet)
            if cut.size <= len(number):
                targets = [number.get((read.sheet, *at)) for at in cut.cells()]
            else:
                targets = [t for (s, row, column), t in number.items() if s == read.sheet and cut.contains(row, column)]
            found.update((target, None) for target in targets if target is not None)
        return found

    tasks: list[Task] = []
    cycles: list[tuple[Cell, ...]] = []
    for component in strongly_connected(len(cells), successors):
        index, rect = cells[component[0]]
        if len(component) == 1 and component[0] not in set(successors(component[0])):
            tasks.append(Task(index, rect))
        else:
            places = []
            for node in component:
                block = by_index[cells[node][0]].block
                places += [(block.sheet, *at) for at in (block.spill or cells[node][1]).cells()]
            cycles.append(tuple(sorted(places)))
    return tasks, cycles
