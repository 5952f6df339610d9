"""The values of a workbook, computed both ways."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from xlsx_attention import parsing
from xlsx_attention.comparing.tolerance import same_bits
from xlsx_attention.comparing.verdicts import Cell, Recomputed
from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.values import EMPTY
from xlsx_attention.pipeline.special import downstream
from xlsx_attention.running import run
from xlsx_attention.running.machine import Machine


def recompute(grid: WorkbookGrid, plan: Plan, kept: set[Cell]) -> Recomputed:
    """From precedents everywhere; from the inputs only where the first differs from the file in any bit.

    Where a step and all that it reads equal the file to the bit, computing it from the inputs would give those very
    bits again: the second run would be the first.
    """
    stored = [sheet.cached for sheet in grid.sheets]
    if _lacks_caches(grid, plan):
        # What the file does not store is filled in from the inputs, so that its dependents can be judged at all.
        computed = run.from_inputs(grid, plan, kept=kept, parse=parsing.parse)
        stored = [plane.filled_from(full) for plane, full in zip(stored, computed, strict=True)]
        precedents = run.from_precedents(grid, plan, parsing.parse, planes=stored)
        inputs = computed
    else:
        precedents = run.from_precedents(grid, plan, parsing.parse)
        dirty = {
            step.index
            for step in plan.steps
            if not same_bits(
                *grid.sheets[step.block.sheet].cached.read(step.block.cells),
                *precedents[step.block.sheet].read(step.block.cells),
            ).all()
        }
        dirty |= {repair.step for repair in plan.repairs} | {r.own for r in plan.repairs if r.own is not None}
        dirty |= _readers_of(plan, [(r.sheet, Rect.cell(r.row, r.column)) for r in plan.repairs])
        wanted = downstream(plan, dirty)
        if wanted:
            inputs = run.from_inputs(grid, plan, wanted=wanted, kept=kept, parse=parsing.parse)
        else:
            inputs = [sheet.cached for sheet in grid.sheets]
    machine = Machine(grid, stored, plan.names, parsing.parse)
    repaired: dict[Cell, tuple[float, int]] = {}
    for repair in plan.repairs:
        value = run.evaluate(machine, plan.steps[repair.step], Rect.cell(repair.row, repair.column))
        repaired[repair.sheet, repair.row, repair.column] = (float(value.number.flat[0]), int(value.kind.flat[0]))
    return Recomputed(precedents, inputs, repaired)


def _readers_of(plan: Plan, places: Iterable[tuple[int, Rect]]) -> set[int]:
    rows: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
    for sheet, rect in places:
        rows[sheet].append((rect.top, rect.left, rect.bottom, rect.right))
    bounds = {sheet: np.array(rects).T for sheet, rects in rows.items()}
    found: set[int] = set()
    known: dict[tuple[int, Rect], bool] = {}
    for step in plan.steps if bounds else ():
        for read in step.reads:
            if read.sheet not in bounds:
                continue
            key = (read.sheet, read.rect)
            if key not in known:
                top, left, bottom, right = bounds[read.sheet]
                r = read.rect
                known[key] = bool(((top < r.bottom) & (bottom > r.top) & (left < r.right) & (right > r.left)).any())
            if known[key]:
                found.add(step.index)
    return found


def _lacks_caches(grid: WorkbookGrid, plan: Plan) -> bool:
    return any(
        bool((grid.sheets[step.block.sheet].cached.read(step.block.cells)[1] == EMPTY).any()) for step in plan.steps
    )
