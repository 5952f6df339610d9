"""A sheet's part read with the pattern of regular rows, and with expat for all that is not regular.

One expat parser reads what stands before and after the rows; regular rows are withheld from it, irregular ones are
fed to it in their place, so both write into one store in the order of the file. Comments, CDATA, processing
instructions, other encodings and prefixed names send the whole part to expat.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator
from typing import Final

from xlsx_attention.errors import UnreadableFile
from xlsx_attention.reading.cell_store import CellStore
from xlsx_attention.reading.cells import CellReader
from xlsx_attention.reading.regular_rows import Irregular, RegularRows
from xlsx_attention.reading.sheet_expat import SheetExtras, SheetXml
from xlsx_attention.reading.styles import NumberFormats

_ROOT: Final = re.compile(
    rb'<worksheet(?=[^<>]* xmlns="(?:http://schemas\.openxmlformats\.org/spreadsheetml/2006/main'
    rb'|http://purl\.oclc\.org/ooxml/spreadsheetml/main)")[^<>]*[^/]>'
)
_DECLARATION: Final = re.compile(
    rb'(?:\xef\xbb\xbf)?<\?xml version="1\.[01]"(?: encoding="[uU][tT][fF]-8")?(?: standalone="[a-z]*")? ?\?>'
)
_CELLS, _CELLS_END, _ROW_END = b"<sheetData>", b"</sheetData>", b"</row>"
#: worksheet, sheetData, row, c, v.
_DEPTH = 5
#: Rows are taken when at least this much of them is there.
_BATCH = 1 << 20
#: A row longer than this without an end, or this much before the rows, is left to expat.
_PATIENCE = 1 << 24
#: Single rows of a batch that are left to expat before all the rest of the batch is.
_SPLITS = 8


def read_fast(
    pieces: Iterable[bytes], store: CellStore, reader: CellReader, formats: NumberFormats
) -> SheetExtras | None:
    """The part by the pattern, with expat for what is not regular; ``None`` if the part as a whole is not fit for it.

    After ``None`` the store holds rubbish: begin anew with :func:`~xlsx_attention.reading.sheet_expat.read_with_expat`.
    Budgets raise as they do there.
    """
    enabled = gc.isenabled()
    gc.disable()  # millions of small tuples, none of them in a cycle
    try:
        return _read(iter(pieces), store, reader, formats)
    except UnreadableFile as error:
        if error.code == "broken-xml":  # expat saw a part of the bytes only; let it say where with all of them
            return None
        raise
    finally:
        if enabled:
            gc.enable()


def _read(pieces: Iterator[bytes], store: CellStore, reader: CellReader, formats: NumberFormats) -> SheetExtras | None:
    head, buffer = _head(pieces)
    declaration = _DECLARATION.match(head)
    if store.budgets.xml_depth < _DEPTH:
        return None
    if not _ROOT.search(head) or b"<!" in head or head.count(b"<?") != (1 if declaration else 0):
        return None
    xml = SheetXml(store, reader, formats)
    xml.feed.feed(head)
    if not xml.in_cells:
        return None
    regular = RegularRows(store, reader, formats)
    while True:
        cut = buffer.rfind(_ROW_END) + len(_ROW_END)
        found = cut >= len(_ROW_END)
        end = buffer.find(_CELLS_END, cut if found else 0)
        cut = end if end >= 0 else cut
        if end < 0 and (len(buffer) < _BATCH or not found):
            piece = next(pieces, b"")
            if not piece or len(buffer) > _PATIENCE:
                return None  # cut off, or one giant row: expat will say
            buffer += piece
            continue
        rows, buffer = buffer[:cut], buffer[cut:]
        if rows and not _take(rows, regular, xml):
            return None
        if end >= 0:
            break
    xml.feed.feed(buffer)
    for piece in pieces:
        xml.feed.feed(piece)
    xml.feed.feed(b"", last=True)
    return xml.extras


def _head(pieces: Iterator[bytes]) -> tuple[bytes, bytes]:
    """Everything up to and including the tag that opens the rows, and what was read after it."""
    buffer = b""
    for piece in pieces:
        buffer += piece
        head, tag, rest = buffer.partition(_CELLS)
        if tag:
            return head + tag, rest
        if len(buffer) > _PATIENCE:
            break
    return b"", b""


def _take(rows: bytes, regular: RegularRows, xml: SheetXml) -> bool:
    """Whole rows, by the pattern or else by expat; False where even that cannot be (comments and their like)."""
    for _ in range(_SPLITS):
        try:
            xml.row = regular.take(rows)
            return True
        except Irregular as irregular:
            at = irregular.at
        if b"<!" in rows or b"<?" in rows:  # regular rows hold neither
            return False
        end = -1 if at is None else rows.find(_ROW_END, at)
        if at is None or end < 0:
            break
        if at:
            try:
                xml.row = regular.take(rows[:at])
            except Irregular:
                break
        end += len(_ROW_END)
        if not _feed(rows[at:end], xml):
            return False
        rows = rows[end:]
        if not rows.strip(b" \t\r\n"):
            return True
    return _feed(rows, xml)


def _feed(rows: bytes, xml: SheetXml) -> bool:
    xml.feed.feed(rows)
    xml.store.flush()
    return xml.in_cells
