"""A sheet's XML through expat: every form that the file format allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, Rect, parse_cell
from xlsx_attention.model.values import EMPTY
from xlsx_attention.reading.cell_store import CellStore
from xlsx_attention.reading.cells import CellReader
from xlsx_attention.reading.strings import RichText
from xlsx_attention.reading.styles import NumberFormats, integer
from xlsx_attention.reading.workbook_part import finite
from xlsx_attention.reading.xml_events import Attributes, XmlFeed

#: `col` and `mergeCell` elements kept for one sheet.
_MOST_SPANS = 16_384
_MOST_MERGES = 100_000
_NONE: Attributes = {}


@dataclass(slots=True)
class SheetExtras:
    """What stands around the cells: width spans (first and last column from 0, inclusive) and merged ranges."""

    widths: list[tuple[int, int, float]] = field(default_factory=list)
    merged: list[Rect] = field(default_factory=list)


class SheetXml:
    """One parse of a sheet part. :attr:`in_cells` tells whether it stands between the rows of ``sheetData``."""

    def __init__(self, store: CellStore, reader: CellReader, formats: NumberFormats) -> None:
        self.store, self.reader, self.formats = store, reader, formats
        self.extras = SheetExtras()
        self.feed = XmlFeed(store.part, store.budgets)
        self.row = -1  # of the current or last row; the column is that of the last cell in it
        self.column = -1
        self._names = self.feed.names
        self._columns: dict[str, int] = {}
        self._elements = 0
        self._most_depth, self._most_elements = store.budgets.xml_depth, store.budgets.elements
        self._depth = 0
        self._cells_depth = 0  # depth of sheetData while inside it, else 0
        self._rich = RichText()
        self._text: list[str] = []
        self._attributes: Attributes = {}
        self._formula_attributes = _NONE
        self._value: str | None = None
        self._formula: str | None = None
        self._in_cell = False
        parser = self.feed.parser
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters

    @property
    def in_cells(self) -> bool:
        return self._cells_depth > 0 and self._depth == self._cells_depth

    def _characters(self, text: str) -> None:
        if self._in_cell:
            self._text.append(text)

    def _start(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > self._most_depth or self._elements > self._most_elements:
            raise self.feed.too_much(self._depth)
        name = self._names[name]
        if not self._cells_depth:
            if name == "sheetData" and self._depth == 2:
                self._cells_depth = self._depth
            elif name == "col":
                self._width(attributes)
            elif name == "mergeCell":
                self._merge(attributes)
            return
        self._text.clear()
        level = self._depth - self._cells_depth
        if level == 2 and name == "c":
            self._begin_cell(attributes)
        elif level == 1 and name == "row":
            self._begin_row(attributes)
        elif level == 3:
            if name == "f":
                self._formula_attributes = attributes
            elif name == "is":
                self._rich.begin()
        elif level >= 4:
            if name == "t":
                self._rich.start_t({self._names[key]: value for key, value in attributes.items()})
            elif name == "rPh":
                self._rich.start_phonetic(attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        if not self._cells_depth:
            return
        name = self._names[name]
        level = self._depth - self._cells_depth + 1
        if level == 3:
            if name == "v":
                self._value = "".join(self._text)
            elif name == "f":
                self._formula = "".join(self._text)
            elif name == "is":
                self._value = self._rich.text
        elif level == 2:
            if name == "c":
                self._end_cell()
        elif level >= 4:
            if name == "t":
                self._rich.end_t("".join(self._text))
            elif name == "rPh":
                self._rich.end_phonetic("")
        elif level == 0:
            self._cells_depth = 0
        self._text.clear()

    # rows and cells

    def _begin_row(self, attributes: Attributes) -> None:
        self.column = -1
        given = attributes.get("r")
        self.row = self.row + 1 if given is None else integer(given, 0) - 1
        if given is not None and not 0 <= self.row < MAX_ROWS:
            self.reader.bad_reference(
                "outside-grid", given, f"there is no row {given[:20]!r}; cells without an address are lost"
            )

    def _begin_cell(self, attributes: Attributes) -> None:
        self._in_cell = True
        self._attributes = attributes
        self._value = None
        self._formula = None
        self._formula_attributes = _NONE

    def _position(self) -> bool:
        """Set row and column of the cell that ends; False where it has no place on the grid."""
        name = self._attributes.get("r")
        if name is None:
            self.column += 1
            if 0 <= self.row < MAX_ROWS and self.column < MAX_COLUMNS:
                return True
            self.reader.bad_reference(
                "outside-grid", "", "a cell without address follows the end of the grid; it is lost"
            )
            return False
        # The common form without a call: a column that was met before, and a plain row number.
        letters = name.rstrip("0123456789")
        column = self._columns.get(letters)
        digits = name[len(letters) :]
        if column is not None and 0 < len(digits) < 7 and digits[0] != "0":
            self.row, self.column = int(digits) - 1, column
            return True
        try:
            self.row, self.column = parse_cell(name)
            self._columns[letters] = self.column
        except ValueError as error:
            code = "outside-grid" if "outside" in str(error) else "bad-reference"
            self.reader.bad_reference(
                code, name, f"the cell address {name[:20]!r} is none of the grid's; the cell is lost"
            )
            return False
        return True

    def _end_cell(self) -> None:
        self._in_cell = False
        if not self._position():
            return
        attributes, row, column = self._attributes, self.row, self.column
        number, kind = 0.0, EMPTY
        if self._value is not None:
            number, kind = self.reader.value(attributes.get("t", "n"), self._value, row, column)
        style = self.formats.of(integer(attributes.get("s"), 0))
        if self._formula is None:
            self.store.add(row, column, number, kind, style, kind != EMPTY)
            return
        if self._value and attributes.get("t", "n") == "n":
            self.store.sample(self._value)
        cell = self.store.add(row, column, number, kind, style, True)
        metadata = integer(attributes.get("cm"), 0)
        self.store.add_formula(cell, row, column, self._formula_attributes, self._formula, metadata)

    # around the cells

    def _width(self, attributes: Attributes) -> None:
        first, last = integer(attributes.get("min")) - 1, integer(attributes.get("max")) - 1
        width = finite(attributes.get("width"), -1.0)
        if 0 <= first <= last and width >= 0 and len(self.extras.widths) < _MOST_SPANS:
            self.extras.widths.append((first, min(last, MAX_COLUMNS - 1), width))

    def _merge(self, attributes: Attributes) -> None:
        try:
            rect = Rect.parse(attributes.get("ref", ""))
        except ValueError:
            return
        if len(self.extras.merged) < _MOST_MERGES:
            self.extras.merged.append(rect)


def read_with_expat(
    pieces: Iterable[bytes], store: CellStore, reader: CellReader, formats: NumberFormats
) -> SheetExtras:
    """The whole part through expat. Raises :class:`UnreadableFile` for broken XML and passed budgets."""
    xml = SheetXml(store, reader, formats)
    for piece in pieces:
        xml.feed.feed(piece)
    xml.feed.feed(b"", last=True)
    return xml.extras
