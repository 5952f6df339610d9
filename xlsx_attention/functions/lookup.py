"""MATCH, XMATCH, VLOOKUP, HLOOKUP and LOOKUP. Source: Microsoft's page on each function."""

from __future__ import annotations

from xlsx_attention.functions.matching import (
    ascending_place,
    descending_place,
    extended_place,
    vector,
    wildcard_places,
)
from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.model.values import ERROR, NA, REF, VALUE, Scalar


def _sought(value: Scalar) -> Scalar:
    if value.kind >= ERROR:
        raise ExcelError(value.kind)
    return value


def _position(place: int | None) -> float:
    if place is None:
        raise ExcelError(NA)
    return float(place + 1)


@function("MATCH", "value:any array:array type:number=1/0", "array", vectorised=True)
def match(ctx: Context, value: Scalar, array: Matrix, type_: float) -> float:
    """The position of a value in a row or column.

    Type 1: the largest value not above it in a line sorted upwards; 0: the first equal one, with wildcards in a text;
    −1: the smallest not below it in a line sorted downwards. ``#N/A`` where there is none and for a rectangle.
    """
    value, line = _sought(value), vector(array)
    if type_ == 0:
        places = wildcard_places(ctx, value, line)
        return _position(places[0] if places else None)
    return _position(ascending_place(ctx, value, line) if type_ > 0 else descending_place(ctx, value, line))


@function("XMATCH", "value:any array:array match_mode:number=0 search_mode:number=1", "array", vectorised=True)
def xmatch(ctx: Context, value: Scalar, array: Matrix, match_mode: float, search_mode: float) -> float:
    """MATCH with modes: −1, 1 the next smaller or larger in any order, 2 wildcards, 3 a regular expression; −1 from
    the end.

    ``#N/A`` where there is none, ``#VALUE!`` for an unknown mode and for a rectangle.
    """
    if 1 not in array.shape:
        raise ExcelError(VALUE)
    return _position(extended_place(ctx, _sought(value), vector(array), match_mode, search_mode))


def _look_up(ctx: Context, value: Scalar, keys: Matrix, approximate: bool) -> int:
    value, line = _sought(value), vector(keys)
    if approximate:
        place = ascending_place(ctx, value, line)
    else:
        places = wildcard_places(ctx, value, line)
        place = places[0] if places else None
    if place is None:
        raise ExcelError(NA)
    return place


def _line(number: float, count: int) -> int:
    """A column or row number: ``#VALUE!`` below 1, ``#REF!`` beyond the table."""
    if number < 1:
        raise ExcelError(VALUE)
    if number >= count + 1:
        raise ExcelError(REF)
    return int(number) - 1


@function("VLOOKUP", "value:any table:array column:number approximate:logical=TRUE/FALSE", "array", vectorised=True)
def vlookup(ctx: Context, value: Scalar, table: Matrix, column: float, approximate: bool) -> Scalar:
    """The cell in ``column`` of the first row whose first cell is the value; with TRUE the last not above it.

    ``#N/A`` where there is none, ``#VALUE!`` for a column below 1, ``#REF!`` for one beyond the table.
    """
    value = _sought(value)
    j = _line(column, table.shape[1])
    i = _look_up(ctx, value, Matrix(table.number[:, :1], table.kind[:, :1]), approximate)
    return ctx.scalar(float(table.number[i, j]), int(table.kind[i, j]))


@function("HLOOKUP", "value:any table:array row:number approximate:logical=TRUE/FALSE", "array", vectorised=True)
def hlookup(ctx: Context, value: Scalar, table: Matrix, row: float, approximate: bool) -> Scalar:
    """VLOOKUP with rows for columns."""
    value = _sought(value)
    i = _line(row, table.shape[0])
    j = _look_up(ctx, value, Matrix(table.number[:1], table.kind[:1]), approximate)
    return ctx.scalar(float(table.number[i, j]), int(table.kind[i, j]))


@function("LOOKUP", "value:any keys:array results:array?", "array", vectorised=True)
def lookup(ctx: Context, value: Scalar, keys: Matrix, results: Matrix | None) -> Scalar:
    """The last key not above the value in a sorted line, and what stands at its place among the results.

    Of a rectangle the first column is searched and the last one answers (rows where it is wider than tall). ``#N/A``
    where every key is above the value.
    """
    height, width = keys.shape
    if results is None:
        across = width > height
        results = Matrix(keys.number[-1:], keys.kind[-1:]) if across else Matrix(keys.number[:, -1:], keys.kind[:, -1:])
        keys = Matrix(keys.number[:1], keys.kind[:1]) if across else Matrix(keys.number[:, :1], keys.kind[:, :1])
    place = _look_up(ctx, value, keys, True)
    answers = vector(results)
    if place >= answers.size:
        raise ExcelError(NA)
    return ctx.scalar(float(answers.number[0, place]), int(answers.kind[0, place]))
