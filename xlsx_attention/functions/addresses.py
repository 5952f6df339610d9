"""References as text and what is known of a cell: ADDRESS, INDIRECT, FORMULATEXT, CELL, SHEET.

Source: Microsoft's page on each function.
"""

from __future__ import annotations

import re

from xlsx_attention.errors import FormulaSyntaxError, NotComputed
from xlsx_attention.functions.references import single
from xlsx_attention.functions.registry import Area, Context, Evaluator, ExcelError, Operand, function
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, Rect, column_name
from xlsx_attention.model.values import EMPTY, ERROR, NA, REF, TEXT, VALUE, Array

_PLAIN_SHEET = re.compile(r"[^\W\d][\w.]*")
_LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*|[Rr]|[Cc]|TRUE|FALSE", re.IGNORECASE)


def quoted_sheet(name: str) -> str:
    """A sheet's name as it stands before ``!``: in quotes where it is not a plain word."""
    if _PLAIN_SHEET.fullmatch(name) and not _LIKE_A_CELL.fullmatch(name):
        return name
    return "'" + name.replace("'", "''") + "'"


@function("ADDRESS", "row:number column:number kind:number=1 a1:logical=TRUE sheet:text?", "scalar")
def address(ctx: Context, row: float, column: float, kind: float, a1: bool, sheet: str | None) -> str:
    """``$C$2``; kinds 1 … 4 are ``$C$2 C$2 $C2 C2``. ``#VALUE!`` for an unknown kind and off the sheet."""
    r, c, form = int(row), int(column), int(kind)
    if not (1 <= r <= MAX_ROWS and 1 <= c <= MAX_COLUMNS and 1 <= form <= 4):
        raise ExcelError(VALUE)
    fixed_row, fixed_column = form in (1, 2), form in (1, 3)
    if a1:
        text = f"{'$' * fixed_column}{column_name(c - 1)}{'$' * fixed_row}{r}"
    else:
        text = f"R{r if fixed_row else f'[{r}]'}C{c if fixed_column else f'[{c}]'}"
    if sheet is None:
        return text
    return f"{quoted_sheet(sheet)}!{text}" if sheet else f"!{text}"


_R1C1 = re.compile(r"R(\d{1,7}|\[-?\d{1,7}\])?C(\d{1,5}|\[-?\d{1,5}\])?", re.IGNORECASE)


def _part(text: str | None, own: int, count: int) -> int:
    index = own if text is None else (own + int(text[1:-1]) if text[0] == "[" else int(text) - 1)
    if not 0 <= index < count:
        raise ExcelError(REF)
    return index


def r1c1_to_a1(text: str, row: int, column: int) -> str:
    """``R[1]C2:R3C4`` with or without a sheet, as seen from a cell, in A1 form; ``#REF!`` for what is no reference."""
    sheet, mark, body = text.rpartition("!")
    corners = []
    for corner in body.split(":"):
        match = _R1C1.fullmatch(corner.strip())
        if match is None:
            raise ExcelError(REF)
        r, c = _part(match[1], row, MAX_ROWS), _part(match[2], column, MAX_COLUMNS)
        corners.append(f"${column_name(c)}${r + 1}")
    return sheet + mark + ":".join(corners)


@function("INDIRECT", "text:text a1:logical=TRUE/FALSE", "reference", volatile=True)
def indirect(ev: Evaluator, text: Operand, a1: Operand) -> Operand:
    """The reference or name that a text spells; ``#REF!`` where it spells none."""
    matrix = ev.matrix(text)
    value = ev.scalar(float(matrix.number[0, 0]), int(matrix.kind[0, 0]))
    if value.kind >= ERROR:
        raise ExcelError(value.kind)
    if value.kind != TEXT or not value.text.strip():
        raise ExcelError(REF)
    spelt = value.text.strip()
    if single(ev, a1, 1.0) == 0.0:
        spelt = r1c1_to_a1(spelt, ev.row, ev.column)
    try:
        found = ev.parse_reference(spelt)
    except FormulaSyntaxError:
        found = None
    if not found:
        raise ExcelError(REF)
    return ev.read(found)


def _cell(operand: Operand) -> Area:
    if not operand.areas:
        kind = int(operand.array.kind.flat[0])
        raise ExcelError(kind if kind >= ERROR else VALUE)
    return operand.areas[0]


@function("FORMULATEXT", "reference:reference", "reference")
def formulatext(ev: Evaluator, reference: Operand) -> Operand:
    """The formula of a range's first cell as text; ``#N/A`` where it has none."""
    text = ev.formula_text(_cell(reference))
    if text is None:
        raise ExcelError(NA)
    return ev.from_python(_without_prefixes(text))


#: What files write before the names of newer functions and of LAMBDA's variables, and a cell does not show.
_PREFIXES = re.compile(r"_xlfn\._xlws\.|_xlfn\.|_xlws\.|_xlpm\.|_xleta\.", re.IGNORECASE)
_LITERALS = re.compile(r'("(?:[^"]|"")*")')


def _without_prefixes(formula: str) -> str:
    pieces = _LITERALS.split(formula)
    return "".join(p if p.startswith('"') else _PREFIXES.sub("", p) for p in pieces)


@function("ISFORMULA", "reference:reference", "reference")
def isformula(ev: Evaluator, reference: Operand) -> Operand:
    """Whether a range's first cell holds a formula; ``#VALUE!`` for what is no reference."""
    return ev.from_python(ev.formula_text(_cell(reference)) is not None)


@function("SHEET", "reference:reference?", "reference")
def sheet(ev: Evaluator, reference: Operand) -> Operand:
    """The number of a reference's sheet or of the sheet with a name, from 1; the formula's own without an argument.

    ``#N/A`` for a name that no sheet has.
    """
    if reference.missing:
        return Operand(Array.of(float(ev.sheet + 1)))
    if reference.areas:
        return Operand(Array.of(float(reference.areas[0].sheet + 1)))
    matrix = ev.matrix(reference)
    value = ev.scalar(float(matrix.number[0, 0]), int(matrix.kind[0, 0]))
    if value.kind >= ERROR:
        raise ExcelError(value.kind)
    if value.kind == TEXT:
        for index in range(ev.sheet_count):
            if ev.sheet_name(index).casefold() == value.text.casefold():
                return Operand(Array.of(float(index + 1)))
    raise ExcelError(NA)


@function("SHEETS", "reference:reference?", "reference")
def sheets(ev: Evaluator, reference: Operand) -> Operand:
    """How many sheets a reference spans; of the workbook without one."""
    if reference.missing:
        return Operand(Array.of(float(ev.sheet_count)))
    _cell(reference)
    return Operand(Array.of(float(len({area.sheet for area in reference.areas}))))


_LOOKS = frozenset({"color", "filename", "format", "parentheses", "prefix", "protect", "width"})


@function("CELL", "what:text reference:reference?", "reference")
def cell(ev: Evaluator, what: Operand, reference: Operand) -> Operand:
    """``address``, ``col``, ``row``, ``contents`` or ``type`` of a range's first cell (the formula's own without one).

    How a cell looks and where the file lies is not known here: not computed. ``#VALUE!`` for other words.
    """
    matrix = ev.matrix(what)
    word = ev.scalar(float(matrix.number[0, 0]), int(matrix.kind[0, 0]))
    if word.kind >= ERROR:
        raise ExcelError(word.kind)
    name = word.text.lower()
    if word.kind != TEXT or name not in (*_LOOKS, "address", "col", "row", "contents", "type"):
        raise ExcelError(VALUE)
    if name in _LOOKS:
        raise NotComputed("function", f'CELL("{name}")')
    area = Area(ev.sheet, Rect.cell(ev.row, ev.column)) if reference.missing else _cell(reference)
    top, left = area.rect.top, area.rect.left
    if name in ("row", "col"):
        return ev.from_python(float((top if name == "row" else left) + 1))
    if name == "address":
        place = f"${column_name(left)}${top + 1}"
        return ev.from_python(place if area.sheet == ev.sheet else f"{quoted_sheet(ev.sheet_name(area.sheet))}!{place}")
    operand = ev.read((Area(area.sheet, Rect.cell(top, left)),))
    if name == "contents":
        return Operand(operand.array)
    kind = int(operand.array.kind.flat[0])
    return ev.from_python({EMPTY: "b", TEXT: "l"}.get(kind, "v"))
