"""Plan and grid → what is attention in them."""

from __future__ import annotations

from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.role import AttentionMap
from xlsx_attention.recognising.attentions import attentions_of
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.families import families, softmax_units
from xlsx_attention.recognising.heads import head_of
from xlsx_attention.recognising.places import Matrix
from xlsx_attention.recognising.units import Units


def recognise(grid: WorkbookGrid, plan: Plan) -> AttentionMap:
    """What each rectangle of a workbook is in attention, from its formulas and, where there are none, from its numbers."""
    cells = Cells(grid, plan)
    units = Units.of(cells, [])

    def label(matrix: Matrix) -> str | None:
        return None

    softmaxes, bare = softmax_units(units)
    heads = [head for family in families(softmaxes, bare, cells) if (head := head_of(family, units, label)) is not None]
    return AttentionMap(attentions_of(heads, units, label))
