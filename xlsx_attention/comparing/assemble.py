"""Verdicts, values and roles → the report."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Literal

import numpy as np

from xlsx_attention.comparing.listed import listed_cells
from xlsx_attention.comparing.of_steps import OfSteps
from xlsx_attention.comparing.origins import trace
from xlsx_attention.comparing.tolerance import Tolerance
from xlsx_attention.comparing.unlike import FormulaAt, unlike_its_block
from xlsx_attention.comparing.verdicts import Judged, Recomputed
from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.report import NOT_COMPUTED_CELL, VERDICTS, BlockResult, CellResult, FileReport, SheetResult
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.model.values import NOT_COMPUTED


def assemble(
    grid: WorkbookGrid,
    plan: Plan,
    values: Recomputed,
    judged: Judged,
    tolerance: Tolerance,
    attention: AttentionMap,
    formula_at: FormulaAt,
    only: tuple[str, ...] | None = None,
    of_steps: OfSteps | None = None,
) -> FileReport:
    """The report on a workbook; ``only`` names the sheets that count (others are computed all the same).

    ``of_steps`` is what judging blocks by their role gave.
    """
    labels = attention.labels()
    of_steps = of_steps or OfSteps()
    wanted = None if only is None else {name.casefold() for name in only}
    shown = [s.index for s in grid.sheets if wanted is None or s.name.casefold() in wanted]
    origins = trace(grid, plan, judged)
    sheets = tuple(_sheet(grid, plan, values, judged, index, labels, formula_at) for index in shown)
    counts: Counter[str] = Counter({verdict: 0 for verdict in VERDICTS})
    for sheet in sheets:
        counts.update(sheet.counts)
    origins = {**origins, **of_steps.origins}
    cells = listed_cells(grid, plan, values, judged, set(shown), labels, origins, formula_at, of_steps)
    findings = tuple(
        unlike_its_block(grid, plan, repair, formula_at) for repair in judged.unlike if repair.sheet in shown
    ) + tuple(finding for finding in of_steps.findings if finding.sheet in shown)
    not_computed: Counter[str] = Counter()
    for cell in cells:
        if cell.verdict == "not-computed":
            not_computed[_reason(cell)] += 1
    bad = counts["origin"] + counts["inherited"] + counts["overridden"]
    status: Literal["agrees", "diverges"] = "diverges" if bad or findings else "agrees"
    return FileReport(
        grid.path,
        status,
        provenance=grid.provenance,
        calc_mode=grid.calc.mode,
        rtol=tolerance.rtol,
        counts=dict(counts),
        bit_equal=judged.bit_equal,
        max_ulp=judged.max_ulp,
        not_computed=dict(not_computed.most_common()),
        sheets=sheets,
        cells=cells,
        findings=findings,
        notices=tuple(grid.notices),
        attention=attention,
        grid=grid,
        plan=plan,
    )


def _reason(cell: CellResult) -> str:
    for value in (cell.from_precedents, cell.from_inputs):
        if value.kind == NOT_COMPUTED:
            return value.text
    return "a cell that is not computed"


def _sheet(
    grid: WorkbookGrid,
    plan: Plan,
    values: Recomputed,
    judged: Judged,
    index: int,
    labels: dict[tuple[int, Rect], str],
    formula_at: FormulaAt,
) -> SheetResult:
    sheet = grid.sheets[index]
    codes = judged.codes[index]
    tally = np.bincount(codes.ravel(), minlength=256)
    far = Counter(judged.far[index].values())
    counts = {verdict: int(tally[code]) + far.get(code, 0) for code, verdict in enumerate(VERDICTS)}
    blocks = []
    rect = sheet.cached.rect
    # Steps come sheet by sheet.
    first, last = (bisect_left(plan.steps, at, key=lambda step: step.block.sheet) for at in (index, index + 1))
    for step in plan.steps[first:last]:
        cells = step.block.cells
        if rect.covers(cells):
            part = codes[
                cells.top - rect.top : cells.bottom - rect.top, cells.left - rect.left : cells.right - rect.left
            ]
            tally = np.bincount(part.ravel(), minlength=256)
            block_counts = {v: int(tally[c]) for c, v in enumerate(VERDICTS) if tally[c]}
        else:
            found = Counter(judged.code(grid, (index, *at)) for at in cells.cells())
            block_counts = {v: found[c] for c, v in enumerate(VERDICTS) if found[c]}
        formula = f"={formula_at(step.block.form, step.block.rect.top, step.block.rect.left)}"
        blocks.append(
            BlockResult(
                step.index,
                index,
                cells,
                labels.get((index, cells), ""),
                formula,
                step.block.form.r1c1,
                "",
                "",
                block_counts,
            )
        )
    codes.flags.writeable = False
    return SheetResult(
        index,
        sheet.name,
        rect,
        codes,
        values.precedents[index],
        values.inputs[index],
        counts,
        tuple(blocks),
        {at: code for at, code in judged.far[index].items() if code != NOT_COMPUTED_CELL},
    )
