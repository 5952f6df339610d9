"""Random trees → text, by the obvious printer below with every bracket written → parse → the same tree."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, column_name
from xlsx_attention.model.formula import (
    Apply,
    ArrayLit,
    Binary,
    Bound,
    Call,
    ErrorLit,
    LogicalLit,
    Missing,
    NameRef,
    NumberLit,
    Reference,
    SheetRef,
    Single,
    Spill,
    TableRef,
    TextLit,
    Tree,
    Unary,
)
from xlsx_attention.model.values import ERROR_TEXTS
from xlsx_attention.parsing import formula_at, parse, relative_form

ROW, COLUMN = 1000, 500
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")


def printed(tree: Tree) -> str:
    """The formula in the cell at ``ROW``, ``COLUMN``; brackets around every operand."""
    match tree:
        case NumberLit(value):
            return repr(value).upper()
        case TextLit(value):
            return '"' + value.replace('"', '""') + '"'
        case LogicalLit(value):
            return str(value).upper()
        case ErrorLit(kind):
            return ERROR_TEXTS[kind]
        case Missing():
            return ""
        case Reference(top, left, bottom, right, sheet, extent):
            rows, columns = [_row(top), _row(bottom)], [_column(left), _column(right)]
            first, last = {
                "rows": rows,
                "columns": columns,
                "cells": [column + row for row, column in zip(rows, columns, strict=True)],
            }[extent]
            return _sheet(sheet) + (f"{first}:{last}" if tree.is_range else first)
        case NameRef(name, sheet):
            return _sheet(sheet) + name
        case TableRef(table, items, first, last):
            columns = [f"[{_escaped(column)}]" for column in (first, last) if column is not None]
            parts = [f"[{item}]" for item in items] + ([":".join(columns)] if columns else [])
            return f"{table}[{','.join(parts)}]"
        case ArrayLit(rows):
            return "{" + ";".join(",".join(printed(item) for item in row) for row in rows) + "}"
        case Unary(op, operand):
            return f"({printed(operand)})%" if op == "%" else f"{op}({printed(operand)})"
        case Binary(",", left, right):
            return f"(({printed(left)}),({printed(right)}))"  # bare commas would separate arguments
        case Binary(op, left, right):
            return f"({printed(left)}){op}({printed(right)})"
        case Call(name, args):
            return f"{name}({','.join(map(printed, args))})"
        case Apply(callee, args):
            return f"{printed(callee)}({','.join(map(printed, args))})"
        case Spill(operand):
            return f"({printed(operand)})#"
        case Single(operand):
            return f"@({printed(operand)})"


def _row(bound: Bound) -> str:
    return f"${bound.index + 1}" if bound.absolute else str(ROW + bound.index + 1)


def _column(bound: Bound) -> str:
    return "$" + column_name(bound.index) if bound.absolute else column_name(COLUMN + bound.index)


def _sheet(sheet: SheetRef | None) -> str:
    if sheet is None:
        return ""
    book = "" if sheet.book is None else f"[{sheet.book}]"
    if not sheet.first:
        return book + "!"
    inner = book + sheet.first + (f":{sheet.last}" if sheet.last else "")
    return "'" + inner.replace("'", "''") + "'!"


def _escaped(column: str) -> str:
    return "".join("'" + sign if sign in "[]#'@" else sign for sign in column)


def _bounds(limit: int, origin: int) -> st.SearchStrategy[Bound]:
    absolute = st.builds(Bound, st.integers(0, limit - 1), st.just(True))
    return absolute | st.builds(Bound, st.integers(-origin, limit - 1 - origin), st.just(False))


ROWS, COLUMNS = _bounds(MAX_ROWS, ROW), _bounds(MAX_COLUMNS, COLUMN)
WORDS = st.text(string.ascii_letters + "权重é_", min_size=5, max_size=8).filter(lambda w: w.upper() != "FALSE")
SHEET_NAMES = st.text(string.ascii_letters + " '-+.&权", min_size=1, max_size=6).filter(lambda w: w.strip("'") == w)
SHEETS = st.none() | st.builds(SheetRef, SHEET_NAMES, st.none() | SHEET_NAMES, st.none() | st.integers(1, 99))
CELLS = st.builds(lambda row, column, sheet: Reference(row, column, row, column, sheet), ROWS, COLUMNS, SHEETS)
RANGES = st.builds(Reference, ROWS, COLUMNS, ROWS, COLUMNS, SHEETS, st.just("cells"), st.just(True))
FIRST, LAST_ROW, LAST_COLUMN = Bound(0, True), Bound(MAX_ROWS - 1, True), Bound(MAX_COLUMNS - 1, True)
WHOLE_ROWS = st.builds(
    lambda top, bottom, sheet: Reference(top, FIRST, bottom, LAST_COLUMN, sheet, "rows", True), ROWS, ROWS, SHEETS
)
WHOLE_COLUMNS = st.builds(
    lambda left, right, sheet: Reference(FIRST, left, LAST_ROW, right, sheet, "columns", True), COLUMNS, COLUMNS, SHEETS
)
NAMES = st.builds(NameRef, WORDS, SHEETS | st.builds(SheetRef, st.just(""), st.none(), st.integers(1, 99)))
TABLE_COLUMNS = st.text(string.ascii_letters + " []#'@,:", min_size=1, max_size=6)
TABLES = st.builds(
    lambda table, items, columns: TableRef(table, tuple(items), *columns),
    WORDS | st.just(""),
    st.lists(st.sampled_from(["#All", "#Data", "#Headers", "#Totals", "#This Row"]), max_size=2, unique=True),
    st.tuples(st.none(), st.none()) | st.tuples(TABLE_COLUMNS, st.none() | TABLE_COLUMNS),
)
NUMBERS = st.builds(
    NumberLit, st.floats(min_value=0, allow_infinity=False, allow_nan=False).filter(lambda x: x < 1e308)
)
TEXTS = st.builds(TextLit, st.text(max_size=8))
LOGICALS = st.builds(LogicalLit, st.booleans())
ERRORS = st.builds(ErrorLit, st.sampled_from(sorted(ERROR_TEXTS)))
ARRAYS = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.lists(NUMBERS | TEXTS | LOGICALS | ERRORS, min_size=width, max_size=width).map(tuple), min_size=1, max_size=3
    ).map(lambda rows: ArrayLit(tuple(rows)))
)
REFERENCE_LEAVES = CELLS | RANGES | WHOLE_ROWS | WHOLE_COLUMNS | NAMES | TABLES
ARITHMETIC = ["+", "-", "*", "/", "^", "&", "=", "<>", "<", ">", "<=", ">="]


def _grow(trees: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    # Never a single missing argument: F() has none.
    args = st.lists(trees | st.just(Missing()), max_size=4).map(tuple).filter(lambda args: args != (Missing(),))
    calls = st.builds(Call, WORDS.map(str.upper), args)
    references = REFERENCE_LEAVES | calls
    return st.one_of(
        st.builds(Unary, st.sampled_from(["+", "-", "%"]), trees),
        st.builds(Binary, st.sampled_from(ARITHMETIC), trees, trees),
        st.builds(Binary, st.sampled_from([":", " ", ","]), references, references),
        calls,
        st.builds(Apply, calls, args),
        st.builds(Spill, references),
        st.builds(Single, trees),
    )


TREES = st.recursive(REFERENCE_LEAVES | NUMBERS | TEXTS | LOGICALS | ERRORS | ARRAYS, _grow, max_leaves=12)


@given(TREES)
@settings(max_examples=400)
def test_printed_trees_parse_to_themselves(tree: Tree) -> None:
    assert parse(printed(tree), ROW, COLUMN) == tree


@given(TREES)
@settings(max_examples=200)
def test_canonical_texts_come_back_from_their_form(tree: Tree) -> None:
    text = printed(tree)
    form = relative_form(text, ROW, COLUMN)
    assert form.tree == tree, form.fault
    assert formula_at(form, ROW, COLUMN) == text
