"""Functions that take or give references: OFFSET, XLOOKUP, ROW, COLUMN and their kin; INDEX stands in :mod:`indexing`.

Source: Microsoft's page on each function. A result that lies on a sheet stays a reference, so that
``SUM(A1:INDEX(A:A,3))`` and ``ROW(OFFSET(…))`` work.
"""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.coercion import to_number
from xlsx_attention.functions.matching import extended_place
from xlsx_attention.functions.registry import Area, Evaluator, ExcelError, Matrix, NeedsCells, Operand, function
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, Rect
from xlsx_attention.model.formula import Bound, Located, Missing, Tree
from xlsx_attention.model.values import ERROR, NA, REF, VALUE, Array, Scalar


def single(ev: Evaluator, operand: Operand, default: float) -> float:
    """A number argument of a reference function; ``default`` where it is left out, its error where it is one."""
    if operand.missing:
        return default
    array = to_number(operand.array, ev.texts)
    number, kind = array.full()
    if kind.flat[0] >= ERROR:
        raise ExcelError(int(kind.flat[0]))
    return float(number.flat[0])


def shape_of(ev: Evaluator, operand: Operand) -> tuple[int, int]:
    """Rows and columns; of a reference uncut (``A:A`` has 1,048,576 rows)."""
    return operand.areas[0].rect.shape if operand.areas else ev.matrix(operand).shape


def pass_error(ev: Evaluator, operand: Operand) -> None:
    """An error that stands where a reference is due is the result."""
    if not operand.is_reference and operand.array.is_single:
        kind = int(operand.array.kind.flat[0])
        if kind >= ERROR:
            raise ExcelError(kind)


def part(ev: Evaluator, operand: Operand, rows: tuple[int, int], columns: tuple[int, int]) -> Operand:
    """Rows and columns (half-open) of an operand; a reference stays one."""
    if operand.areas:
        area = operand.areas[0]
        top, left = area.rect.top, area.rect.left
        return ev.read((Area(area.sheet, Rect(top + rows[0], left + columns[0], top + rows[1], left + columns[1])),))
    matrix = ev.matrix(operand)
    place = (slice(*rows), slice(*columns))
    return ev.from_python(Matrix(matrix.number[place], matrix.kind[place]))


# --- OFFSET ----------------------------------------------------------------------------------------------------------
@function("OFFSET", "reference:reference rows:lazy columns:lazy height:lazy? width:lazy?", "reference", volatile=True)
def offset(
    ev: Evaluator, reference: Operand, rows: Operand, columns: Operand, height: Operand, width: Operand
) -> Operand:
    """A range some rows and columns away, of a given or the same size; a negative size runs up or left.

    ``#REF!`` off the sheet and for a size of 0; ``#VALUE!`` for what is no reference.
    """
    pass_error(ev, reference)
    if len(reference.areas) != 1:
        raise ExcelError(VALUE)
    area = reference.areas[0]
    top = area.rect.top + int(single(ev, rows, 0.0))
    left = area.rect.left + int(single(ev, columns, 0.0))
    tall, wide = int(single(ev, height, area.rect.height)), int(single(ev, width, area.rect.width))
    if tall < 0:
        top, tall = top + tall + 1, -tall
    if wide < 0:
        left, wide = left + wide + 1, -wide
    if tall == 0 or wide == 0 or top < 0 or left < 0 or top + tall > MAX_ROWS or left + wide > MAX_COLUMNS:
        raise ExcelError(REF)
    return ev.read((Area(area.sheet, Rect(top, left, top + tall, left + wide)),))


# --- XLOOKUP ---------------------------------------------------------------------------------------------------------
@function(
    "XLOOKUP",
    "value:reference keys:reference results:reference if_none:lazy? match_mode:lazy? search_mode:lazy?",
    "reference",
)
def xlookup(
    ev: Evaluator,
    value: Operand,
    keys: Operand,
    results: Operand,
    if_none: Operand,
    match_mode: Operand,
    search_mode: Operand,
) -> Operand:
    """What stands level with the value among the results: a cell, or a whole row or column of a wider range.

    ``if_none`` or ``#N/A`` where the value is not found; ``#VALUE!`` where keys and results differ in length.
    """
    pass_error(ev, keys)
    pass_error(ev, results)
    line = ev.matrix(keys)
    key_shape, shape = shape_of(ev, keys), shape_of(ev, results)
    if 1 not in key_shape:
        raise ExcelError(VALUE)
    down = key_shape[1] == 1
    if (key_shape[0] != shape[0]) if down else (key_shape[1] != shape[1]):
        raise ExcelError(VALUE)
    line = Matrix(line.number.reshape(1, -1), line.kind.reshape(1, -1))
    modes = single(ev, match_mode, 0.0), single(ev, search_mode, 1.0)

    def find(sought: Scalar) -> Operand:
        if sought.kind >= ERROR:
            raise ExcelError(sought.kind)
        place = extended_place(ev, sought, line, *modes)
        if place is None:
            if if_none.missing:
                raise ExcelError(NA)
            return if_none
        here = (place, place + 1)
        return part(ev, results, here if down else (0, shape[0]), (0, shape[1]) if down else here)

    sought = ev.matrix(value)
    if sought.size == 1:
        return find(ev.scalar(float(sought.number[0, 0]), int(sought.kind[0, 0])))
    ev.charge(sought.size)
    ev.toil(sought.size * (10_000 + 10 * line.size))
    number, kind = np.zeros(sought.shape), np.zeros(sought.shape, np.uint8)
    for at in np.ndindex(sought.shape):
        try:
            cell = ev.matrix(find(ev.scalar(float(sought.number[at]), int(sought.kind[at]))))
        except ExcelError as error:
            kind[at] = error.kind
            continue
        number[at], kind[at] = cell.number[0, 0], cell.kind[0, 0]
    return ev.from_python(Matrix(number, kind))


# --- where a reference lies ------------------------------------------------------------------------------------------
def _lines(ev: Evaluator, node: Tree | None, down: bool) -> Operand:
    """Row (or column) numbers of a reference, from 1, as a column (or row); of the formula's own cell without one."""
    origin = ev.rect.top if down else ev.rect.left
    extent = ev.rect.height if down else ev.rect.width
    axis, inner = (0, 2) if down else (1, 3)
    walk = np.arange(extent, dtype=np.float64) + origin + 1
    if node is None or isinstance(node, Missing):
        return Operand(Array.numbers(_along(walk, axis)))
    if isinstance(node, Located):
        seen = node.reference
        first, last = (seen.top, seen.bottom) if down else (seen.left, seen.right)
        if first.absolute == last.absolute and node.reference.at(ev.row, ev.column) is not None:
            size = abs(last.index - first.index) + 1
            ev.charge(size)
            start = _start(first, last, walk if not first.absolute else np.ones(1))
            steps = np.arange(size, dtype=np.float64)
            return Operand(Array.numbers(_along(start, axis) + _along(steps, inner)))
    if not ev.one_by_one:
        raise NeedsCells
    operand = ev.evaluate(node)
    pass_error(ev, operand)
    if len(operand.areas) != 1:
        raise ExcelError(VALUE if not operand.areas else REF)
    rect = operand.areas[0].rect
    begin, size = (rect.top, rect.height) if down else (rect.left, rect.width)
    ev.charge(size)
    return Operand(Array.numbers(_along(np.arange(size, dtype=np.float64) + begin + 1, inner)))


def _along(values: np.ndarray, axis: int) -> np.ndarray:
    shape = [1, 1, 1, 1]
    shape[axis] = -1
    return values.reshape(shape)


def _start(first: Bound, last: Bound, walk: np.ndarray) -> np.ndarray:
    return walk + min(first.index, last.index)


@function("ROW", "reference:lazy?", "lazy", vectorised=True)
def row(ev: Evaluator, node: Tree | None = None) -> Operand:
    """Row numbers of a reference as a column; the formula's own without one. ``#VALUE!`` for what is no reference."""
    return _lines(ev, node, True)


@function("COLUMN", "reference:lazy?", "lazy", vectorised=True)
def column(ev: Evaluator, node: Tree | None = None) -> Operand:
    """Column numbers of a reference as a row; the formula's own without one. ``#VALUE!`` for what is no reference."""
    return _lines(ev, node, False)


@function("ROWS", "array:reference", "reference")
def rows_(ev: Evaluator, array: Operand) -> Operand:
    """How many rows a reference or array has; an error in place of one passes."""
    pass_error(ev, array)
    return Operand(Array.of(float(shape_of(ev, array)[0])))


@function("COLUMNS", "array:reference", "reference")
def columns_(ev: Evaluator, array: Operand) -> Operand:
    """How many columns a reference or array has; an error in place of one passes."""
    pass_error(ev, array)
    return Operand(Array.of(float(shape_of(ev, array)[1])))


@function("AREAS", "reference:reference", "reference")
def areas(ev: Evaluator, reference: Operand) -> Operand:
    """How many areas a reference has; ``#VALUE!`` for what is no reference."""
    pass_error(ev, reference)
    if not reference.areas:
        raise ExcelError(VALUE)
    return Operand(Array.of(float(len(reference.areas))))
