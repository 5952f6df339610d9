"""Plan and grid → what is attention in them."""

from __future__ import annotations

from collections import defaultdict

from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import Notice, WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.role import Attention, AttentionMap
from xlsx_attention.recognising.attentions import attentions_of
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.families import families, softmax_units
from xlsx_attention.recognising.heads import Found, head_of
from xlsx_attention.recognising.inference import suppose
from xlsx_attention.recognising.labels import label_of
from xlsx_attention.recognising.others import left_over, others_of
from xlsx_attention.recognising.places import Matrix, bounds
from xlsx_attention.recognising.terms import Expr, unpack
from xlsx_attention.recognising.thinning import MANY
from xlsx_attention.recognising.units import Units

#: A head with more weights than this (316 tokens) is not held cell by cell.
LARGEST_HEAD = 100_000
#: A head with all of these needs no help from bare numbers.
COMPLETE = ("W_q", "W_k", "W_v", "output")


def recognise(grid: WorkbookGrid, plan: Plan, *, many: int = MANY) -> AttentionMap:
    """What each rectangle of a workbook is in attention, from its formulas and, where there are none, from its numbers.

    A pure function of formulas and geometry first; a sheet on which these leave an attention incomplete (or find none)
    is then read by its numbers. A workbook of more than ``many`` formulas is read by the ends of its blocks and ranges;
    an attention too large to be held cell by cell is left out, and a notice of the grid says so.
    """
    units, attentions = read(grid, plan, many)
    found = AttentionMap(attentions)
    others, nameless = others_of(units, found)
    return AttentionMap(attentions, others, nameless + left_over(units.cells, found, others))


def read(grid: WorkbookGrid, plan: Plan, many: int = MANY) -> tuple[Units, tuple[Attention, ...]]:
    """The units of a workbook, with what its bare numbers seem to compute, and the attentions in them."""
    thin = sum(step.block.cells.size for step in plan.steps) > many
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


def _within_reach(head: Found, grid: WorkbookGrid) -> bool:
    """Whether a head is small enough to be held cell by cell; of one that is not, the file's notices tell."""
    weights = [cell for line in head.matrices["weights"] for cell in line]
    rect = bounds(weights)
    if rect.size <= LARGEST_HEAD or unpack(weights[0])[0] >= len(grid.sheets):
        return True
    sheet = grid.sheets[unpack(weights[0])[0]].name
    what = f"recognition left out: the weights of this attention are {rect.size:,} cells, more than {LARGEST_HEAD:,}"
    notice = Notice("not-recognised", f"{sheet}!{rect.a1}", what)
    if notice not in grid.notices:
        grid.notices.append(notice)
    return False


def _from(cells: Cells, supposed: list[tuple[int, Rect]]) -> tuple[Units, tuple[Attention, ...]]:
    units = Units.of(cells, supposed)

    def label(matrix: Matrix) -> str | None:
        return label_of(matrix, cells)

    softmaxes, bare = softmax_units(units)
    heads = [head for family in families(softmaxes, bare, cells) if (head := head_of(family, units, label)) is not None]
    if cells.thin:
        heads = [head for head in heads if _within_reach(head, cells.grid)]
    return units, attentions_of(heads, units, label)
