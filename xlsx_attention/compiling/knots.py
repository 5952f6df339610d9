"""Blocks that read each other, or themselves: line by line where that can be, else cell by cell."""

from __future__ import annotations

from collections.abc import Iterable

from xlsx_attention.compiling.components import strongly_connected
from xlsx_attention.compiling.owners import CELL_BUDGET, Cell, Owners
from xlsx_attention.model.address import Rect
from xlsx_attention.model.plan import Step, Task


def by_lines(knot: list[Step], owners: Owners, repaired: dict[int, list[Rect]]) -> list[Task] | None:
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


def untie(
    knot: list[Step], owners: Owners, repaired: dict[int, list[Rect]]
) -> tuple[list[Task], list[tuple[Cell, ...]]]:
    """Cell by cell; what is still a component there is a cycle."""
    cells: list[tuple[int, Rect]] = []
    number: dict[Cell, int] = {}
    size = sum(step.block.cells.size for step in knot)  # with all that an array formula says it fills
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
