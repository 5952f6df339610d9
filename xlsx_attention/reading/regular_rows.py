"""Whole rows of a sheet by one compiled pattern, where they are of the regular form that Excel and most writers emit.

Rows count as regular only if tokens of the pattern tile them without a gap and each token is followed by one that may
follow it. So every character is accounted for, and what is accepted is exactly what the XML says. Everything else
raises :class:`Irregular` before anything is stored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, column_index
from xlsx_attention.model.grid import Ints
from xlsx_attention.model.values import EMPTY, NUMBER, Floats, Kinds
from xlsx_attention.reading.cell_store import CellStore
from xlsx_attention.reading.cells import CellReader
from xlsx_attention.reading.strings import unescape
from xlsx_attention.reading.styles import NumberFormats
from xlsx_attention.reading.xml_events import Attributes

_BLANK = r"[ \t\n]*+"
#: Groups: column letters, row digits, other attributes of `c`, attributes of `f`, formula, value, and last the first
#: character that fits nothing with all that follows it. A closed `c` or `f` is told by the `/` in its attributes.
_TOKEN: Final = re.compile(
    r'<c r="([A-Z]{1,3}+)([0-9]{1,7}+)"([^<>]*+)>'
    r"(?:(?<!/>)(?:<f([^<>]*+)>(?:([^<]++)</f>|(?<=/>)))?+(?:<v>([^<]++)</v>|<v ?/>|<v></v>)?+</c>|(?<=/>))"
    + _BLANK
    # a cell is followed by a cell or by the end of its row
    + r"(?=<c |</row>)"
    r'|<row(?: [A-Za-z0-9:]+="[^"<&]*")*>' + _BLANK + r"(?=<c |</row>)"
    r'|<row(?: [A-Za-z0-9:]+="[^"<&]*")*/>' + _BLANK + r"(?=<row[ />]|\Z)"
    r"|</row>" + _BLANK + r"(?=<row[ />]|\Z)"
    r"|([\s\S]+)"
)
_LAST_ROW: Final = re.compile(r'<row(?: [A-Za-z0-9:]+="[^"<&]*")*? r="([0-9]{1,7})"')
_ATTRIBUTES: Final = re.compile(r'(?: [A-Za-z0-9]+="[^"<&>\t\n]*")*')
_ATTRIBUTE: Final = re.compile(r' ([A-Za-z0-9]+)="([^"]*)"')
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"))
_TYPES: Final = ("n", "s", "str", "b", "e", "d")
_STR = _TYPES.index("str")
_TYPE_BITS, _IRREGULAR = 0x0F, 0x10
_NUMERIC: Final = b"0123456789+-.eE"
#: Octets below the space, but tab and line feed. A carriage return is among them: XML turns it into a line feed.
_CONTROLS: Final = bytes(set(range(0x20)) - {9, 10})
#: Numbers of a piece that are looked at for their length in digits.
_SAMPLE = 64
_MOST_ATTRIBUTES = 20_000

Bools = npt.NDArray[np.bool_]


class Irregular(Exception):
    """The rows are not of the regular form. ``at`` is the offset where the row in which that shows begins, if known."""

    def __init__(self, at: int | None = None) -> None:
        super().__init__()
        self.at = at


@dataclass(slots=True)
class Tokens:
    """The cells of some rows, column by column, as text; a part that a cell does not have is ``""``."""

    letters: tuple[str, ...]
    digits: tuple[str, ...]
    attributes: tuple[str, ...]
    tags: tuple[str, ...]
    formulas: tuple[str, ...]
    values: tuple[str, ...]
    has_entities: bool
    has_escapes: bool
    last_row: int


def tokenise(data: bytes) -> Tokens | None:
    """Whole rows → their cells, ``None`` if there are none; raises :class:`Irregular`."""
    if bool((np.frombuffer(data, np.uint8) < 0x20).any()) and data.translate(None, _CONTROLS) != data:
        raise Irregular
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Irregular from None
    if "]]>" in text or (not text.isascii() and ("\ufffe" in text or "\uffff" in text)):
        raise Irregular
    stripped = text.lstrip(" \t\n")
    if not stripped.startswith("<row"):
        raise Irregular
    tokens = _TOKEN.findall(stripped)
    if tokens[-1][6]:
        before = text[: len(text) - len(tokens[-1][6])]
        raise Irregular(len(before[: before.rfind("</row>") + 6].encode()) if "</row>" in before else 0)
    last_row = _LAST_ROW.match(text, text.rfind("<row"))
    if last_row is None:
        raise Irregular
    cells = [token for token in tokens if token[0]]
    if not cells:
        return None
    del tokens
    letters, digits, attributes, tags, formulas, values, _ = zip(*cells, strict=True)
    has_entities, has_escapes = "&" in text, "_x" in text
    return Tokens(letters, digits, attributes, tags, formulas, values, has_entities, has_escapes, int(last_row[1]) - 1)


class RegularRows:
    """Puts regular rows into the store."""

    def __init__(self, store: CellStore, reader: CellReader, formats: NumberFormats) -> None:
        self.store, self.reader = store, reader
        self._columns = _Columns()
        self._rows = _Rows()
        self._attributes = _CellAttributes(formats)

    def take(self, data: bytes) -> int:
        """Store the cells of whole rows and give the last row's index. After :class:`Irregular` nothing is stored."""
        tokens = tokenise(data)
        if tokens is None:
            raise Irregular  # rows without cells: nothing to gain here
        self._attributes.trim()
        self._rows.trim()
        count = len(tokens.letters)
        rows = np.fromiter(map(self._rows.__getitem__, tokens.digits), np.int32, count)
        columns = np.fromiter(map(self._columns.__getitem__, tokens.letters), np.int32, count)
        if int(rows.min()) < 0 or int(rows.max()) >= MAX_ROWS or int(columns.max()) >= MAX_COLUMNS:
            raise Irregular
        packed = self._packed(tokens.attributes)
        types = packed & _TYPE_BITS
        has_value, has_formula = _filled(tokens.values), _filled(tokens.formulas)
        if bool(((types == _STR) & ~has_value).any()):
            raise Irregular  # no value, or the empty text: the tokens do not tell
        tagged: dict[int, Attributes] = {}
        if any(tokens.tags):
            tagged = _special(tokens)
            has_formula[list(tagged)] = True
        if tokens.has_entities:
            tokens.formulas = tuple([decode_entities(text) if "&" in text else text for text in tokens.formulas])
        numbers, kinds = self._values(types, tokens, has_value, rows, columns)
        filled = int(np.count_nonzero((kinds != EMPTY) | has_formula))
        first = self.store.add_block(rows, columns, numbers, kinds, (packed >> 8).astype(np.uint16), filled)
        self._formulas(first, tokens, has_formula, tagged, rows, columns)
        for index in np.flatnonzero(has_formula & has_value & (types == 0))[:_SAMPLE].tolist():
            self.store.sample(tokens.values[index])
        return tokens.last_row

    def _packed(self, attributes: tuple[str, ...]) -> npt.NDArray[np.int64]:
        different = set(attributes)
        if len(different) == 1:
            packed = np.full(len(attributes), self._attributes[attributes[0]], np.int64)
        else:
            packed = np.fromiter(map(self._attributes.__getitem__, attributes), np.int64, len(attributes))
        if bool((packed & _IRREGULAR).any()):
            raise Irregular
        return packed

    def _values(
        self, types: npt.NDArray[np.int64], tokens: Tokens, has_value: Bools, rows: Ints, columns: Ints
    ) -> tuple[Floats, Kinds]:
        values = tokens.values
        numeric = (types == 0) & has_value
        if bool(numeric.all()):
            parsed = _floats(values)
            if parsed is not None:
                return parsed, np.full(len(values), NUMBER, np.uint8)
        else:
            parsed = _floats([values[index] for index in np.flatnonzero(numeric).tolist()])
        if parsed is None and tokens.has_entities:
            raise Irregular
        numbers = np.zeros(len(values))
        kinds = np.full(len(values), EMPTY, np.uint8)
        single = has_value.copy()
        if parsed is not None:
            numbers[numeric] = parsed
            kinds[numeric] = NUMBER
            single &= ~numeric
        # All entities are decoded before the first value is taken: what cannot be decoded must leave no trace.
        texts = {index: decode_entities(values[index]) for index in np.flatnonzero(single).tolist()}
        for index, text in texts.items():
            numbers[index], kinds[index] = self.reader.value(
                _TYPES[types[index]], text, int(rows[index]), int(columns[index])
            )
        return numbers, kinds

    def _formulas(
        self, first: int, tokens: Tokens, chosen: Bools, tagged: dict[int, Attributes], rows: Ints, columns: Ints
    ) -> None:
        where = np.flatnonzero(chosen)
        if not len(where):
            return
        formulas = tokens.formulas
        texts = list(formulas) if len(where) == len(formulas) else [formulas[index] for index in where.tolist()]
        plain = (
            not tagged
            and max(map(len, texts)) <= self.store.budgets.formula_length
            and not any(map(str.isspace, texts))
            and not (tokens.has_escapes and any(unescape(text) != text for text in texts))
        )
        if plain:
            self.store.add_formulas(where + first, texts)
            return
        metadata = self._attributes.metadata
        for index in where.tolist():
            self.store.add_formula(
                first + index,
                int(rows[index]),
                int(columns[index]),
                tagged.get(index, {}),
                formulas[index],
                metadata.get(tokens.attributes[index], 0),
            )


class _Columns(dict[str, int]):
    def __missing__(self, letters: str) -> int:
        index = self[letters] = column_index(letters)
        return index


class _Rows(dict[str, int]):
    def __missing__(self, digits: str) -> int:
        index = self[digits] = int(digits) - 1
        return index

    def trim(self) -> None:
        if len(self) > 50_000:
            self.clear()


class _CellAttributes(dict[str, int]):
    """What stands after ``r`` in a ``c`` tag → type, flag and number format packed into one integer.

    A sheet has few different ones, so each is understood once.
    """

    def __init__(self, formats: NumberFormats) -> None:
        super().__init__()
        self._formats = formats
        self.metadata: dict[str, int] = {}

    def trim(self) -> None:
        if len(self) > _MOST_ATTRIBUTES:
            self.clear()
            self.metadata.clear()

    def __missing__(self, text: str) -> int:
        packed = self[text] = self._pack(text)
        return packed

    def _pack(self, text: str) -> int:
        attributes = parse_attributes(text)
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
        return self._formats.of(numbers["s"]) << 8 | _TYPES.index(attributes.get("t", "n"))


def parse_attributes(text: str) -> Attributes | None:
    """``' t="s" s="1"'``, or the same with ``/`` at its end → a dictionary; ``None`` if it is anything else."""
    if text.endswith("/"):
        text = text[:-1].rstrip(" ")
    if not _ATTRIBUTES.fullmatch(text):
        return None
    pairs = _ATTRIBUTE.findall(text)
    attributes = dict(pairs)
    return attributes if len(attributes) == len(pairs) else None


def _special(tokens: Tokens) -> dict[int, Attributes]:
    """Cells whose formula is shared, an array or empty, with the attributes of ``f``.

    Attributes without a type (LibreOffice writes ``aca`` on every formula) change nothing.
    """
    special: dict[int, Attributes] = {}
    known: dict[str, Attributes | None] = {}
    for index, tag in enumerate(tokens.tags):
        if tag:
            if tag not in known:
                known[tag] = parse_attributes(tag)
            attributes, formula = known[tag], tokens.formulas[index]
            if attributes is None or (tag.endswith("/") and formula):
                raise Irregular
            if "t" in attributes or not formula:
                special[index] = attributes
    return special


def decode_entities(text: str) -> str:
    """Decode the five named entities; :class:`Irregular` for a numeric reference or a ``&`` that begins none."""
    if "&" not in text:
        return text
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    if text.count("&") != text.count("&amp;"):
        raise Irregular
    return text.replace("&amp;", "&")


def _filled(texts: tuple[str, ...]) -> Bools:
    if all(texts):
        return np.ones(len(texts), np.bool_)
    return np.fromiter(map(bool, texts), np.bool_, len(texts))


def _floats(texts: list[str] | tuple[str, ...]) -> Floats | None:
    """All of them as finite numbers, or ``None``. Checked first, since float() takes more than a workbook may hold."""
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
