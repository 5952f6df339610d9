"""Who reads whom, in which order to run, and which cells go round in circles. No recursion anywhere.

Whole blocks are ordered first. Where blocks read each other (or themselves), they are taken apart: blocks that only
read earlier rows or columns of each other run line by line, everything else cell by cell.
"""

from __future__ import annotations

from collections.abc import Sequence

from xlsx_attention.compiling.components import strongly_connected
from xlsx_attention.compiling.knots import by_lines, untie
from xlsx_attention.compiling.owners import Cell, Owners
from xlsx_attention.model.address import Rect
from xlsx_attention.model.plan import Repair, Step, Task


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
        along = by_lines(knot, owners, repaired)
        if along is not None:
            tasks.extend(along)
            continue
        knot_tasks, knot_cycles = untie(knot, owners, repaired)
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
