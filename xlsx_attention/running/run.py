"""Plan → values, twice: from each cell's precedents, and from the inputs all the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.coercion import collapse
from xlsx_attention.functions.registry import NeedsCells
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Tree
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Step, Task
from xlsx_attention.model.values import EMPTY, NA, NOT_COMPUTED, NUMBER, Array, Plane
from xlsx_attention.running.evaluator import BlockEvaluator
from xlsx_attention.running.machine import NODE, Machine
from xlsx_attention.running.scalar import Scalar, Unsure, compiled

Parse = Callable[[str, int, int], Tree]


def blank_planes(grid: WorkbookGrid) -> list[Plane]:
    return [Plane.empty(sheet.cached.rect) for sheet in grid.sheets]


def evaluate(machine: Machine, step: Step, rect: Rect) -> Array:
    """One step over a part of its block: axes (h, w, 1, 1), or (1, 1, rows, columns) for a spill."""
    if machine.exhausted():
        return _exhausted(machine)
    if not step.vectorised and rect.size > 1:
        return _cell_by_cell(machine, step, rect)
    mode = step.block.mode
    ev = BlockEvaluator(machine, step.block.sheet, rect, mode, one_by_one=not step.vectorised)
    try:
        result = ev.finish(step.tree, step.snaps)
    except NeedsCells:
        if not step.vectorised:
            raise
        step = replace(step, vectorised=False)
        return _cell_by_cell(machine, step, rect) if rect.size > 1 else evaluate(machine, step, rect)
    except NotComputed as lack:
        if machine.exhausted():
            return _exhausted(machine)
        if rect.size > 1:
            return _in_strips(machine, step, rect)
        return Array.of(float(machine.grid.texts.note(lack.message)), NOT_COMPUTED)
    except RecursionError:
        return Array.of(float(machine.grid.texts.note("a formula that nests too deeply")), NOT_COMPUTED)
    if step.block.spill is not None:
        spill = step.block.spill
        try:
            # Cells far from the others are written one by one.
            machine.toil(spill.size if machine.planes[step.block.sheet].rect.covers(spill) else 2_000 * spill.size)
        except NotComputed as lack:
            return Array.of(float(machine.grid.texts.note(lack.message)), NOT_COMPUTED)
        return _fit(result, spill.shape)
    if not result.is_single:
        # A range where one value is due: its first, as Excel shows it.
        number, kind = result.full()
        return Array(number[:, :, :1, :1], kind[:, :, :1, :1])
    return result


def _exhausted(machine: Machine) -> Array:
    """The budget of the whole workbook is spent: nothing more is tried."""
    reason = machine.grid.budgets.refuse_step("work", machine.grid.budgets.work).message
    return Array.of(float(machine.grid.texts.note(reason)), NOT_COMPUTED)


def _fit(result: Array, shape: tuple[int, int]) -> Array:
    """An array's values over the range that the file gives it: one row or column repeats, what is missing is
    ``#N/A``.
    """
    if result.shape == (1, 1, *shape):
        return result
    number, kind = result.full()
    number, kind = number[:1, :1], kind[:1, :1]
    rows, columns = number.shape[2:]
    number = np.broadcast_to(number, (1, 1, shape[0] if rows == 1 else rows, shape[1] if columns == 1 else columns))
    kind = np.broadcast_to(kind, number.shape)
    fitted_number, fitted_kind = np.zeros((1, 1, *shape)), np.full((1, 1, *shape), NA, np.uint8)
    r, c = min(shape[0], number.shape[2]), min(shape[1], number.shape[3])
    fitted_number[:, :, :r, :c], fitted_kind[:, :, :r, :c] = number[:, :, :r, :c], kind[:, :, :r, :c]
    return Array(fitted_number, collapse(fitted_kind))


def _cell_by_cell(machine: Machine, step: Step, rect: Rect) -> Array:
    number = np.zeros((*rect.shape, 1, 1))
    kind = np.zeros((*rect.shape, 1, 1), np.uint8)
    for row, column in rect.cells():
        value = evaluate(machine, step, Rect.cell(row, column))
        at = (row - rect.top, column - rect.left)
        number[at], kind[at] = value.number[0, 0], value.kind[0, 0]
    return Array(number, collapse(kind))


def _in_strips(machine: Machine, step: Step, rect: Rect) -> Array:
    """Too much at once: the halves, one after the other."""
    if rect.height > 1:
        middle = (rect.top + rect.bottom) // 2
        halves = Rect(rect.top, rect.left, middle, rect.right), Rect(middle, rect.left, rect.bottom, rect.right)
    else:
        middle = (rect.left + rect.right) // 2
        halves = Rect(rect.top, rect.left, rect.bottom, middle), Rect(rect.top, middle, rect.bottom, rect.right)
    number = np.zeros((*rect.shape, 1, 1))
    kind = np.zeros((*rect.shape, 1, 1), np.uint8)
    for half in halves:
        value = evaluate(machine, step, half)
        at = (
            slice(half.top - rect.top, half.bottom - rect.top),
            slice(half.left - rect.left, half.right - rect.left),
        )
        number[at], kind[at] = value.number, value.kind
    return Array(number, collapse(kind))


def store(plane: Plane, step: Step, rect: Rect, value: Array) -> None:
    """Write a step's values where they belong."""
    if step.block.spill is not None:
        plane.write(step.block.spill, value.number[0, 0], value.kind[0, 0])
    else:
        plane.write(rect, value.number[:, :, 0, 0], value.kind[:, :, 0, 0])


def parts(step: Step) -> list[Rect]:
    """The block whole, or its lines where a range in it grows."""
    rect = step.block.rect
    rows = [(i, i + 1) for i in range(rect.top, rect.bottom)] if step.growing_rows else [(rect.top, rect.bottom)]
    columns = [(j, j + 1) for j in range(rect.left, rect.right)] if step.growing_columns else [(rect.left, rect.right)]
    return [Rect(top, left, bottom, right) for top, bottom in rows for left, right in columns]


def from_precedents(
    grid: WorkbookGrid, plan: Plan, parse: Parse | None = None, planes: list[Plane] | None = None
) -> list[Plane]:
    """Every computed cell from the values that the file stores for the cells that it uses (or from ``planes``).

    Cells that are not computed stay ``EMPTY`` in the planes that come back.
    """
    machine = Machine(grid, planes or [sheet.cached for sheet in grid.sheets], plan.names, parse)
    results = blank_planes(grid)
    for step in plan.steps:
        for rect in parts(step):
            store(results[step.block.sheet], step, rect, evaluate(machine, step, rect))
    return results


#: Cells of an array formula from which on it is looked for as a whole: a file may say that it fills the grid.
_WIDE = 1 << 14


class _NotReady(Exception):
    """A reference that is known only at run time leads to a cell that has not run yet."""

    def __init__(self, task: int) -> None:
        super().__init__(task)
        self.task = task


def from_inputs(
    grid: WorkbookGrid,
    plan: Plan,
    given: list[Plane] | None = None,
    wanted: set[int] | None = None,
    kept: set[tuple[int, int, int]] | None = None,
    parse: Parse | None = None,
) -> list[Plane]:
    """Every computed cell from the constants all the way.

    ``given`` are planes to start from (constants and, for steps not ``wanted``, known values); by default the cached
    planes. ``kept`` are cells whose cached value counts as an input (volatile, external, on a cycle). Cells that a
    repair names are computed by their block's formula, so that a number typed over a formula is no input.
    """
    planes = given if given is not None else [sheet.cached.copy() for sheet in grid.sheets]
    used = [sheet.cached.used for sheet in grid.sheets]
    machine = Machine(grid, planes, plan.names, parse, used=used)
    kept = kept or set()
    replaced = {(r.sheet, r.row, r.column) for r in plan.repairs}
    tasks = plan.tasks
    owner: dict[tuple[int, int, int], int] = {}
    wide: list[tuple[int, Rect, int]] = []
    dynamic = any(plan.steps[t.step].dynamic for t in tasks)
    if dynamic:
        for position, task in enumerate(tasks):
            block = plan.steps[task.step].block
            covered = block.spill or task.rect
            if covered.size > _WIDE:
                wide.append((block.sheet, covered, position))
                continue
            for at in covered.cells():
                owner[block.sheet, *at] = position
    done = bytearray(len(tasks))

    def ready(area: object) -> None:
        from xlsx_attention.functions.registry import Area

        assert isinstance(area, Area)
        cut = area.rect.intersection(used[area.sheet])
        if cut is not None:
            machine.toil(50 * cut.size)
        for at in cut.cells() if cut is not None else ():
            position = owner.get((area.sheet, *at))
            if position is not None and not done[position] and position not in waiting:
                raise _NotReady(position)
        for sheet, covered, position in wide if cut is not None else ():
            inside = sheet == area.sheet and cut is not None and covered.intersection(cut) is not None
            if inside and not done[position] and position not in waiting:
                raise _NotReady(position)

    if dynamic:
        machine.on_read = ready
    chains = _chains(plan, planes)
    waiting: set[int] = set()
    for first in range(len(tasks)):
        stack = [first]
        while stack:
            position = stack[-1]
            if done[position]:
                stack.pop()
                continue
            waiting.add(position)
            try:
                _run_task(machine, plan, tasks[position], wanted, kept, replaced, chains)
            except _NotReady as earlier:
                stack.append(earlier.task)
                continue
            done[position] = 1
            stack.pop()
        waiting.clear()
    return planes


#: Tasks of one step from which on its formula is worth compiling for single cells.
_MANY_TASKS = 16


def _chains(plan: Plan, planes: list[Plane]) -> dict[int, Scalar]:
    """The steps that run cell by cell many times, as plain functions where their formula is plain."""
    tasks: dict[int, int] = {}
    for task in plan.tasks:
        if task.rect.size == 1:
            tasks[task.step] = tasks.get(task.step, 0) + 1
    found = {step: compiled(plan.steps[step], planes) for step, count in tasks.items() if count >= _MANY_TASKS}
    return {step: scalar for step, scalar in found.items() if scalar is not None}


def _run_task(
    machine: Machine,
    plan: Plan,
    task: Task,
    wanted: set[int] | None,
    kept: set[tuple[int, int, int]],
    replaced: set[tuple[int, int, int]],
    chains: dict[int, Scalar],
) -> None:
    if wanted is not None and task.step not in wanted:
        return
    step = plan.steps[task.step]
    sheet = step.block.sheet
    own = task.rect.intersection(step.block.rect) is not None
    if own and task.rect.size == 1 and (sheet, task.rect.top, task.rect.left) in replaced:
        return
    if own and step.block.spill is None and task.rect.size == 1 and (sheet, task.rect.top, task.rect.left) in kept:
        return
    plane = machine.planes[sheet]
    if task.step in chains and task.rect.size == 1 and not machine.exhausted():
        try:
            number = chains[task.step](task.rect.top, task.rect.left)
        except Unsure:
            pass
        else:
            machine.work += NODE // 4
            plane.set(task.rect.top, task.rect.left, number, NUMBER)
            return
    value = evaluate(machine, step, task.rect)
    if not kept or not own:
        store(plane, step, task.rect, value)
        return
    saved = [(r, c, *plane.get(r, c)) for r, c in (step.block.spill or task.rect).cells() if (sheet, r, c) in kept]
    store(plane, step, task.rect, value)
    for row, column, number, kind in saved:
        plane.set(row, column, number, kind)


__all__ = ["EMPTY", "blank_planes", "evaluate", "from_inputs", "from_precedents", "parts", "store"]
