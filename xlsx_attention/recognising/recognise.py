"""Plan and grid → what is attention in them."""

from __future__ import annotations

from collections import defaultdict

from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.role import Attention, AttentionMap
from xlsx_attention.recognising.attentions import attentions_of
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.families import families, softmax_units
from xlsx_attention.recognising.heads import head_of
from xlsx_attention.recognising.inference import suppose
from xlsx_attention.recognising.labels import label_of
from xlsx_attention.recognising.others import left_over, others_of
from xlsx_attention.recognising.places import Matrix
from xlsx_attention.recognising.terms import Expr
from xlsx_attention.recognising.thinning import MANY
from xlsx_attention.recognising.units import Units

#: A head with all of these needs no help from bare numbers.
COMPLETE = ("W_q", "W_k", "W_v", "output")


def recognise(grid: WorkbookGrid, plan: Plan) -> AttentionMap:
    """What each rectangle of a workbook is in attention, from its formulas and, where there are none, from its numbers.

    A pure function of formulas and geometry first; a sheet on which these leave an attention incomplete (or find none)
    is then read by its numbers.
    """
    units, attentions = read(grid, plan)
    found = AttentionMap(attentions)
    others, nameless = others_of(units, found)
    return AttentionMap(attentions, others, nameless + left_over(units.cells, found, others))


def read(grid: WorkbookGrid, plan: Plan) -> tuple[Units, tuple[Attention, ...]]:
    """The units of a workbook, with what its bare numbers seem to compute, and the attentions in them."""
    thin = sum(step.block.cells.size for step in plan.steps) > MANY
    units, attentions = _from(Cells(grid, plan, thin=thin), [])
    supposed: dict[int, Expr] = {}
    rects: list[tuple[int, Rect]] = []
    by_sheet: dict[int, list[Attention]] = defaultdict(list)
    for attention in attentions:
        by_sheet[attention.sheet].append(attention)
    cells = Cells(grid, plan, thin=thin)
    for sheet in grid.sheets:
        mine = by_sheet[sheet.index]
        if mine and all(role in head.roles for attention in mine for head in attention.heads for role in COMPLETE):
            continue
        inference = suppose(sheet.index, cells)
        supposed.update(inference.supposed)
        rects += inference.rects
    return _from(Cells(grid, plan, supposed, thin=thin), rects) if supposed else (units, attentions)


def _from(cells: Cells, supposed: list[tuple[int, Rect]]) -> tuple[Units, tuple[Attention, ...]]:
    units = Units.of(cells, supposed)

    def label(matrix: Matrix) -> str | None:
        return label_of(matrix, cells)

    softmaxes, bare = softmax_units(units)
    heads = [head for family in families(softmaxes, bare, cells) if (head := head_of(family, units, label)) is not None]
    return units, attentions_of(heads, units, label)
