"""SORT, SORTBY, FILTER and UNIQUE. Source: Microsoft's page on each function; the order stands in :mod:`ordering`."""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.coercion import to_logical
from xlsx_attention.functions.ordering import identity, key, scalars
from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.functions.shaping import numbers_of, take
from xlsx_attention.model.values import CALC, EMPTY, ERROR, VALUE, Array


def _transposed(matrix: Matrix) -> Matrix:
    return Matrix(matrix.number.T, matrix.kind.T)


def _sorted_by(ctx: Context, columns: list[tuple[Matrix, int]]) -> list[int]:
    """The order of rows: by the first column, ties by the next ones; what is equal in all keeps its order.

    Downwards the kinds turn round too (errors first), but empty cells stay last.
    """
    order = list(range(columns[0][0].size))
    for column, direction in reversed(columns):
        values = scalars(ctx, column)
        keys = [key(value) for value in values]
        full = [i for i in order if values[i].kind != EMPTY]
        blank = [i for i in order if values[i].kind == EMPTY]
        # A stable sort of the reversed list, reversed, keeps the order of equals while it sorts downwards.
        full = sorted(full, key=keys.__getitem__) if direction > 0 else sorted(full[::-1], key=keys.__getitem__)[::-1]
        order = full + blank
    return order


def _direction(number: float) -> int:
    if int(number) not in (-1, 1):
        raise ExcelError(VALUE)
    return int(number)


@function("SORT", "array:array index:array? order:array? by_column:logical=FALSE", "array")
def sort(
    ctx: Context, array: Matrix, index: Matrix | None, order: Matrix | None = None, by_column: bool = False
) -> Matrix:
    """Rows sorted by one or more of their columns (columns by rows with TRUE); ``#VALUE!`` for a bad index or order."""
    table = _transposed(array) if by_column else array
    places = [1.0] if index is None else numbers_of(ctx, index)
    directions = [1.0] if order is None else numbers_of(ctx, order)
    if len(directions) not in (1, len(places)):
        raise ExcelError(VALUE)
    columns = []
    for i, place in enumerate(places):
        if not 1 <= int(place) <= table.shape[1]:
            raise ExcelError(VALUE)
        at = slice(int(place) - 1, int(place))
        direction = _direction(directions[i if len(directions) > 1 else 0])
        columns.append((Matrix(table.number[:, at], table.kind[:, at]), direction))
    ctx.charge(array.size)
    ctx.toil(5_000 * array.size)
    rows = _sorted_by(ctx, columns)
    return take(array, slice(None), rows) if by_column else take(array, rows, slice(None))


@function("SORTBY", "array:array by:array order:array? ...2", "array")
def sortby(ctx: Context, array: Matrix, *by: Matrix | None) -> Matrix:
    """Rows sorted by other columns (columns by rows); ``#VALUE!`` where the sizes do not fit."""
    columns = []
    across = None
    for i in range(0, len(by), 2):
        line = by[i]
        direction = by[i + 1] if i + 1 < len(by) else None
        if line is None or 1 not in line.shape:
            raise ExcelError(VALUE)
        sideways = line.shape[0] == 1 and line.shape[1] == array.shape[1] and line.shape[1] > 1
        if across is None:
            across = sideways
        if across != sideways or line.size != array.shape[1 if across else 0]:
            raise ExcelError(VALUE)
        columns.append((line, 1 if direction is None else _direction(numbers_of(ctx, direction)[0])))
    ctx.charge(array.size)
    ctx.toil(5_000 * array.size)
    lines = _sorted_by(ctx, columns)
    return take(array, slice(None), lines) if across else take(array, lines, slice(None))


@function("FILTER", "array:array include:array if_empty:array?", "array")
def filter_(ctx: Context, array: Matrix, include: Matrix, if_empty: Matrix | None = None) -> Matrix:
    """The rows (or columns) whose condition is true; ``if_empty`` or ``#CALC!`` where there is none.

    ``#VALUE!`` where sizes do not fit or a condition is a text; the first error among the conditions passes.
    """
    height, width = array.shape
    if include.shape == (height, 1) and height > 0:
        down = True
    elif include.shape == (1, width):
        down = False
    else:
        raise ExcelError(VALUE)
    truth = to_logical(Array(include.number[None, None], include.kind[None, None]), ctx.texts)
    number, kind = truth.full()
    bad = kind[kind >= ERROR]
    if bad.size:
        raise ExcelError(int(bad[0]))
    lines: list[int] = np.flatnonzero(number.ravel() != 0.0).tolist()
    if not lines:
        if if_empty is None:
            raise ExcelError(CALC)
        return if_empty
    ctx.charge(array.size)
    return take(array, lines, slice(None)) if down else take(array, slice(None), lines)


@function("UNIQUE", "array:array by_column:logical=FALSE once:logical=FALSE", "array")
def unique(ctx: Context, array: Matrix, by_column: bool, once: bool) -> Matrix:
    """Each row (column) at its first appearance, texts without case; with ``once`` those that appear once alone.

    ``#CALC!`` where there is none.
    """
    table = _transposed(array) if by_column else array
    ctx.charge(array.size)
    ctx.toil(3_000 * array.size)
    values = scalars(ctx, table)
    width = table.shape[1]
    first: dict[tuple[tuple[int, float, str], ...], int] = {}
    count: dict[int, int] = {}
    for i in range(table.shape[0]):
        row = tuple(identity(value) for value in values[i * width : (i + 1) * width])
        place = first.setdefault(row, i)
        count[place] = count.get(place, 0) + 1
    lines = [i for i, times in count.items() if not once or times == 1]
    if not lines:
        raise ExcelError(CALC)
    return take(array, slice(None), lines) if by_column else take(array, lines, slice(None))
