"""The cells that do not agree, one by one."""

from __future__ import annotations

import numpy as np

from xlsx_attention.comparing.causes import Evidence, cause_of
from xlsx_attention.comparing.of_steps import OfSteps
from xlsx_attention.comparing.origins import steps_of
from xlsx_attention.comparing.unlike import FormulaAt
from xlsx_attention.comparing.verdicts import CODE, Cell, Judged, Recomputed
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.report import NOT_COMPUTED_CELL, VERDICTS, CellResult

#: Cells that are listed one by one; past it (a whole sheet spoilt by one input) the counts and planes tell the rest.
LISTED = 50_000


def listed_cells(
    grid: WorkbookGrid,
    plan: Plan,
    values: Recomputed,
    judged: Judged,
    shown: set[int],
    labels: dict[tuple[int, Rect], str],
    origins: dict[Cell, tuple[Cell, ...]],
    formula_at: FormulaAt,
    of_steps: OfSteps,
) -> tuple[CellResult, ...]:
    """Every computed cell that does not agree, sheet by sheet, row by row; origins are never left out."""
    places: list[Cell] = []
    quiet = 0
    for index in sorted(shown):
        rect = grid.sheets[index].cached.rect
        codes = judged.codes[index]
        here = [
            (index, rect.top + int(i), rect.left + int(j))
            for i, j in np.argwhere((codes != CODE["agrees"]) & (codes != NOT_COMPUTED_CELL))
        ]
        here += [
            (index, *at)
            for at, code in sorted(judged.far[index].items())
            if code not in (CODE["agrees"], NOT_COMPUTED_CELL)
        ]
        for cell in here:
            if judged.code(grid, cell) not in (CODE["origin"], CODE["overridden"]):
                quiet += 1
                if quiet > LISTED:
                    continue
            places.append(cell)
    owner = steps_of(plan, places)
    repairs = {(r.sheet, r.row, r.column): r for r in plan.repairs}
    roles = sorted(labels.items(), key=lambda item: item[0][1].size)
    results = []
    for cell in places:
        sheet, row, column = cell
        repair = repairs.get(cell)
        own = owner.get(cell)
        step = plan.steps[own] if own is not None else None
        verdict = VERDICTS[judged.code(grid, cell)]
        cached = grid.value(sheet, row, column)
        by_itself = grid.scalar(*values.precedents[sheet].get(row, column))
        expected = grid.scalar(*values.repaired[cell]) if repair is not None else by_itself
        formula = (
            f"={formula_at(step.block.form, row, column)}" if step is not None and step.block.spill is None else ""
        )
        if step is not None and step.block.spill is not None:
            formula = f"={formula_at(step.block.form, step.block.rect.top, step.block.rect.left)}"
        block_formula = ""
        if repair is not None:
            block_formula = f"={formula_at(plan.steps[repair.step].block.form, row, column)}"
        cause = ""
        if verdict in ("origin", "overridden"):
            cause = cause_of(
                Evidence(
                    cached,
                    expected,
                    by_itself,
                    step.tree if step is not None else None,
                    plan.steps[repair.step].tree if repair is not None else None,
                    lambda cell=cell, own=by_itself: of_steps.cause(cell, own),  # type: ignore[misc]
                )
            )
            if step is None and repair is None:
                cause = of_steps.causes.get(cell, "unexplained")
        role = ""
        for (at, rect), label in roles:
            if at == sheet and rect.contains(row, column):
                role = f"{label}[{row - rect.top},{column - rect.left}]"
                break
        results.append(
            CellResult(
                sheet,
                row,
                column,
                verdict,
                cause,
                role,
                cached,
                expected,
                grid.scalar(*values.inputs[sheet].get(row, column)),
                formula,
                block_formula,
                "",
                tuple(_name(grid, sheet, origin) for origin in origins.get(cell, ())),
            )
        )
    return tuple(results)


def _name(grid: WorkbookGrid, sheet: int, cell: Cell) -> str:
    name = cell_name(cell[1], cell[2])
    return name if cell[0] == sheet else f"{grid.sheets[cell[0]].name}!{name}"
