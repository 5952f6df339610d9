"""A grid from workbooks that are open in openpyxl. openpyxl itself is imported only by the caller, or when needed."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from xlsx_attention.model.address import Rect, column_index, parse_cell
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.grid import CalcSettings, DefinedName, ExternalBook, Provenance, Sheet, Table, WorkbookGrid
from xlsx_attention.model.values import EMPTY, NOT_COMPUTED, NUMBER, TEXT, Plane, Scalar, TextPool
from xlsx_attention.reading.cell_store import CellStore, Tally
from xlsx_attention.reading.cells import CellReader, Value
from xlsx_attention.reading.notices import NoticeLog
from xlsx_attention.reading.plane_layout import lay_out
from xlsx_attention.reading.provenance import measured_digits
from xlsx_attention.reading.styles import NumberFormats
from xlsx_attention.reading.xml_events import Attributes

if TYPE_CHECKING:
    from openpyxl import Workbook


def from_openpyxl(formulas: Workbook, values: Workbook | None) -> WorkbookGrid:
    """The same grid that :func:`read_workbook` gives, as far as openpyxl keeps it.

    ``formulas`` is a workbook as ``load_workbook(path)`` or a script gives it; ``values`` the same one loaded with
    ``data_only=True``, or ``None`` where no results are stored. What openpyxl does not keep: whether an array formula
    is dynamic (all count as Ctrl-Shift-Enter ones) and who saved the file. Neither workbook may be read-only.
    """
    budgets, notices, pool, tally = Budgets(), NoticeLog(), TextPool(), Tally()
    formats = NumberFormats()
    date1904 = formulas.epoch.year == 1904
    grid = WorkbookGrid(path="", sheets=[], texts=pool, calc=_calc(formulas.calculation, date1904))
    names = [DefinedName(name, _text(entry.value)) for name, entry in formulas.defined_names.items()]
    tables: list[Table] = []
    for index, worksheet in enumerate(formulas.worksheets):
        sheet = Sheet(worksheet.title, index, Plane.empty(Rect(0, 0, 1, 1)), hidden=worksheet.sheet_state != "visible")
        store = CellStore("", sheet.name, budgets, tally, notices, ())
        reader = CellReader(pool, [], notices, sheet.name, date1904=date1904)
        results = values[worksheet.title] if values is not None else None
        _cells(worksheet, results, store, reader, formats)
        lay_out(store.finish(), sheet)
        sheet.merged = tuple(
            Rect(area.min_row - 1, area.min_col - 1, area.max_row, area.max_col)
            for area in worksheet.merged_cells.ranges
        )
        sheet.column_widths = dict(_widths(worksheet, sheet.cached.used.right))
        names.extend(DefinedName(name, _text(entry.value), index) for name, entry in worksheet.defined_names.items())
        tables.extend(_table(table, index) for table in worksheet.tables.values())
        grid.sheets.append(sheet)
    grid.names = tuple(names)
    grid.tables = tuple(tables)
    grid.external = tuple(_external(link, notices) for link in getattr(formulas, "_external_links", ()))
    grid.number_formats = tuple(formats.codes)
    grid.provenance = Provenance(digits=measured_digits(tally.numbers, Provenance().digits))
    grid.has_macros = formulas.vba_archive is not None
    grid.notices = notices.finish()
    return grid


def _cells(formulas: Any, results: Any, store: CellStore, reader: CellReader, formats: NumberFormats) -> None:
    # `_cells` holds the cells that exist; iterating over rows would create every cell up to the last one.
    for (row, column), cell in sorted(formulas._cells.items()):
        row, column = row - 1, column - 1
        style = formats.add(cell.number_format) if cell.has_style else 0
        formula = _formula(cell)
        if formula is None:
            number, kind = _value(cell.value, cell.data_type, reader, row, column)
            if kind != EMPTY or style:
                store.add(row, column, number, kind, style, kind != EMPTY)
            continue
        number, kind = 0.0, EMPTY
        if results is not None:
            result = results._cells.get((row + 1, column + 1))
            if result is not None:
                number, kind = _value(result.value, result.data_type, reader, row, column)
                if kind == NUMBER:
                    store.sample(repr(number))
        attributes, text = formula
        place = store.add(row, column, number, kind, style, True)
        store.add_formula(place, row, column, attributes, text, 0)


def _formula(cell: Any) -> tuple[Attributes, str] | None:
    """Attributes as the file has them, and the text without ``=``; ``None`` for a constant."""
    value = cell.value
    if cell.data_type != "f":
        return None
    if isinstance(value, str):
        return {}, _text(value)
    given = dict(value)  # an array formula or a data table: iterates over its attributes
    attributes = {key: "1" if item is True else str(item) for key, item in given.items() if item not in (None, False)}
    attributes.setdefault("ref", str(value.ref))
    return attributes, _text(getattr(value, "text", None) or "")


def _value(value: Any, data_type: str, reader: CellReader, row: int, column: int) -> Value:
    if value is None:
        return 0.0, EMPTY
    if isinstance(value, bool):
        return float(value), reader.value("b", "1", row, column)[1]
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        from openpyxl.utils import datetime as calendars

        to_excel: Callable[..., float] = calendars.to_excel
        epoch = calendars.CALENDAR_MAC_1904 if reader.date1904 else calendars.CALENDAR_WINDOWS_1900
        return float(to_excel(value, epoch)), NUMBER
    if data_type == "e":
        return reader.value("e", str(value), row, column)
    if data_type == "n":
        number = float(value)
        return (number + 0.0, NUMBER) if math.isfinite(number) else reader.value("n", repr(number), row, column)
    return reader.value("inlineStr", str(value), row, column)


def _text(formula: str | None) -> str:
    return (formula or "").removeprefix("=")


def _calc(settings: Any, date1904: bool) -> CalcSettings:
    default = CalcSettings(date1904=date1904)
    if settings is None:
        return default
    return CalcSettings(
        mode=settings.calcMode or default.mode,
        iterate=bool(settings.iterate),
        iterate_count=default.iterate_count if settings.iterateCount is None else settings.iterateCount,
        iterate_delta=default.iterate_delta if settings.iterateDelta is None else settings.iterateDelta,
        full_precision=settings.fullPrecision is not False,
        date1904=date1904,
    )


def _widths(worksheet: Any, last: int) -> Iterable[tuple[int, float]]:
    for letter, dimension in worksheet.column_dimensions.items():
        first = (dimension.min or column_index(letter) + 1) - 1
        for column in range(first, min(dimension.max or first + 1, last)):
            yield column, float(dimension.width)


def _table(table: Any, sheet: int) -> Table:
    return Table(
        name=table.displayName or table.name,
        sheet=sheet,
        rect=Rect.parse(table.ref),
        columns=tuple(column.name for column in table.tableColumns),
        header_rows=1 if table.headerRowCount is None else table.headerRowCount,
        totals_rows=table.totalsRowCount or 0,
    )


def _external(link: Any, notices: NoticeLog) -> ExternalBook:
    book = link.externalBook
    if book is None:
        return ExternalBook((), {})
    pool = TextPool()
    reader = CellReader(pool, [], notices, "external link", date1904=False)
    cells: dict[tuple[int, int, int], Scalar] = {}
    for data in book.sheetDataSet.sheetData if book.sheetDataSet else ():
        for line in data.row:
            for cell in line.cell:
                row, column = parse_cell(cell.r)
                number, kind = reader.value(cell.t or "n", cell.v or "", row, column)
                if kind != EMPTY:
                    has_text = kind in (TEXT, NOT_COMPUTED)
                    cells[data.sheetId, row, column] = (
                        Scalar(kind, 0.0, pool[number]) if has_text else Scalar(kind, number)
                    )
    sheets = tuple(book.sheetNames.sheetName) if book.sheetNames else ()
    names = tuple(entry.name for entry in book.definedNames.definedName) if book.definedNames else ()
    return ExternalBook(sheets, cells, names)
