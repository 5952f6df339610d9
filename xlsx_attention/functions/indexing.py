"""INDEX: a cell, a line or a whole array by numbers. Source: Microsoft, "INDEX function".

For a whole block at once where each cell takes one cell of an array (the usual ``INDEX(…, MATCH(…))``); cell by cell
where whole lines, several areas or a result that stays a reference are wanted.
"""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.coercion import collapse, first_error, to_number
from xlsx_attention.functions.operators import align
from xlsx_attention.functions.references import part, pass_error, shape_of, single
from xlsx_attention.functions.registry import Evaluator, ExcelError, NeedsCells, Operand, function
from xlsx_attention.model.formula import Located, Missing, Tree
from xlsx_attention.model.values import EMPTY, ERROR, NUMBER, REF, VALUE, Array, Floats


@function("INDEX", "array:lazy row:lazy column:lazy? area:lazy?", "lazy", vectorised=True)
def index(ev: Evaluator, array: Tree, row: Tree, column: Tree | None = None, area: Tree | None = None) -> Operand:
    """The cell at a row and column (from 1), a whole line for 0 or a number left out.

    Arrays of numbers give arrays of cells. ``#VALUE!`` below 0, ``#REF!`` beyond the array and for an area that is not.
    """
    if not ev.one_by_one:
        if area is not None:
            raise NeedsCells
        return _block(ev, array, row, column)
    source = ev.evaluate(array)
    pass_error(ev, source)
    number = 1 if area is None else int(single(ev, ev.evaluate(area, "value"), 1.0))
    if number < 1:
        raise ExcelError(VALUE)
    if number > max(len(source.areas), 1):
        raise ExcelError(REF)
    source = ev.read((source.areas[number - 1],)) if len(source.areas) > 1 else source
    rows = ev.evaluate(row, "value")
    columns = None if column is None else ev.evaluate(column, "value")
    if rows.array.is_single and (columns is None or columns.array.is_single):
        first = int(single(ev, rows, 0.0))
        return _one(ev, source, first, None if columns is None else int(single(ev, columns, 0.0)))
    return _many(ev, source, rows, columns)


def _slice(place: int, count: int) -> tuple[int, int]:
    """The lines that a row or column number means: all for 0. ``#VALUE!`` below 0, ``#REF!`` beyond."""
    if place < 0:
        raise ExcelError(VALUE)
    if place > count:
        raise ExcelError(REF)
    return (0, count) if place == 0 else (place - 1, place)


def _one(ev: Evaluator, source: Operand, row: int, column: int | None) -> Operand:
    height, width = shape_of(ev, source)
    if column is None:
        if source.is_reference and height > 1 and width > 1:
            # A rectangle of cells wants both numbers; of an array one number takes a whole row.
            raise ExcelError(REF)
        # One number counts along a single row or column.
        row, column = (1, row) if height == 1 and width > 1 else (row, 0)
    return part(ev, source, _slice(row, height), _slice(column, width))


def _many(ev: Evaluator, source: Operand, row: Operand, column: Operand | None) -> Operand:
    """One cell for each pair of row and column numbers."""
    arrays = align([to_number(o.array, ev.texts) for o in (row, column) if o is not None])
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    error = first_error(arrays)
    numbers = [np.broadcast_to(a.number, shape) for a in arrays]
    result, kinds = np.zeros(shape), np.zeros(shape, np.uint8)
    ev.charge(result.size)
    for at in np.ndindex(shape):
        if error is not None and np.broadcast_to(error[1], shape)[at] >= ERROR:
            kinds[at] = np.broadcast_to(error[1], shape)[at]
            continue
        try:
            cell = _one(ev, source, int(numbers[0][at]), int(numbers[1][at]) if column is not None else None)
        except ExcelError as bad:
            kinds[at] = bad.kind
            continue
        matrix = ev.matrix(cell)
        result[at], kinds[at] = matrix.number[0, 0], matrix.kind[0, 0]
    return Operand(Array(result, kinds))


def _places(ev: Evaluator, node: Tree | None) -> Array:
    """Whole numbers for each cell of the block, 0 where they are left out."""
    if node is None or isinstance(node, Missing):
        return Array.of(0.0)
    array = to_number(ev.evaluate(node, "value").array, ev.texts)
    if not array.is_single:
        raise NeedsCells
    return Array(np.trunc(array.number), array.kind)


def _block(ev: Evaluator, node: Tree, row: Tree, column: Tree | None) -> Operand:
    """One cell of the array for each cell of the block."""
    source = ev.evaluate(node)
    height, width = source.array.shape[2:]
    if isinstance(node, Located):
        # Uncut: ``A:A`` goes on below what is read of it, with empty cells.
        rect = node.reference.at(ev.row, ev.column)
        if rect is None or len(node.sheets) != 1:
            raise NeedsCells
        height, width = rect.shape
    elif source.is_reference or (height, width) == (1, 1):
        raise NeedsCells
    rows, columns = _places(ev, row), _places(ev, column)
    if column is None or isinstance(column, Missing):
        if height == 1 and width > 1:
            rows, columns = Array.of(1.0), rows
        elif width == 1:
            columns = Array.of(1.0)
    error = first_error([rows, columns])
    shape = np.broadcast_shapes(rows.shape[:2], columns.shape[:2], source.array.shape[:2])
    i, j = (np.broadcast_to(a.number[:, :, 0, 0], shape) for a in (rows, columns))
    bad = np.zeros(shape, bool) if error is None else np.broadcast_to(error[1][:, :, 0, 0], shape) >= ERROR
    if (((i == 0) | (j == 0)) & ~bad).any():
        raise NeedsCells
    kind = np.where((i < 0) | (j < 0), VALUE, np.where((i > height) | (j > width), REF, NUMBER)).astype(np.uint8)
    number = np.zeros(shape)
    if error is not None:
        number = np.where(bad, error[0][:, :, 0, 0], number)
        kind = np.where(bad, error[1][:, :, 0, 0], kind).astype(np.uint8)
    found_number, found_kind = _gather(source.array, i, j, kind == NUMBER)
    number, kind = np.where(kind == NUMBER, found_number, number), np.where(kind == NUMBER, found_kind, kind)
    result = Array(number[:, :, None, None], collapse(kind[:, :, None, None]))
    return Operand(result, is_reference=source.is_reference)


def _gather(source: Array, i: Floats, j: Floats, good: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cells at rows ``i`` and columns ``j`` (from 1) of each cell's own array; behind what is read of it all is
    empty.
    """
    shape = (*i.shape, *source.shape[2:])
    number, kind = np.broadcast_to(source.number, shape), np.broadcast_to(source.kind, shape)
    inside = good & (i <= number.shape[2]) & (j <= number.shape[3])
    row = np.where(inside, i - 1, 0).astype(np.intp)
    column = np.where(inside, j - 1, 0).astype(np.intp)
    down, right = np.ogrid[: i.shape[0], : i.shape[1]]
    found = number[down, right, row, column], kind[down, right, row, column]
    return np.where(inside, found[0], 0.0), np.where(inside, found[1], np.uint8(EMPTY))
