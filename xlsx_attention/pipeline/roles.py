"""What is done with roles: attention is looked for, blocks are held against its steps, steps are put in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xlsx_attention.comparing.of_steps import OfSteps
from xlsx_attention.comparing.verdicts import Judged, Recomputed
from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.pipeline.nouns import Understood

#: Blocks, and links between them, beyond which no attention is looked for: a lesson has some dozens.
RECOGNISED = 10_000
LINKED = 100_000


def readable(plan: Plan) -> bool:
    """Whether a workbook is such that its steps can be told in words."""
    return len(plan.steps) <= RECOGNISED and sum(map(len, plan.edges.values())) <= LINKED


def recognised(grid: WorkbookGrid, plan: Plan) -> AttentionMap:
    from xlsx_attention.recognising import recognise

    return recognise(grid, plan)


def by_role(understood: Understood, judged: Judged) -> tuple[Recomputed, OfSteps]:
    """Blocks and bare numbers held against the reference step of their role; verdicts of the latter go into ``judged``.

    Nothing is loaded where nothing is recognised.
    """
    found = understood.attention
    if not found.attentions and not any(step.kind == "layer norm" for step in found.others):
        return understood.values, OfSteps()
    from xlsx_attention.attention import exp, matmul_in_order, sum_in_order
    from xlsx_attention.comparing.bare import judge_numbers
    from xlsx_attention.comparing.cell_causes import CellCauses
    from xlsx_attention.comparing.findings import find, subjects
    from xlsx_attention.comparing.matrices import Sheets
    from xlsx_attention.comparing.reference import Reference

    reference = Reference(matmul_in_order, exp, lambda array: sum_in_order(array)[..., 0])
    sheets = Sheets(understood.grid, understood.plan, understood.values)
    heads = list(subjects(sheets, understood.attention, reference))
    numbers = judge_numbers(understood.grid, judged, understood.values, heads)
    findings = (*find(sheets, understood.attention, heads), *numbers.findings)
    cause = CellCauses(heads).cause
    return numbers.values, OfSteps(findings, numbers.causes, numbers.origins, cause)


def with_words(report: FileReport, grid: WorkbookGrid, plan: Plan) -> FileReport:
    """The report with each block, and each cell that diverges, as NumPy and as mathematics."""
    from xlsx_attention.recognising import Wording

    wording = Wording(grid, plan, report.attention)
    sheets = tuple(
        replace(
            sheet,
            blocks=tuple(
                replace(block, numpy=wording.numpy(plan.steps[block.step]), math=wording.math(plan.steps[block.step]))
                if block.step < len(plan.steps) and block.step >= 0
                else block
                for block in sheet.blocks
            ),
        )
        for sheet in report.sheets
    )
    numpy = {
        (block.sheet, *cell): block.numpy for sheet in sheets for block in sheet.blocks for cell in _few(block.rect)
    }
    cells = tuple(
        replace(cell, numpy=cell.numpy or numpy.get((cell.sheet, cell.row, cell.column), "")) for cell in report.cells
    )
    return replace(report, sheets=sheets, cells=cells)


def _few(rect: Rect) -> Iterable[tuple[int, int]]:
    """The cells of a block, unless it is too large for anyone to read them one by one."""
    return rect.cells() if rect.size <= 65_536 else ()
