"""External links: what the workbook remembers of other workbooks. Nothing outside the file is ever opened."""

from __future__ import annotations

from xlsx_attention.model.address import parse_cell
from xlsx_attention.model.grid import ExternalBook
from xlsx_attention.model.values import EMPTY, NOT_COMPUTED, TEXT, Scalar, TextPool
from xlsx_attention.reading.cells import CellReader
from xlsx_attention.reading.notices import NoticeLog
from xlsx_attention.reading.package import Package
from xlsx_attention.reading.strings import unescape
from xlsx_attention.reading.styles import integer
from xlsx_attention.reading.xml_events import Attributes, Handlers


def read_external(package: Package, part: str, notices: NoticeLog) -> ExternalBook:
    """Sheet names, defined names and cached cells of one external book. A DDE or OLE link gives an empty book."""
    sheets: list[str] = []
    names: list[str] = []
    cells: dict[tuple[int, int, int], Scalar] = {}
    pool = TextPool()
    reader = CellReader(pool, [], notices, part, date1904=False)
    sheet = 0
    cell: Attributes = {}

    def begin_sheet(attributes: Attributes) -> None:
        nonlocal sheet
        sheet = integer(attributes.get("sheetId"), 0)

    def begin_cell(attributes: Attributes) -> None:
        nonlocal cell
        cell = attributes

    def value(text: str) -> None:
        name = cell.get("r", "")
        try:
            row, column = parse_cell(name)
        except ValueError:
            notices.add("bad-reference", part, name[:20], "a cached cell of an external link has no valid address")
            return
        number, kind = reader.value(cell.get("t", "n"), text, row, column)
        if kind != EMPTY:
            if len(cells) >= package.budgets.cells:
                raise package.budgets.over("cells", len(cells) + 1, part)
            cells[sheet, row, column] = (
                Scalar(kind, 0.0, pool[number]) if kind in (TEXT, NOT_COMPUTED) else Scalar(kind, number)
            )

    package.parse(
        part,
        Handlers(
            start={
                "sheetName": lambda attributes: sheets.append(unescape(attributes.get("val", ""))),
                "definedName": lambda attributes: names.append(unescape(attributes.get("name", ""))),
                "sheetData": begin_sheet,
                "cell": begin_cell,
            },
            end={"v": value},
        ),
    )
    return ExternalBook(tuple(sheets), cells, tuple(names))
