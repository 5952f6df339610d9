"""Arrays made, cut and put together. Source: Microsoft's page on each function. Nothing is made before it is
announced.
"""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.coercion import to_number
from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS
from xlsx_attention.model.values import CALC, EMPTY, ERROR, NA, NUM, VALUE, Array, Scalar


def filled(ctx: Context, height: int, width: int, pad: Scalar | None) -> Matrix:
    """An array of one value, ``#N/A`` by default."""
    ctx.charge(height * width)
    number, kind = (0.0, NA) if pad is None else pair(ctx, pad)
    return Matrix(np.full((height, width), number), np.full((height, width), kind, np.uint8))


def pair(ctx: Context, value: Scalar) -> tuple[float, int]:
    """A value as the planes hold it."""
    return (float(ctx.texts.add(value.text)) if value.text else value.number), value.kind


def numbers_of(ctx: Context, matrix: Matrix) -> list[float]:
    """Every value as a number in reading order; the first error passes."""
    array = to_number(Array(matrix.number[None, None], matrix.kind[None, None]), ctx.texts)
    number, kind = array.full()
    bad = kind[kind >= ERROR]
    if bad.size:
        raise ExcelError(int(bad[0]))
    values: list[float] = number.ravel().tolist()
    return values


def take(matrix: Matrix, rows: slice | list[int], columns: slice | list[int]) -> Matrix:
    return Matrix(matrix.number[rows][:, columns], matrix.kind[rows][:, columns])


@function("SEQUENCE", "rows:number columns:number=1 start:number=1 step:number=1", "array")
def sequence(ctx: Context, rows: float, columns: float, start: float, step: float) -> Matrix:
    """``start``, ``start + step``, … row by row. ``#CALC!`` for no rows or columns, ``#VALUE!`` beyond the sheet."""
    height, width = int(rows), int(columns)
    if not (0 <= height <= MAX_ROWS and 0 <= width <= MAX_COLUMNS):
        raise ExcelError(VALUE)
    if height == 0 or width == 0:
        raise ExcelError(CALC)
    ctx.charge(height * width)
    number = start + step * np.arange(height * width, dtype=np.float64).reshape(height, width)
    return Matrix(number, np.zeros((height, width), np.uint8))


def _end(count: float | None, size: int) -> tuple[int, int]:
    """The lines that TAKE keeps: from the start, or from the end for a negative count."""
    if count is None:
        return 0, size
    whole = int(count)
    if whole == 0:
        raise ExcelError(CALC)
    return (0, min(whole, size)) if whole > 0 else (max(size + whole, 0), size)


def _rest(count: float | None, size: int) -> tuple[int, int]:
    whole = 0 if count is None else int(count)
    first, last = (whole, size) if whole >= 0 else (0, size + whole)
    if first >= last:
        raise ExcelError(CALC)
    return first, last


@function("TAKE", "array:array rows:number? columns:number?", "array")
def take_(ctx: Context, array: Matrix, rows: float | None, columns: float | None = None) -> Matrix:
    """The first rows and columns, the last for negative counts; ``#CALC!`` for 0."""
    return take(array, slice(*_end(rows, array.shape[0])), slice(*_end(columns, array.shape[1])))


@function("DROP", "array:array rows:number? columns:number?", "array")
def drop(ctx: Context, array: Matrix, rows: float | None, columns: float | None = None) -> Matrix:
    """Without the first rows and columns, the last for negative counts; ``#CALC!`` where nothing is left."""
    return take(array, slice(*_rest(rows, array.shape[0])), slice(*_rest(columns, array.shape[1])))


def _chosen(ctx: Context, matrices: tuple[Matrix, ...], count: int) -> list[int]:
    lines = []
    for number in (int(n) for matrix in matrices for n in numbers_of(ctx, matrix)):
        if number == 0 or abs(number) > count:
            raise ExcelError(VALUE)
        lines.append(number - 1 if number > 0 else count + number)
    return lines


@function("CHOOSEROWS", "array:array row:array ...", "array")
def chooserows(ctx: Context, array: Matrix, *rows: Matrix) -> Matrix:
    """The given rows in the given order, from the end for negative ones; ``#VALUE!`` for 0 and beyond the array."""
    return take(array, _chosen(ctx, rows, array.shape[0]), slice(None))


@function("CHOOSECOLS", "array:array column:array ...", "array")
def choosecols(ctx: Context, array: Matrix, *columns: Matrix) -> Matrix:
    """The given columns in the given order, from the end for negative ones; ``#VALUE!`` for 0 and beyond the array."""
    return take(array, slice(None), _chosen(ctx, columns, array.shape[1]))


@function("EXPAND", "array:array rows:number? columns:number? pad:any?", "array")
def expand(
    ctx: Context, array: Matrix, rows: float | None, columns: float | None = None, pad: Scalar | None = None
) -> Matrix:
    """The array in a larger one, filled with ``pad`` or ``#N/A``; ``#VALUE!`` for a smaller size."""
    height = array.shape[0] if rows is None else int(rows)
    width = array.shape[1] if columns is None else int(columns)
    if height < array.shape[0] or width < array.shape[1]:
        raise ExcelError(VALUE)
    if height > MAX_ROWS or width > MAX_COLUMNS:
        raise ExcelError(NUM)
    result = filled(ctx, height, width, pad)
    result.number[: array.shape[0], : array.shape[1]] = array.number
    result.kind[: array.shape[0], : array.shape[1]] = array.kind
    return result


@function("VSTACK", "array:array ...", "array")
def vstack(ctx: Context, *arrays: Matrix | None) -> Matrix:
    """One below the other; narrower ones are filled with ``#N/A``."""
    return _stack(ctx, arrays, 0)


@function("HSTACK", "array:array ...", "array")
def hstack(ctx: Context, *arrays: Matrix | None) -> Matrix:
    """One beside the other; shorter ones are filled with ``#N/A``."""
    return _stack(ctx, arrays, 1)


def _stack(ctx: Context, arrays: tuple[Matrix | None, ...], axis: int) -> Matrix:
    given = [a for a in arrays if a is not None]
    across = 1 - axis
    width = max(a.shape[across] for a in given)
    length = sum(a.shape[axis] for a in given)
    result = filled(ctx, *((length, width) if axis == 0 else (width, length)), None)
    at = 0
    for array in given:
        long, wide = slice(at, at + array.shape[axis]), slice(0, array.shape[across])
        place = (long, wide) if axis == 0 else (wide, long)
        result.number[place], result.kind[place] = array.number, array.kind
        at += array.shape[axis]
    return result


def _line(array: Matrix, ignore: float, by_column: bool) -> Matrix:
    if int(ignore) not in (0, 1, 2, 3):
        raise ExcelError(VALUE)
    number = array.number.T.ravel() if by_column else array.number.ravel()
    kind = array.kind.T.ravel() if by_column else array.kind.ravel()
    keep = np.ones(kind.shape, bool)
    if int(ignore) & 1:
        keep &= kind != EMPTY
    if int(ignore) & 2:
        keep &= kind < ERROR
    if not keep.any():
        raise ExcelError(CALC)
    return Matrix(number[keep][None], kind[keep][None])


@function("TOROW", "array:array ignore:number=0 by_column:logical=FALSE", "array")
def torow(ctx: Context, array: Matrix, ignore: float, by_column: bool) -> Matrix:
    """All values as one row; ``ignore`` 1 leaves out empty cells, 2 errors, 3 both. ``#CALC!`` where none is left."""
    return _line(array, ignore, by_column)


@function("TOCOL", "array:array ignore:number=0 by_column:logical=FALSE", "array")
def tocol(ctx: Context, array: Matrix, ignore: float, by_column: bool) -> Matrix:
    """All values as one column; ``ignore`` 1 leaves out empty cells, 2 errors, 3 both. ``#CALC!`` where none is
    left.
    """
    line = _line(array, ignore, by_column)
    return Matrix(line.number.T, line.kind.T)


def _wrap(ctx: Context, vector: Matrix, count: float, pad: Scalar | None) -> Matrix | Scalar:
    if 1 not in vector.shape:
        raise ExcelError(VALUE)
    width = int(count)
    if width < 1:
        raise ExcelError(NUM)
    if vector.size == 1:
        # One value stays one value, whatever the width (corpus, WRAPCOLS).
        return ctx.scalar(float(vector.number[0, 0]), int(vector.kind[0, 0]))
    width = min(width, vector.size) if width > vector.size and pad is None else width
    height = -(-vector.size // width)
    result = filled(ctx, height, width, pad)
    result.number.flat[: vector.size] = vector.number.ravel()
    result.kind.flat[: vector.size] = vector.kind.ravel()
    return result


@function("WRAPROWS", "vector:array count:number pad:any?", "array")
def wraprows(ctx: Context, vector: Matrix, count: float, pad: Scalar | None) -> Matrix | Scalar:
    """A row or column cut into rows of ``count``; ``#VALUE!`` for a rectangle, ``#NUM!`` for a count below 1."""
    return _wrap(ctx, vector, count, pad)


@function("WRAPCOLS", "vector:array count:number pad:any?", "array")
def wrapcols(ctx: Context, vector: Matrix, count: float, pad: Scalar | None) -> Matrix | Scalar:
    """A row or column cut into columns of ``count``; ``#VALUE!`` for a rectangle, ``#NUM!`` for a count below 1."""
    wrapped = _wrap(ctx, vector, count, pad)
    return Matrix(wrapped.number.T, wrapped.kind.T) if isinstance(wrapped, Matrix) else wrapped
