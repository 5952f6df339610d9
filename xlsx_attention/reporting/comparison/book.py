"""What the sheets of a comparison workbook share: names, formats, limits, and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from xlsxwriter.format import Format

from xlsx_attention.model.address import MAX_COLUMNS
from xlsx_attention.model.grid import Sheet
from xlsx_attention.model.report import FileReport, Text
from xlsx_attention.model.values import ERROR_TEXTS, LOGICAL, NOT_COMPUTED, NUMBER, TEXT, Scalar
from xlsx_attention.reporting.facts import SheetFacts
from xlsx_attention.reporting.palette import VERDICT_SHADES
from xlsx_attention.reporting.sheet_names import SheetNames
from xlsx_attention.reporting.words import say
from xlsx_attention.writing import AttentionSheet, AttentionWorkbook, CellError

#: Edges of an outline, as bits.
TOP, LEFT, BOTTOM, RIGHT = 1, 2, 4, 8
_EDGES: Final = ((TOP, "top"), (LEFT, "left"), (BOTTOM, "bottom"), (RIGHT, "right"))

#: Text that anybody's spreadsheet program shows; Chinese falls back to a font of the system.
FONT: Final = {"font_name": "Calibri", "font_size": 11}


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes beyond which a workbook says less, and says so.

    ``mirror``: filled cells beyond which the mirrors show divergent blocks only; ``live``: beyond which there are no
    live sheets; ``notes``: cells with a note; ``blocks``, ``block_rows``, ``block_columns``: what the sheet Steps
    shows; ``rows``: of the sheet Divergences (two links each; a sheet holds 65,530 links).
    """

    mirror: int = 200_000
    live: int = 200_000
    notes: int = 10_000
    blocks: int = 500
    block_rows: int = 64
    block_columns: int = 32
    rows: int = 30_000


DEFAULT_LIMITS: Final = Limits()


class Book:
    """The workbook in the making."""

    def __init__(self, report: FileReport, workbook: AttentionWorkbook, language: str, limits: Limits) -> None:
        assert report.grid is not None
        assert report.plan is not None
        self.report = report
        self.grid = report.grid
        self.plan = report.plan
        self.workbook = workbook
        self.language = language
        self.limits = limits
        self.said: list[str] = []
        self.names = SheetNames()
        self._formats: dict[tuple[tuple[str, Any], ...], Format] = {}
        # The names of our own sheets first: they are what links and formulas go by.
        self.summary: AttentionSheet = self.add_sheet(self.say("sheet-summary"))
        self.own = {key: self.names.take(self.say(f"sheet-{key}")) for key in ("steps", "divergences", "published")}
        self.facts = {sheet.index: SheetFacts(report, sheet) for sheet in report.sheets}
        self.mirrors = {sheet.index: self.names.take(sheet.name) for sheet in report.sheets}
        self.filled = sum(_filled(sheet) for sheet in self.grid.sheets)
        #: The live sheet of every sheet of the file, of those too that were not asked for: formulas lead there.
        self.lives: dict[int, str] = {}
        if self.filled <= limits.live:
            self.lives = {
                sheet.index: self.names.take(
                    say("sheet-live", language, name=self.mirrors.get(sheet.index, sheet.name))
                )
                for sheet in self.grid.sheets
            }

    def say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def text(self, text: Text) -> str:
        return text[self.language]

    def add_sheet(self, wanted: str, *, taken: bool = False) -> AttentionSheet:
        """A new sheet; ``taken``: its name was handed out before."""
        sheet: AttentionSheet = self.workbook.add_worksheet(wanted if taken else self.names.take(wanted))
        return sheet

    def format(self, **properties: Any) -> Format:
        """One format for each set of properties: Excel holds 65,490 of them."""
        key = tuple(sorted(properties.items()))
        found = self._formats.get(key)
        if found is None:
            found = self._formats[key] = self.workbook.add_format({**FONT, **properties})
        return found

    def cell_format(self, verdict: str | None, number_format: str = "General", edges: int = 0, **more: Any) -> Format:
        """A filled, outlined cell of a mirror or of a rectangle of Steps."""
        properties: dict[str, Any] = dict(more)
        if number_format != "General":
            # A number too wide for its column is made smaller, where it would be shown as ####.
            properties |= {"num_format": number_format, "shrink": True}
        if verdict is not None:
            properties["bg_color"] = VERDICT_SHADES[verdict].fill
        for bit, name in _EDGES:
            if edges & bit:
                properties[name] = 2
                properties[f"{name}_color"] = "#404040"
        return self.format(**properties)


def _filled(sheet: Sheet) -> int:
    return int((sheet.cached.kind != 1).sum()) + len(sheet.cached.outliers)


def set_widths(sheet: AttentionSheet, widths: dict[int, float]) -> None:
    """Widths as a file stores them. XlsxWriter takes letters and adds 5 pixels of margin to letters of 7.

    Source: ECMA-376 part 1, 18.3.1.13 (width of a column).
    """
    for column, width in widths.items():
        if column < MAX_COLUMNS:
            letters = width - 5 / 7 if width > 12 / 7 else width * 7 / 12
            sheet.set_column(column, column, min(letters, 254))


def put(sheet: AttentionSheet, row: int, column: int, value: Scalar, format: Format | None = None) -> None:
    """A value as a constant of its own kind; text is never more than text."""
    if value.kind == NUMBER:
        sheet.write_number17(row, column, value.number, format)
    elif value.kind == TEXT:
        sheet.write_text(row, column, value.text, format)
    elif value.kind == LOGICAL:
        sheet.write_boolean(row, column, value.number != 0.0, format)
    elif value.kind in ERROR_TEXTS:
        sheet.write_error(row, column, ERROR_TEXTS[value.kind], format)
    elif value.kind == NOT_COMPUTED:
        sheet.write_text(row, column, "?", format)
    else:
        sheet.write_blank(row, column, None, format)


def as_result(value: Scalar) -> float | bool | str | CellError | None:
    """A value as what a formula gives."""
    python = value.python
    return CellError(str(python)) if value.is_error else python


def link(sheet: AttentionSheet, row: int, column: int, target: str, cell: str, text: str, format: Format) -> None:
    """A link within the workbook, to a sheet that we named; ``text`` is only shown."""
    quoted = target.replace("'", "''")
    sheet.write_url(row, column, f"internal:'{quoted}'!{cell}", format, text)
