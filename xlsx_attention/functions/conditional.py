"""SUMIF, COUNTIFS and their like: totals of the cells that meet criteria."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from xlsx_attention.functions.criteria import Criterion, criterion
from xlsx_attention.functions.registry import Area, Evaluator, ExcelError, Matrix, Operand, function
from xlsx_attention.functions.sums import sum_last
from xlsx_attention.functions.values_of import raise_first_error
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, Rect
from xlsx_attention.model.values import DIV0, EMPTY, ERROR, NUMBER, VALUE, Array, Floats

Mask = npt.NDArray[np.bool_]
#: From the numbers that meet the criteria to the result.
Total = Callable[[Floats], float]


def _sum(numbers: Floats) -> float:
    return float(sum_last(numbers))


def _average(numbers: Floats) -> float:
    if numbers.size == 0:
        raise ExcelError(DIV0)
    return _sum(numbers) / numbers.size


def _largest(numbers: Floats) -> float:
    return float(numbers.max()) if numbers.size else 0.0


def _smallest(numbers: Floats) -> float:
    return float(numbers.min()) if numbers.size else 0.0


def _shape(operand: Operand) -> tuple[int, int]:
    """Rows and columns of a range as written, not cut to the used part; ``#VALUE!`` for what is not one reference."""
    if not operand.is_reference or not operand.areas:
        if (operand.array.kind >= ERROR).any():
            raise ExcelError(int(operand.array.kind.max()))
        raise ExcelError(VALUE)
    if len(operand.areas) > 1:
        raise ExcelError(VALUE)
    return operand.areas[0].rect.shape


def _padded(matrix: Matrix, shape: tuple[int, int]) -> Matrix:
    """Empty cells below and to the right, up to ``shape``."""
    rows, columns = shape
    number, kind = np.zeros(shape), np.full(shape, EMPTY, np.uint8)
    number[: matrix.shape[0], : matrix.shape[1]] = matrix.number[:rows, :columns]
    kind[: matrix.shape[0], : matrix.shape[1]] = matrix.kind[:rows, :columns]
    return Matrix(number, kind)


def _from_origin(ev: Evaluator, operand: Operand) -> Matrix:
    """A range's used part, from its own top left cell on (a reference may be cut at its top as well)."""
    rect = operand.areas[0].rect
    matrix = ev.matrix(operand)
    if matrix.shape == rect.shape:
        return matrix
    return ev.matrix(ev.read((Area(operand.areas[0].sheet, rect),)))


def _each(ev: Evaluator, criteria: Sequence[Operand], one: Callable[[list[Criterion]], float]) -> Operand:
    """``one`` for each place of the criteria, which may be arrays: they spill."""
    matrices = [ev.matrix(c) for c in criteria]
    shape = (max(m.shape[0] for m in matrices), max(m.shape[1] for m in matrices))
    number, kind = np.zeros(shape), np.zeros(shape, np.uint8)
    numbers = [np.broadcast_to(m.number, shape) for m in matrices]
    kinds = [np.broadcast_to(m.kind, shape) for m in matrices]
    for at in np.ndindex(shape):
        tests = [criterion(ev.scalar(float(n[at]), int(k[at]))) for n, k in zip(numbers, kinds, strict=True)]
        try:
            number[at] = one(tests)
        except ExcelError as error:
            number[at], kind[at] = error.number, error.kind
    return Operand(Array(number[None, None] + 0.0, kind[None, None]))


def _meets(ev: Evaluator, ranges: Sequence[Matrix], tests: Sequence[Criterion]) -> Mask:
    """Where all ranges meet their criteria, over the smallest shape that holds every used part."""
    shape = (max(m.shape[0] for m in ranges), max(m.shape[1] for m in ranges))
    mask = np.ones(shape, bool)
    for cells, test in zip(ranges, tests, strict=True):
        mask &= test.mask(_padded(cells, shape), ev.texts)
    return mask


def _total(values: Matrix, mask: Mask, total: Total) -> float:
    """Over the numbers among the chosen values; the first error among them passes."""
    if values.shape != mask.shape:
        shape = (max(values.shape[0], mask.shape[0]), max(values.shape[1], mask.shape[1]))
        values = _padded(values, shape)
        wider = np.zeros(shape, bool)
        wider[: mask.shape[0], : mask.shape[1]] = mask
        mask = wider
    number, kind = values.number[mask], values.kind[mask]
    raise_first_error(Matrix(number[None], kind[None]))
    return total(number[kind == NUMBER])


def _single(ev: Evaluator, cells: Operand, test: Operand, values: Operand, total: Total) -> Operand:
    """SUMIF and AVERAGEIF: the range of values begins at its top left cell and has the shape of the tested range."""
    rows, columns = _shape(cells)
    tested = _from_origin(ev, cells)
    chosen = tested
    if not values.missing:
        _shape(values)
        area = values.areas[0]
        bottom, right = min(area.rect.top + rows, MAX_ROWS), min(area.rect.left + columns, MAX_COLUMNS)
        rect = Rect(area.rect.top, area.rect.left, bottom, right)
        chosen = ev.matrix(ev.read((Area(area.sheet, rect),)))
    return _each(ev, [test], lambda tests: _total(chosen, _meets(ev, [tested], tests), total))


@function("SUMIF", "range:reference criteria:any sum_range:reference?", "reference")
def sumif(ev: Evaluator, cells: Operand, test: Operand, values: Operand) -> Operand:
    """The sum of the numbers whose cells meet the criterion, left to right; errors among them pass."""
    return _single(ev, cells, test, values, _sum)


@function("AVERAGEIF", "range:reference criteria:any average_range:reference?", "reference")
def averageif(ev: Evaluator, cells: Operand, test: Operand, values: Operand) -> Operand:
    """The mean of the numbers whose cells meet the criterion; ``#DIV/0!`` where there is none."""
    return _single(ev, cells, test, values, _average)


def _several(ev: Evaluator, values: Operand, conditions: tuple[Operand, ...], total: Total) -> Operand:
    """SUMIFS and its like: every range has the values' shape, else ``#VALUE!``."""
    shape = _shape(values)
    ranges, tests = conditions[::2], conditions[1::2]
    if len(ranges) != len(tests) or any(_shape(r) != shape for r in ranges):
        raise ExcelError(VALUE)
    chosen, tested = _from_origin(ev, values), [_from_origin(ev, r) for r in ranges]
    return _each(ev, tests, lambda each: _total(chosen, _meets(ev, tested, each), total))


@function("SUMIFS", "sum_range:reference range:reference criteria:any ...2", "reference")
def sumifs(ev: Evaluator, values: Operand, *conditions: Operand) -> Operand:
    """The sum of the numbers where all ranges meet their criteria; ``#VALUE!`` where shapes differ."""
    return _several(ev, values, conditions, _sum)


@function("AVERAGEIFS", "average_range:reference range:reference criteria:any ...2", "reference")
def averageifs(ev: Evaluator, values: Operand, *conditions: Operand) -> Operand:
    """The mean of the numbers where all ranges meet their criteria; ``#DIV/0!`` where there is none."""
    return _several(ev, values, conditions, _average)


@function("MAXIFS", "max_range:reference range:reference criteria:any ...2", "reference")
def maxifs(ev: Evaluator, values: Operand, *conditions: Operand) -> Operand:
    """The largest number where all ranges meet their criteria; 0 where there is none."""
    return _several(ev, values, conditions, _largest)


@function("MINIFS", "min_range:reference range:reference criteria:any ...2", "reference")
def minifs(ev: Evaluator, values: Operand, *conditions: Operand) -> Operand:
    """The smallest number where all ranges meet their criteria; 0 where there is none."""
    return _several(ev, values, conditions, _smallest)


@function("COUNTIF COUNTIFS", "range:reference criteria:any ...2", "reference")
def countifs(ev: Evaluator, *conditions: Operand) -> Operand:
    """How many cells meet all criteria, empty cells beyond the used range included; ``#VALUE!`` where shapes differ."""
    ranges, tests = conditions[::2], conditions[1::2]
    if len(ranges) != len(tests):
        raise ExcelError(VALUE)
    shapes = [_shape(r) for r in ranges]
    if len(set(shapes)) > 1:
        raise ExcelError(VALUE)
    tested = [_from_origin(ev, r) for r in ranges]

    def count(each: list[Criterion]) -> float:
        mask = _meets(ev, tested, each)
        beyond = shapes[0][0] * shapes[0][1] - mask.size
        takes = beyond > 0 and all(test.takes_empty(ev.texts) for test in each)
        return float(np.count_nonzero(mask)) + (beyond if takes else 0)

    return _each(ev, tests, count)
