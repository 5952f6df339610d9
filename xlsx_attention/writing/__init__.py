"""Writing workbooks and files: what every stage that leaves something behind shares."""

from __future__ import annotations

from xlsx_attention.writing.atomic import atomic_write, refuse_overwriting
from xlsx_attention.writing.cells import CellError, cached_xml, number_text
from xlsx_attention.writing.workbook import AttentionSheet, AttentionWorkbook, open_workbook

__all__ = [
    "AttentionSheet",
    "AttentionWorkbook",
    "CellError",
    "atomic_write",
    "cached_xml",
    "number_text",
    "open_workbook",
    "refuse_overwriting",
]
