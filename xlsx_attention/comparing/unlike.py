"""Cells unlike their block, as findings."""

from __future__ import annotations

from collections.abc import Callable

from xlsx_attention.comparing.causes import Evidence, cause_of
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.formula import FormulaForm
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Repair
from xlsx_attention.model.report import Finding, Text

#: A form at (row, column) → the formula as it stands there, without ``=``.
FormulaAt = Callable[[FormulaForm, int, int], str]


def unlike_its_block(grid: WorkbookGrid, plan: Plan, repair: Repair, formula_at: FormulaAt) -> Finding:
    """The finding on a cell whose value is right though its formula, or the lack of one, is not."""
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
