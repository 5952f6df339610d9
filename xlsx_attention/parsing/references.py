"""What stands in a reference: its edges, its sheet, and a table's columns."""

from __future__ import annotations

import re
from typing import Final

from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, column_index
from xlsx_attention.model.formula import Bound, Reference, SheetRef, TableRef
from xlsx_attention.parsing.lexer import Token, fault

_CELL: Final = re.compile(r"(\$?)([A-Za-z]+)(\$?)([0-9]+)")
_BOOK: Final = re.compile(r"\[([0-9]{1,9})\](.*)", re.DOTALL)
_GROUP: Final = re.compile(r"\[((?:'.|[^\[\]'])*+)\]", re.DOTALL)
_ESCAPE: Final = re.compile(r"'(.)", re.DOTALL)
_ITEMS: Final = {item.lower(): item for item in ("#All", "#Data", "#Headers", "#Totals", "#This Row")}

_FIRST: Final = Bound(0, True)
_LAST_ROW: Final = Bound(MAX_ROWS - 1, True)
_LAST_COLUMN: Final = Bound(MAX_COLUMNS - 1, True)


def cell_bounds(text: str, row: int, column: int) -> tuple[Bound, Bound]:
    """``'$B3'`` as seen from a cell: its row and its column."""
    match = _CELL.fullmatch(text)
    assert match is not None, text
    column_mark, letters, row_mark, digits = match.groups()
    return _bound(int(digits) - 1, row_mark, row), _bound(column_index(letters), column_mark, column)


def _bound(index: int, mark: str, origin: int) -> Bound:
    return Bound(index, True) if mark else Bound(index - origin, False)


def reference(token: Token, row: int, column: int, sheet: SheetRef | None = None, last: str = "") -> Reference:
    """A cell, a range of two cells (``last``), whole columns or whole rows."""
    if token.kind == "cell":
        top, left = cell_bounds(token.text, row, column)
        bottom, right = cell_bounds(last, row, column) if last else (top, left)
        return Reference(top, left, bottom, right, sheet, is_range=bool(last))
    first, _, second = token.text.partition(":")
    ends = [_edge(part.strip(), token.kind == "columns", row, column) for part in (first, second)]
    if token.kind == "columns":
        return Reference(_FIRST, ends[0], _LAST_ROW, ends[1], sheet, "columns", is_range=True)
    return Reference(ends[0], _FIRST, ends[1], _LAST_COLUMN, sheet, "rows", is_range=True)


def _edge(text: str, is_column: bool, row: int, column: int) -> Bound:
    plain = text.lstrip("$")
    mark = "$" if text != plain else ""
    return _bound(column_index(plain), mark, column) if is_column else _bound(int(plain) - 1, mark, row)


def sheet_ref(prefix: str) -> SheetRef:
    """``"'[1]Sheet one'!"`` → book 1, ``Sheet one``.

    ``[0]`` is this workbook, so ``[0]!name`` gives ``SheetRef("")``: the workbook's name, whatever sheets hide it.
    A book that is named and not numbered stays in ``first``, brackets included.
    """
    text = prefix[:-1]
    if text.startswith("'"):
        text = text[1:-1].replace("''", "'")
    book: int | None = None
    match = _BOOK.fullmatch(text)
    if match:
        book = int(match.group(1)) or None
        text = match.group(2)
    elif "[" in text:
        return SheetRef(text)
    first, _, last = text.partition(":")
    return SheetRef(first, last or None, book)


def table_ref(table: str, token: Token) -> TableRef:
    """A structured reference from its bracket token, escapes (``'[``, ``']``, ``'#``, ``''``) undone.

    Source of the rules: Microsoft's page on structured references with Excel tables.
    """
    inner = token.text[1:-1]
    plain = inner.strip()
    if not plain:
        return TableRef(table, (), None, None)
    if plain.startswith("@"):
        rest = plain[1:].strip()
        if not rest:
            return TableRef(table, ("#This Row",), None, None)
        if not rest.startswith("["):
            return TableRef(table, ("#This Row",), _unescape(rest), None)
        items, first, last = _groups(rest, token)
        return TableRef(table, ("#This Row", *items), first, last)
    if plain.startswith("["):
        return TableRef(table, *_groups(plain, token))
    if plain.startswith("#"):
        return TableRef(table, (_item(plain, token),), None, None)
    return TableRef(table, (), _unescape(inner), None)


def _groups(text: str, token: Token) -> tuple[tuple[str, ...], str | None, str | None]:
    """``[#All],[a]:[b]``: items first, then a column or a run of columns."""
    items: list[str] = []
    columns: list[str] = []
    position, joint = 0, ""
    while True:
        match = _GROUP.match(text, position)
        if match is None:
            raise fault(token.position, "a column or an item such as #Headers in brackets", token.text)
        inner = match.group(1)
        if inner.startswith("#"):
            if columns or joint == ":":
                raise fault(token.position, "items such as #Headers before the columns", token.text)
            items.append(_item(inner, token))
        else:
            if len(columns) == 2 or (columns and joint != ":") or (joint == ":" and not columns):
                raise fault(token.position, "one column or a run first:last", token.text)
            columns.append(_unescape(inner))
        rest = text[match.end() :].lstrip()
        if not rest:
            return tuple(items), *_pair(columns)
        joint = rest[0]
        if joint not in ",:":
            raise fault(token.position, ", or : between brackets", token.text)
        text, position = rest[1:].lstrip(), 0


def _pair(columns: list[str]) -> tuple[str | None, str | None]:
    return (columns[0] if columns else None), (columns[1] if len(columns) == 2 else None)


def _item(text: str, token: Token) -> str:
    item = _ITEMS.get(" ".join(text.lower().split()))
    if item is None:
        raise fault(token.position, "one of #All #Data #Headers #Totals #This Row", text)
    return item


def _unescape(text: str) -> str:
    return _ESCAPE.sub(r"\1", text)
