"""The one way through the stages: grid → blocks → plan → values → verdicts → report."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from xlsx_attention import parsing
from xlsx_attention.comparing.assemble import assemble
from xlsx_attention.comparing.tolerance import Tolerance
from xlsx_attention.comparing.verdicts import judge
from xlsx_attention.compiling.plan import compile_plan, with_repairs
from xlsx_attention.compiling.role_holes import role_holes
from xlsx_attention.errors import FormulaSyntaxError, UnreadableFile
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import FormulaForm, Tree
from xlsx_attention.model.grid import Notice, WorkbookGrid
from xlsx_attention.model.plan import Step
from xlsx_attention.model.recursion import deep
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.model.values import NOT_COMPUTED, Floats, Plane
from xlsx_attention.pipeline.nouns import DEFAULTS, Options, Understood
from xlsx_attention.pipeline.recomputing import recompute
from xlsx_attention.pipeline.roles import by_role, readable, recognised, with_words
from xlsx_attention.pipeline.special import downstream, special_steps
from xlsx_attention.running.dynamic_cycles import dynamic_cycles
from xlsx_attention.running.machine import Machine
from xlsx_attention.running.magnitude import magnitude

if TYPE_CHECKING:
    from xlsx_attention.model.published import Published


def parse_names(grid: WorkbookGrid) -> dict[tuple[int | None, str], Tree]:
    """Defined names as trees; one that cannot be parsed becomes a notice and ``#NAME?``."""
    names: dict[tuple[int | None, str], Tree] = {}
    characters = 0
    for name in grid.names:
        characters += len(name.formula)
        if characters > grid.budgets.characters:
            raise grid.budgets.over("characters", characters, "the defined names")
        try:
            names[name.sheet, name.name.upper()] = parsing.parse(name.formula, 0, 0)
        except FormulaSyntaxError as fault:
            grid.notices.append(Notice("name-not-understood", name.name, str(fault)))
    return names


@deep()
def understand(grid: WorkbookGrid, options: Options = DEFAULTS) -> Understood:
    """Everything but the verdicts."""
    grid.spent = 0
    blocks = parsing.find_blocks(grid)
    plan = compile_plan(grid, blocks, parse_names(grid))
    attention = AttentionMap()
    if options.recognise:
        if readable(plan):
            attention = recognised(grid, plan)
            holes = role_holes(grid, plan, attention) if attention.attentions else ()
            if holes:
                plan = with_repairs(grid, plan, holes)
                attention = recognised(grid, plan)
        else:
            links = sum(map(len, plan.edges.values()))
            what = f"{len(plan.steps):,} unlike blocks with {links:,} links between them"
            grid.notices.append(Notice("not-recognised", "workbook", f"{what}: no attention was looked for"))
    special = special_steps(plan)
    circular = {cell for cycle in plan.cycles for cell in cycle} | dynamic_cycles(grid, plan, parsing.parse)
    kept = circular | {
        (step.block.sheet, *at)
        for step in plan.steps
        if special.get(step.index) in ("volatile", "external")
        for at in step.block.cells.cells()
    }
    values = recompute(grid, plan, kept)
    lacking = {
        step.index
        for step in plan.steps
        if step.index not in special and _any_not_computed(values.precedents[step.block.sheet], step.block.cells)
    }
    for index in downstream(plan, lacking) - lacking:
        special.setdefault(index, "depends-on-not-computed")
    return Understood(grid, plan, values, attention, special, circular)


def _any_not_computed(plane: Plane, rect: Rect) -> bool:
    return bool((plane.read(rect)[1] == NOT_COMPUTED).any())


@deep()
def verify_grid(
    grid: WorkbookGrid, options: Options = DEFAULTS, published: Published | None = None, started: float | None = None
) -> FileReport:
    """The report on a workbook that has been read.

    Raises :class:`~xlsx_attention.errors.UnreadableFile` (``no-such-sheet``) where ``options`` name a sheet that it
    lacks.
    """
    started = time.perf_counter() if started is None else started
    for name in options.sheets or ():
        if grid.sheet_index(name) is None:
            have = ", ".join(repr(sheet.name) for sheet in grid.sheets[:20])
            raise UnreadableFile("no-such-sheet", f"has no sheet {name!r}; it has {have}")
    understood = understand(grid, options)
    plan, values = understood.plan, understood.values
    tolerance = Tolerance.for_file(grid.provenance, options.rtol)
    machine = Machine(grid, [sheet.cached for sheet in grid.sheets], plan.names, parsing.parse)
    by_cells: dict[tuple[int, Rect], Step] = {(s.block.sheet, s.block.cells): s for s in plan.steps}
    of_sheet: dict[int, list[Step]] = defaultdict(list)
    for each in plan.steps:
        of_sheet[each.block.sheet].append(each)

    def size_of(sheet: int, rect: Rect) -> Floats:
        step = by_cells.get((sheet, rect))
        if step is None:
            step = next((s for s in of_sheet[sheet] if s.block.cells.covers(rect)), None)
        return np.zeros(rect.shape) if step is None else magnitude(machine, step, rect)

    judged = judge(grid, plan, values, tolerance, size_of, understood.special, understood.circular)

    def formula_at(form: FormulaForm, row: int, column: int) -> str:
        return parsing.formula_at(form, row, column)

    values, of_steps = by_role(understood, judged)
    report = assemble(grid, plan, values, judged, tolerance, understood.attention, formula_at, options.sheets, of_steps)
    if options.words and readable(plan):
        report = with_words(report, grid, plan)
    if published is not None:
        from xlsx_attention.comparing.published import hold_against

        figures = hold_against(published, report)
        status = report.status if all(f.agrees for f in figures) else "diverges"
        report = replace(report, published=figures, status=status)
    return replace(report, seconds=time.perf_counter() - started)
