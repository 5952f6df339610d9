"""xlsx → :class:`~xlsx_attention.model.grid.WorkbookGrid`, cells only, on ``zipfile`` and expat."""

from xlsx_attention.reading.codes import CODES, NOTICES, REFUSALS
from xlsx_attention.reading.openpyxl_pair import from_openpyxl
from xlsx_attention.reading.source import Source, load
from xlsx_attention.reading.workbook import read_workbook

__all__ = ["CODES", "NOTICES", "REFUSALS", "Source", "from_openpyxl", "load", "read_workbook"]
