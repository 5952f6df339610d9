"""Verdicts, values and roles → the report."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from xlsx_attention.comparing.causes import Evidence, cause_of
from xlsx_attention.comparing.origins import trace
from xlsx_attention.comparing.tolerance import Tolerance
from xlsx_attention.comparing.verdicts import CODE, Cell, Judged, Recomputed
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.formula import FormulaForm
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Repair
from xlsx_attention.model.report import (
    NOT_COMPUTED_CELL,
    VERDICTS,
    BlockResult,
    CellResult,
    FileReport,
    Finding,
    SheetResult,
    Text,
)
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.model.values import NOT_COMPUTED, NUMBER, Scalar


@dataclass(frozen=True, slots=True)
class OfSteps:
    """What judging blocks by their role gave: findings, and for single cells their causes and origins.

    ``by_role`` asks which mistake of a recognised step gives a number in a cell.
    """

    findings: tuple[Finding, ...] = ()
    causes: Mapping[Cell, str] = field(default_factory=dict)
    origins: Mapping[Cell, tuple[Cell, ...]] = field(default_factory=dict)
    by_role: Callable[[Cell, float], str | None] | None = None

    def cause(self, cell: Cell, value: Scalar) -> str | None:
        return None if self.by_role is None or value.kind != NUMBER else self.by_role(cell, value.number)


FormulaAt = Callable[[FormulaForm, int, int], str]
#: Cells that are listed one by one; past it (a whole sheet spoilt by one input) the counts and planes tell the rest.
LISTED = 50_000


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
    cells = _cells(grid, plan, values, judged, set(shown), labels, origins, formula_at, of_steps)
    findings = tuple(
        _unlike(grid, plan, repair, formula_at) for repair in judged.unlike if repair.sheet in shown
    ) + tuple(finding for finding in of_steps.findings if finding.sheet in shown)
    not_computed: Counter[str] = Counter()
    for cell in cells:
        if cell.verdict == "not-computed":
            not_computed[_reason(cell, plan)] += 1
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


def _reason(cell: CellResult, plan: Plan) -> str:
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
            part = codes[cells.top - rect.top : cells.bottom - rect.top, cells.left - rect.left : cells.right - rect.left]
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


def _cells(
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
            (index, *at) for at, code in sorted(judged.far[index].items()) if code not in (CODE["agrees"], NOT_COMPUTED_CELL)
        ]
        for cell in here:
            if judged.code(grid, cell) not in (CODE["origin"], CODE["overridden"]):
                quiet += 1
                if quiet > LISTED:
                    continue
            places.append(cell)
    owner = _owners(plan, places)
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
        formula = f"={formula_at(step.block.form, row, column)}" if step is not None and step.block.spill is None else ""
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


def _owners(plan: Plan, places: list[Cell]) -> dict[Cell, int]:
    rows: dict[tuple[int, int], list[int]] = {}
    for sheet, row, column in places:
        rows.setdefault((sheet, row), []).append(column)
    for columns in rows.values():
        columns.sort()
    owner: dict[Cell, int] = {}
    if not rows:
        return owner
    for step in plan.steps:
        rect = step.block.cells
        for row in range(rect.top, rect.bottom):
            columns = rows.get((step.block.sheet, row), [])
            for column in columns[bisect_left(columns, rect.left) : bisect_left(columns, rect.right)]:
                owner[step.block.sheet, row, column] = step.index
    return owner


def _unlike(grid: WorkbookGrid, plan: Plan, repair: Repair, formula_at: FormulaAt) -> Finding:
    block = plan.steps[repair.step].block
    cell = cell_name(repair.row, repair.column)
    theirs = formula_at(block.form, repair.row, repair.column)
    if repair.own is None:
        return Finding(
            repair.sheet,
            Rect.cell(repair.row, repair.column),
            "pasted-value",
            Text(
                f"{cell} is a typed number among formulas; its block computes ={theirs}.",
                f"{cell} 是公式区域中手工输入的数字；该区域的公式为 ={theirs}。",
            ),
        )
    own = plan.steps[repair.own]
    mine = formula_at(own.block.form, repair.row, repair.column)
    evidence = Evidence(
        grid.value(repair.sheet, repair.row, repair.column),
        grid.value(repair.sheet, repair.row, repair.column),
        grid.value(repair.sheet, repair.row, repair.column),
        own.tree,
        plan.steps[repair.step].tree,
    )
    return Finding(
        repair.sheet,
        Rect.cell(repair.row, repair.column),
        cause_of(evidence),
        Text(
            f"{cell} holds ={mine} where its block has ={theirs} "
            f"({own.block.form.r1c1} against {block.form.r1c1}): the value is right only by luck.",
            f"{cell} 的公式为 ={mine}，而所在区域的公式应为 ={theirs}"
            f"（{own.block.form.r1c1} 与 {block.form.r1c1}）：数值正确只是巧合。",
        ),
    )
