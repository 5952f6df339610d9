"""Which origin spoilt an inherited cell: the graph walked back over the cells that do not hold what the inputs give."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from xlsx_attention.comparing.verdicts import CODE, Cell, Judged
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan

#: Spoilt cells that are traced one by one; beyond it whole blocks are traced, which may name an origin too many.
CELLS = 20_000
#: Origins that one cell names.
NAMED = 8
#: Pairs of a spoilt cell and one that it uses that are looked at one by one; beyond it whole blocks are, too.
PAIRS = 2_000_000

SPOILT = (CODE["origin"], CODE["inherited"], CODE["overridden"])


def trace(grid: WorkbookGrid, plan: Plan, judged: Judged) -> dict[Cell, tuple[Cell, ...]]:
    """The origins of each inherited cell, :data:`NAMED` of them at most."""
    spoilt: dict[Cell, int] = {}
    for sheet in grid.sheets:
        rect = sheet.cached.rect
        codes = judged.codes[sheet.index]
        for i, j in np.argwhere(np.isin(codes, SPOILT)):
            spoilt[sheet.index, rect.top + int(i), rect.left + int(j)] = int(codes[i, j])
        spoilt.update({(sheet.index, r, c): v for (r, c), v in judged.far[sheet.index].items() if v in SPOILT})
    if len(spoilt) > CELLS:
        return _by_step(plan, spoilt)
    found = _by_cell(plan, spoilt)
    return _by_step(plan, spoilt) if found is None else found


def _by_cell(plan: Plan, spoilt: dict[Cell, int]) -> dict[Cell, tuple[Cell, ...]] | None:
    """Cell by cell; ``None`` where that is too many pairs."""
    step_of = steps_of(plan, spoilt)
    rows: dict[tuple[int, int], list[int]] = defaultdict(list)
    for sheet, row, column in spoilt:
        rows[sheet, row].append(column)
    precedents: dict[Cell, list[Cell]] = {}
    pairs = 0
    for cell in spoilt:
        index = step_of.get(cell)
        found: list[Cell] = []
        if index is not None:
            step = plan.steps[index]
            anchor = (step.block.rect.top, step.block.rect.left) if step.block.spill is not None else cell[1:]
            for read in step.reads:
                seen = read.reference.at(*anchor) if step.block.spill is None else read.rect
                cut = None if seen is None else seen.intersection(read.rect)
                if cut is None:
                    continue
                pairs += cut.height
                if pairs > PAIRS:
                    return None
                for row in range(cut.top, cut.bottom):
                    columns = rows.get((read.sheet, row), ())
                    pairs += len(columns)
                    found += [(read.sheet, row, c) for c in columns if cut.left <= c < cut.right]
        precedents[cell] = found
    dependents: dict[Cell, list[Cell]] = defaultdict(list)
    for cell, before in precedents.items():
        for precedent in before:
            dependents[precedent].append(cell)
    origins: dict[Cell, list[Cell]] = defaultdict(list)
    passed: dict[Cell, int] = defaultdict(int)
    inherited = CODE["inherited"]
    for origin in sorted(cell for cell, code in spoilt.items() if code != inherited):
        seen_cells: set[Cell] = {origin}
        stack = [origin]
        while stack:
            for dependent in dependents.get(stack.pop(), ()):
                # An origin downstream begins a difference of its own; what lies behind it is still reached through it.
                # Whoever has been reached by as many as are named has everything behind it reached by as many.
                if dependent in seen_cells or passed[dependent] == NAMED:
                    continue
                seen_cells.add(dependent)
                passed[dependent] += 1
                stack.append(dependent)
                if spoilt[dependent] == inherited:
                    origins[dependent].append(origin)
    return {cell: tuple(found) for cell, found in origins.items()}


def _by_step(plan: Plan, spoilt: dict[Cell, int]) -> dict[Cell, tuple[Cell, ...]]:
    step_of = steps_of(plan, spoilt)
    here: dict[int, list[Cell]] = defaultdict(list)
    for cell in sorted(cell for cell, code in spoilt.items() if code != CODE["inherited"]):
        if cell in step_of:
            here[step_of[cell]].append(cell)
    readers = plan.readers()
    through: dict[int, list[Cell]] = defaultdict(list)
    for index, cells in here.items():
        seen, stack = {index}, [index]
        while stack:
            reached = stack.pop()
            through[reached] += cells[: max(0, NAMED - len(through[reached]))]
            for reader in readers.get(reached, ()):
                # What is full has everything behind it full.
                if reader not in seen and len(through[reader]) < NAMED:
                    seen.add(reader)
                    stack.append(reader)
    named = {index: tuple(cells) for index, cells in through.items()}
    inherited = CODE["inherited"]
    return {
        cell: named[step_of[cell]] for cell, code in spoilt.items() if code == inherited and step_of.get(cell) in named
    }


def steps_of(plan: Plan, places: Iterable[Cell]) -> dict[Cell, int]:
    """The steps that compute these cells; a cell that none computes is left out."""
    rows: dict[tuple[int, int], list[int]] = defaultdict(list)
    for sheet, row, column in places:
        rows[sheet, row].append(column)
    for columns in rows.values():
        columns.sort()
    found: dict[Cell, int] = {}
    for step in plan.steps if rows else ():
        rect = step.block.cells
        for row in range(rect.top, rect.bottom):
            columns = rows.get((step.block.sheet, row), [])
            for column in columns[bisect_left(columns, rect.left) : bisect_left(columns, rect.right)]:
                found[step.block.sheet, row, column] = step.index
    return found
