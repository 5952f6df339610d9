"""Which origin spoilt an inherited cell: the graph walked back over the cells that do not hold what the inputs give."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from xlsx_attention.comparing.verdicts import CODE, Cell, Judged
from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan

#: Spoilt cells that are traced one by one; beyond it whole blocks are traced, which may name an origin too many.
CELLS = 20_000
#: Origins that one cell names.
NAMED = 8

SPOILT = (CODE["origin"], CODE["inherited"], CODE["overridden"])


def trace(grid: WorkbookGrid, plan: Plan, judged: Judged) -> tuple[dict[Cell, tuple[Cell, ...]], dict[Cell, int]]:
    """``(origins of each inherited cell, how many inherited cells each origin spoils)``."""
    spoilt: dict[Cell, int] = {}
    for sheet in grid.sheets:
        rect = sheet.cached.rect
        codes = judged.codes[sheet.index]
        for i, j in np.argwhere(np.isin(codes, SPOILT)):
            spoilt[sheet.index, rect.top + int(i), rect.left + int(j)] = int(codes[i, j])
        spoilt.update({(sheet.index, r, c): v for (r, c), v in judged.far[sheet.index].items() if v in SPOILT})
    if len(spoilt) > CELLS:
        return _by_step(plan, spoilt)
    return _by_cell(plan, spoilt)


def _by_cell(plan: Plan, spoilt: dict[Cell, int]) -> tuple[dict[Cell, tuple[Cell, ...]], dict[Cell, int]]:
    step_of: dict[Cell, int] = {}
    rows: dict[tuple[int, int], list[int]] = defaultdict(list)
    for sheet, row, column in spoilt:
        rows[sheet, row].append(column)
    for step in plan.steps:
        rect = step.block.cells
        for row in range(rect.top, rect.bottom):
            for column in rows.get((step.block.sheet, row), ()):
                if rect.left <= column < rect.right:
                    step_of[step.block.sheet, row, column] = step.index
    precedents: dict[Cell, list[Cell]] = {}
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
                for row in range(cut.top, cut.bottom):
                    found += [(read.sheet, row, c) for c in rows.get((read.sheet, row), ()) if cut.left <= c < cut.right]
        precedents[cell] = found
    dependents: dict[Cell, list[Cell]] = defaultdict(list)
    for cell, before in precedents.items():
        for precedent in before:
            dependents[precedent].append(cell)
    origins: dict[Cell, list[Cell]] = defaultdict(list)
    spoils: dict[Cell, int] = {}
    inherited = CODE["inherited"]
    for origin in sorted(cell for cell, code in spoilt.items() if code != inherited):
        seen_cells: set[Cell] = {origin}
        stack = [origin]
        while stack:
            for dependent in dependents.get(stack.pop(), ()):
                # An origin downstream begins a difference of its own; what lies behind it is still reached through it.
                if dependent in seen_cells:
                    continue
                seen_cells.add(dependent)
                stack.append(dependent)
                if spoilt[dependent] == inherited and len(origins[dependent]) < NAMED:
                    origins[dependent].append(origin)
        spoils[origin] = sum(1 for cell in seen_cells if spoilt[cell] == inherited)
    return {cell: tuple(found) for cell, found in origins.items()}, spoils


def _by_step(plan: Plan, spoilt: dict[Cell, int]) -> tuple[dict[Cell, tuple[Cell, ...]], dict[Cell, int]]:
    rects: dict[int, list[tuple[Rect, int]]] = defaultdict(list)
    for step in plan.steps:
        rects[step.block.sheet].append((step.block.cells, step.index))
    origin_code = {cell: code for cell, code in spoilt.items() if code != CODE["inherited"]}
    here: dict[int, list[Cell]] = defaultdict(list)
    for sheet, row, column in sorted(origin_code):
        for rect, index in rects[sheet]:
            if rect.contains(row, column):
                here[index].append((sheet, row, column))
                break
    readers: dict[int, list[int]] = defaultdict(list)
    for index, before in plan.edges.items():
        for precedent in before:
            readers[precedent].append(index)
    through: dict[int, list[Cell]] = defaultdict(list)
    for index, cells in here.items():
        seen, stack = {index}, [index]
        while stack:
            for reader in readers[stack.pop()]:
                if reader not in seen:
                    seen.add(reader)
                    stack.append(reader)
        for reached in seen:
            through[reached] += cells[: max(0, NAMED - len(through[reached]))]
    origins: dict[Cell, tuple[Cell, ...]] = {}
    spoils: dict[Cell, int] = defaultdict(int)
    inherited = CODE["inherited"]
    for step_sheet, members in rects.items():
        for rect, index in members:
            named = tuple(through.get(index, ()))
            if not named:
                continue
            for row, column in rect.cells():
                cell = (step_sheet, row, column)
                if spoilt.get(cell) == inherited:
                    origins[cell] = named
                    for origin in named:
                        spoils[origin] += 1
    return origins, dict(spoils)
