"""A sheet's XML by one compiled pattern, where the bytes are wholly of the regular form that Excel and most writers emit.

Rows are taken in pieces of about a megabyte. A piece counts as regular only if tokens of the pattern tile it without a gap
and each token is followed by one that may follow it; so every character is accounted for, and what is accepted is exactly
what the XML says. Any other piece goes to expat, through the same parser that reads what stands before and after the rows.
Comments, CDATA, processing instructions, other encodings and prefixed names send the whole part to expat.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, column_index
from xlsx_attention.model.values import EMPTY, NUMBER, Floats, Kinds
from xlsx_attention.reading.cell_store import CellStore
from xlsx_attention.reading.cells import CellReader
from xlsx_attention.reading.sheet_expat import SheetExtras, SheetXml
from xlsx_attention.reading.styles import NumberFormats
from xlsx_attention.reading.xml_events import Attributes

_BLANK = r"[ \t\n]*"
#: Groups: column letters, row digits, other attributes of `c`, attributes of `f`, formula, value, and the first character
#: that fits nothing with all that follows it.
_TOKEN: Final = re.compile(
    r'<c r="([A-Z]{1,3})([0-9]{1,7})"([^<>]*)>'
    r"(?:(?<=/>)|(?:<f([^<>]*)>(?:([^<]+)</f>|(?<=/>)))?(?:<v>([^<]+)</v>)?</c>)" + _BLANK + r"(?=<c |</row>)"
    r'|<row(?: [A-Za-z0-9:]+="[^"<&]*")*>' + _BLANK + r"(?=<c |</row>)"
    r'|<row(?: [A-Za-z0-9:]+="[^"<&]*")*/>' + _BLANK + r"(?=<row[ />]|\Z)"
    r"|</row>" + _BLANK + r"(?=<row[ />]|\Z)"
    r"|([\s\S]+)"
)
_ATTRIBUTES: Final = re.compile(r'(?: [A-Za-z0-9]+="[^"<&>\t\n]*")*')
_ATTRIBUTE: Final = re.compile(r' ([A-Za-z0-9]+)="([^"]*)"')
_ROOT: Final = re.compile(
    rb'<worksheet(?=[^<>]* xmlns="(?:http://schemas\.openxmlformats\.org/spreadsheetml/2006/main'
    rb'|http://purl\.oclc\.org/ooxml/spreadsheetml/main)")[^<>]*[^/]>'
)
_DECLARATION: Final = re.compile(rb'(?:\xef\xbb\xbf)?<\?xml version="1\.[01]"(?: encoding="[uU][tT][fF]-8")?[^<>?]*\?>')
_ENTITY: Final = re.compile(r"&([^;]*);?")
_ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_TYPES: Final = ("n", "s", "str", "b", "e", "d")
_TYPE_BITS, _CLOSED, _IRREGULAR = 0x0F, 0x10, 0x20
_NUMERIC: Final = b"0123456789+-.eE"
#: A row longer than this without an end, or this much before the rows, is left to expat.
_PATIENCE = 1 << 24
#: Formulas that are not stored as they stand: with an escape in them, or of blanks alone.
_NEEDS_CARE: Final = re.compile(r"_x[0-9A-Fa-f]{4}_|\A\s*\Z")
_BATCH = 1 << 20


class Irregular(Exception):
    """The bytes are not of the regular form."""


class _Columns(dict[str, int]):
    def __missing__(self, letters: str) -> int:
        index = self[letters] = column_index(letters)
        return index


class _CellAttributes(dict[str, int]):
    """What stands after ``r`` in a ``c`` tag → type, flags and number format packed into one integer.

    A sheet has few different ones, so each is understood once.
    """

    def __init__(self, formats: NumberFormats) -> None:
        super().__init__()
        self._formats = formats
        self.metadata: dict[str, int] = {}

    def __missing__(self, text: str) -> int:
        if len(self) > 20_000:
            self.clear()
            self.metadata.clear()
        packed = self[text] = self._pack(text)
        return packed

    def _pack(self, text: str) -> int:
        closed = text.endswith("/")
        attributes = parse_attributes(text.removesuffix("/").rstrip(" ") if closed else text)
        if attributes is None or "r" in attributes or attributes.get("t", "n") not in _TYPES:
            return _IRREGULAR
        numbers = {}
        for key in ("s", "cm"):
            given = attributes.get(key, "0")
            if not (given.isascii() and given.isdigit() and len(given) <= 9):
                return _IRREGULAR
            numbers[key] = int(given)
        if numbers["cm"]:
            self.metadata[text] = numbers["cm"]
        kind = _TYPES.index(attributes.get("t", "n"))
        return self._formats.of(numbers["s"]) << 8 | (_CLOSED if closed else 0) | kind


def parse_attributes(text: str) -> Attributes | None:
    """``' t="s" s="1"'`` → a dictionary; ``None`` if it is anything but that, or an attribute comes twice."""
    if not _ATTRIBUTES.fullmatch(text):
        return None
    pairs = _ATTRIBUTE.findall(text)
    attributes = dict(pairs)
    return attributes if len(attributes) == len(pairs) else None


def _entity(match: re.Match[str]) -> str:
    name = match[1]
    if name in _ENTITIES and match[0].endswith(";"):
        return _ENTITIES[name]
    raise Irregular  # a numeric reference or a fault: expat knows


def _text(text: str) -> str:
    return _ENTITY.sub(_entity, text) if "&" in text else text


class FastSheet:
    """Reads pieces of whole rows into the store."""

    def __init__(self, store: CellStore, reader: CellReader, formats: NumberFormats) -> None:
        self.store, self.reader = store, reader
        self._columns = _Columns()
        self._attributes = _CellAttributes(formats)

    def rows(self, data: bytes) -> int | None:
        """Take rows; gives the last row's index, or ``None`` (and nothing is taken) where they are not regular."""
        try:
            return self._take(data)
        except Irregular:
            return None

    def _take(self, data: bytes) -> int:
        octets = np.frombuffer(data, np.uint8)
        if bool((octets < 0x20).any()) and data.translate(None, bytes(set(range(0x20)) - {9, 10})) != data:
            raise Irregular  # control characters, and line ends that XML normalises
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise Irregular from None
        if "]]>" in text or (not text.isascii() and ("\ufffe" in text or "\uffff" in text)):
            raise Irregular
        if not text.lstrip(" \t\n").startswith("<row"):
            raise Irregular
        tokens = _TOKEN.findall(text.lstrip(" \t\n"))
        if tokens[-1][6]:
            raise Irregular
        cells = [token for token in tokens if token[0]]
        del tokens
        if not cells:
            raise Irregular  # empty rows only: leave their numbers to expat
        letters, digits, attributes, tags, formulas, values, _ = zip(*cells, strict=True)
        del cells
        count = len(letters)
        rows = np.fromiter(map(int, digits), np.int32, count) - np.int32(1)
        columns = np.fromiter(map(self._columns.__getitem__, letters), np.int32, count)
        if int(rows.min()) < 0 or int(rows.max()) >= MAX_ROWS or int(columns.max()) >= MAX_COLUMNS:
            raise Irregular
        packed = np.fromiter(map(self._attributes.__getitem__, attributes), np.int64, count)
        if bool((packed & _IRREGULAR).any()):
            raise Irregular
        has_value = np.fromiter(map(bool, values), np.bool_, count)
        has_formula = np.fromiter(map(bool, formulas), np.bool_, count)
        if any(tags):
            tagged = {index: self._tag(tag, formulas[index]) for index, tag in enumerate(tags) if tag}
        else:
            tagged = {}
        closed = (packed & _CLOSED) != 0
        if bool((closed & (has_value | has_formula)).any()) or any(closed[index] for index in tagged):
            raise Irregular
        has_entities = "&" in text
        if has_entities:
            formulas = tuple(map(_text, formulas))
        numbers, kinds = self._values(packed & _TYPE_BITS, values, has_value, rows, columns, has_entities)
        has_formula[list(tagged)] = True
        self._store(
            rows, columns, numbers, kinds, (packed >> 8).astype(np.uint16), has_formula, formulas, tagged, attributes
        )
        self._sample(values, has_formula & has_value & ((packed & _TYPE_BITS) == 0))
        return int(rows[-1])

    @staticmethod
    def _tag(tag: str, formula: str) -> Attributes:
        closed = tag.endswith("/")
        attributes = parse_attributes(tag.removesuffix("/").rstrip(" ") if closed else tag)
        if attributes is None or (closed and formula):
            raise Irregular
        return attributes

    def _values(
        self,
        types: npt.NDArray[np.int64],
        values: tuple[str, ...],
        has_value: npt.NDArray[np.bool_],
        rows: npt.NDArray[np.int32],
        columns: npt.NDArray[np.int32],
        has_entities: bool,
    ) -> tuple[Floats, Kinds]:
        count = len(values)
        numeric = (types == 0) & has_value
        whole = bool(numeric.all())
        chosen = values if whole else [values[index] for index in np.flatnonzero(numeric).tolist()]
        parsed = _floats(chosen)
        if parsed is None and has_entities:
            raise Irregular
        decoded = {index: _text(values[index]) for index in np.flatnonzero(has_value & (types != 0)).tolist()}
        if whole and parsed is not None:
            return parsed, np.full(count, NUMBER, np.uint8)
        numbers = np.zeros(count)
        kinds = np.full(count, EMPTY, np.uint8)
        if parsed is not None:
            numbers[numeric] = parsed
            kinds[numeric] = NUMBER
        else:
            decoded.update({index: values[index] for index in np.flatnonzero(numeric).tolist()})
        for index in sorted(decoded):
            numbers[index], kinds[index] = self.reader.value(
                _TYPES[types[index]], decoded[index], int(rows[index]), int(columns[index])
            )
        return numbers, kinds

    def _store(
        self,
        rows: npt.NDArray[np.int32],
        columns: npt.NDArray[np.int32],
        numbers: Floats,
        kinds: Kinds,
        styles: npt.NDArray[np.uint16],
        has_formula: npt.NDArray[np.bool_],
        formulas: tuple[str, ...],
        tagged: dict[int, Attributes],
        attributes: tuple[str, ...],
    ) -> None:
        filled = int(np.count_nonzero((kinds != EMPTY) | has_formula))
        first = self.store.add_block(rows, columns, numbers, kinds, styles, filled)
        where = np.flatnonzero(has_formula)
        texts = formulas if len(where) == len(formulas) else [formulas[index] for index in where.tolist()]
        limit = self.store.budgets.formula_length
        if tagged or (texts and max(map(len, texts)) > limit) or any(map(_NEEDS_CARE.search, texts)):
            for index in where.tolist():
                self.store.add_formula(
                    first + index,
                    int(rows[index]),
                    int(columns[index]),
                    tagged.get(index, {}),
                    formulas[index],
                    self._attributes.metadata.get(attributes[index], 0),
                )
        else:
            self.store.add_formulas(where + first, list(texts))

    def _sample(self, values: tuple[str, ...], chosen: npt.NDArray[np.bool_]) -> None:
        for index in np.flatnonzero(chosen)[:64].tolist():
            self.store.sample(values[index])


def _floats(texts: list[str] | tuple[str, ...]) -> Floats | None:
    """All of them as finite numbers, or ``None``. Python's float() also takes what no workbook may hold; hence the check."""
    if "".join(texts).encode("utf-8").translate(None, _NUMERIC):
        return None
    try:
        numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    if not bool(np.isfinite(numbers).all()):
        return None
    numbers += 0.0  # no negative zero
    return numbers


def read_fast(
    pieces: Iterable[bytes], store: CellStore, reader: CellReader, formats: NumberFormats
) -> SheetExtras | None:
    """The part by the pattern, with expat for what is not regular; ``None`` if the part as a whole is not fit for it.

    After ``None`` the store holds rubbish: begin anew with :func:`read_with_expat`. Budgets raise as they do there.
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
    head, rest = _head(pieces)
    declaration = _DECLARATION.match(head)
    if not _ROOT.search(head) or b"<!" in head or head.count(b"<?") != (1 if declaration else 0):
        return None
    xml = SheetXml(store, reader, formats)
    xml.feed.feed(head)
    if not xml.in_cells:
        return None
    fast = FastSheet(store, reader, formats)
    buffer = rest
    while True:
        end = buffer.find(b"</sheetData>")
        if end < 0 and len(buffer) < _BATCH:
            piece = next(pieces, b"")
            if not piece:
                return None  # cut off: expat will say where
            buffer += piece
            continue
        cut = end if end >= 0 else buffer.rfind(b"</row>") + 6
        if cut < 6 and end < 0:
            piece = next(pieces, b"")
            if not piece or len(buffer) > _PATIENCE:
                return None
            buffer += piece
            continue
        rows, buffer = buffer[:cut], buffer[cut:]
        if rows and not _take(rows, fast, xml):
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
        head, tag, rest = buffer.partition(b"<sheetData>")
        if tag:
            return head + tag, rest
        if len(buffer) > _PATIENCE:
            break
    return b"", b""


def _take(rows: bytes, fast: FastSheet, xml: SheetXml) -> bool:
    """Whole rows, by the pattern or else by expat; False where even that cannot be (comments and their like)."""
    if b"<!" in rows or b"<?" in rows:
        return False
    last = fast.rows(rows)
    if last is not None:
        xml.row = last
        return True
    xml.feed.feed(rows)
    fast.store.flush()
    return xml.in_cells
