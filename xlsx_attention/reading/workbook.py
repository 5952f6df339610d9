"""From a file to a :class:`WorkbookGrid`: the order in which the parts are read, and what is done when one fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import TypeVar

import numpy as np

from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.address import Rect
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.grid import DefinedName, ExternalBook, Provenance, Sheet, Table, WorkbookGrid
from xlsx_attention.model.values import Plane, TextPool
from xlsx_attention.reading import external, provenance, sheet_expat, sheet_fast, strings, styles, tables, workbook_part
from xlsx_attention.reading.cell_store import CellStore, Tally
from xlsx_attention.reading.cells import CellReader
from xlsx_attention.reading.google import restore_errors
from xlsx_attention.reading.notices import NoticeLog
from xlsx_attention.reading.package import Package, Relationship
from xlsx_attention.reading.plane_layout import lay_out, uncovered
from xlsx_attention.reading.source import Source, load

T = TypeVar("T")

#: Faults of a part that holds no cell are notices, but these are never let pass.
_FATAL = {"over-budget", "dtd", "encrypted-zip"}


def read_workbook(
    source: str | os.PathLike[str] | bytes | Source,
    *,
    budgets: Budgets | None = None,
    sheets: Collection[str] | None = None,
) -> WorkbookGrid:
    """Read a workbook: every cell's formula and stored value, names, tables, formats, settings and provenance.

    ``sheets`` names the sheets whose cells are wanted (compared without case; ``None`` for all); the others are in
    the grid with their names and without cells. Nothing is computed and nothing outside the file is opened.

    Raises :class:`UnreadableFile`; its codes are listed in :data:`xlsx_attention.reading.REFUSALS`. Oddities of
    single cells do not raise: they are in ``notices``, with codes from :data:`xlsx_attention.reading.NOTICES`.
    """
    budgets = budgets or Budgets()
    loaded = load(source, budgets)
    return _Reading(loaded, budgets).run(sheets)


class _Reading:
    def __init__(self, source: Source, budgets: Budgets) -> None:
        self.source = source
        self.budgets = budgets
        self.package = Package(source.data, budgets)
        self.notices = NoticeLog()
        self.pool = TextPool()
        self.tally = Tally()
        for name in self.package.unsafe[: budgets.parts]:
            self.notices.add("unsafe-part-name", name[:100], "", "the part's name leaves the package; it was not read")

    def run(self, wanted: Collection[str] | None) -> WorkbookGrid:
        package = self.package
        top = package.relationships("")
        main = self._workbook_name(top)
        book = workbook_part.read_workbook_part(package, main)
        links = package.relationships(main)
        entries = self._sheet_parts(book, links)
        self._check_wanted(wanted, [entry.name for entry, _, _ in entries])
        self.formats = self._optional(_first(links, "styles"), lambda part: styles.read_styles(package, part))
        self.dynamic = self._optional(_first(links, "sheetMetadata"), lambda part: tables.read_metadata(package, part))
        self.strings = self._strings(_first(links, "sharedStrings"))
        self.date1904 = book.calc.date1904
        grid = WorkbookGrid(path=self.source.path, sheets=[], texts=self.pool, calc=book.calc, budgets=self.budgets)
        found: list[Table] = []
        folded = None if wanted is None else {name.casefold() for name in wanted}
        for index, (entry, part, _) in enumerate(entries):
            sheet = Sheet(entry.name, index, Plane.empty(Rect(0, 0, 1, 1)), hidden=entry.hidden, part=part)
            if folded is None or entry.name.casefold() in folded:
                self._read_sheet(sheet)
            found.extend(self._tables(part, index))
            grid.sheets.append(sheet)
        grid.names = self._names(book, {position: index for index, (_, _, position) in enumerate(entries)})
        grid.tables = tuple(found)
        grid.external = tuple(self._external(links.get(identifier)) for identifier in book.external)
        grid.number_formats = tuple(self.formats.codes) if self.formats else ("General",)
        grid.provenance = self._provenance(top, book)
        if grid.provenance.application == "Google Sheets":
            restore_errors(grid)
        grid.has_macros = any(name.rpartition("/")[2] == "vbaproject.bin" for name in package.names())
        grid.notices = self.notices.finish()
        budgets = self.budgets
        self.pool.room = budgets.texts
        self.pool.full = lambda: budgets.refuse_step("texts", budgets.texts)
        return grid

    # the package

    def _workbook_name(self, top: dict[str, Relationship]) -> str:
        main = _first(top, "officeDocument")
        names = self.package.names()
        if main is not None and main.lower().endswith("workbook.bin"):
            raise UnreadableFile("xlsb", "is a binary workbook (.xlsb); save it as .xlsx")
        if main is None and "xl/workbook.xml" in names:
            main = "xl/workbook.xml"
        if main is None and "content.xml" in names and "mimetype" in names:
            raise UnreadableFile("ods", "is an OpenDocument file (.ods?); save it as .xlsx")
        others = {"word/document.xml": "a Word document", "ppt/presentation.xml": "a PowerPoint file"}
        kind = next((text for name, text in others.items() if name in names), None)
        if main is None or kind is not None:
            what = f"is {kind}" if kind else "is a zip archive without a workbook"
            raise UnreadableFile("no-workbook", f"{what}; save the workbook as .xlsx")
        return main

    def _sheet_parts(
        self, book: workbook_part.WorkbookPart, links: dict[str, Relationship]
    ) -> list[tuple[workbook_part.SheetEntry, str, int]]:
        """Worksheets with their parts and their place among all sheets (charts and dialogs hold no cells)."""
        entries = []
        if len(book.sheets) > self.budgets.sheets:
            raise self.budgets.over("sheets", len(book.sheets), "")
        for position, entry in enumerate(book.sheets):
            link = links.get(entry.relationship)
            if link is None:
                raise UnreadableFile("missing-part", f"the sheet {entry.name!r} has no part; save it again in Excel")
            if link.kind != "worksheet":
                continue
            if link.target not in self.package:
                raise UnreadableFile(
                    "missing-part", f"the part of the sheet {entry.name!r} is missing; save it again", where=link.target
                )
            entries.append((entry, link.target, position))
        if not entries:
            raise UnreadableFile("no-sheets", "the workbook has no worksheet; save it again in Excel")
        return entries

    @staticmethod
    def _check_wanted(wanted: Collection[str] | None, names: list[str]) -> None:
        have = {name.casefold() for name in names}
        for name in wanted or ():
            if name.casefold() not in have:
                raise UnreadableFile(
                    "no-such-sheet", f"has no sheet {name!r}; it has {', '.join(map(repr, names[:20]))}"
                )

    def _optional(self, part: str | None, read: Callable[[str], T]) -> T | None:
        """What ``read`` makes of the part; a notice and ``None`` where the part is broken or missing."""
        if part is None:
            return None
        try:
            return read(part)
        except UnreadableFile as error:
            if error.code in _FATAL:
                raise
            reason = error.message
        except ValueError as error:
            reason = str(error)
        self.notices.add("optional-part", part, "", f"left out: {reason}")
        return None

    def _strings(self, part: str | None) -> list[int]:
        if part is None or part not in self.package:
            return []
        return strings.read_shared_strings(self.package, part, self.pool.add)

    # sheets

    def _read_sheet(self, sheet: Sheet) -> None:
        formats = self.formats or styles.NumberFormats()
        reader = CellReader(self.pool, self.strings, self.notices, sheet.name, date1904=self.date1904)
        mark = self.notices.mark()
        store = self._store(sheet)
        extras = sheet_fast.read_fast(self.package.stream(sheet.part), store, reader, formats)
        if extras is None:
            self.notices.rewind(mark)
            store = self._store(sheet)
            extras = sheet_expat.read_with_expat(self.package.stream(sheet.part), store, reader, formats)
        cells = store.finish()
        lay_out(cells, sheet)
        for row, column in uncovered(cells):
            store.notice("empty-formula", row, column, "the formula is empty; the stored value counts as a constant")
        sheet.merged = tuple(extras.merged)
        widths = np.full(sheet.cached.used.right, np.nan)
        for first, final, width in extras.widths:
            widths[first : final + 1] = width
        sheet.column_widths = {int(column): float(widths[column]) for column in np.flatnonzero(~np.isnan(widths))}

    def _store(self, sheet: Sheet) -> CellStore:
        dynamic = self.dynamic or tables.DynamicArrays()
        return CellStore(sheet.part, sheet.name, self.budgets, self.tally, self.notices, dynamic)

    def _tables(self, part: str, index: int) -> list[Table]:
        links = self._optional(part, self.package.relationships) or {}
        found = []
        for link in links.values():
            if link.kind == "table":
                table = self._optional(link.target, lambda name: tables.read_table(self.package, name, index))
                if table is not None:
                    found.append(table)
        return found

    # around the sheets

    def _names(self, book: workbook_part.WorkbookPart, sheet_at: dict[int, int]) -> tuple[DefinedName, ...]:
        names = []
        if len(book.names) > self.budgets.names:
            raise self.budgets.over("names", len(book.names), "")
        for entry in book.names:
            sheet = None if entry.position is None else sheet_at.get(entry.position)
            if not entry.name or (entry.position is not None and not 0 <= entry.position < len(book.sheets)):
                self.notices.add(
                    "bad-name", "workbook", entry.name[:50], "the name is empty or belongs to no sheet; left out"
                )
            elif entry.position is None or sheet is not None:
                names.append(DefinedName(entry.name, entry.formula, sheet))
        return tuple(names)

    def _external(self, link: Relationship | None) -> ExternalBook:
        """An empty book where it cannot be read: formulas count the books by their place."""
        empty = ExternalBook((), {})
        if link is None:
            return empty
        return (
            self._optional(link.target, lambda part: external.read_external(self.package, part, self.notices)) or empty
        )

    def _provenance(self, top: dict[str, Relationship], book: workbook_part.WorkbookPart) -> Provenance:
        part = _first(top, "extended-properties") or _first(top, "extendedProperties")
        who = self._optional(part, lambda name: provenance.read_application(self.package, name)) or ("", "")
        return provenance.provenance(*who, book.version, book.namespaces, self.tally.numbers)


def _first(links: dict[str, Relationship], kind: str) -> str | None:
    return next((link.target for link in links.values() if link.kind == kind), None)
