"""SUBTOTAL and AGGREGATE: a function by number, over cells that are no subtotals themselves.

Whether a row is hidden is not part of a grid, so what skips hidden rows (101…111, options 1, 3, 5, 7) counts them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from xlsx_attention.functions import aggregates, order_statistics, statistics
from xlsx_attention.functions.registry import Area, Evaluator, ExcelError, Matrix, Operand, function
from xlsx_attention.functions.values_of import lifted
from xlsx_attention.model.address import Rect
from xlsx_attention.model.values import EMPTY, ERROR, NUMBER, VALUE, Floats, Kinds

Reduction = Callable[[Floats, np.ndarray], "Floats | tuple[Floats, Kinds]"]
_NESTED: Final = re.compile(r"(?<![A-Za-z0-9_.])(?:SUBTOTAL|AGGREGATE)\(", re.IGNORECASE)


def _counts(x: Floats, keep: np.ndarray) -> Floats:
    return np.asarray(keep.sum(axis=-1), np.float64)


def _mode(x: Floats, keep: np.ndarray) -> Floats:
    return np.array([[order_statistics.modes(x[0, 0][keep[0, 0]].tolist())[0]]])


#: By the numbers of SUBTOTAL; 3 (COUNTA) counts cells, not numbers, and stands apart.
REDUCTIONS: Final[dict[int, Reduction]] = {
    1: aggregates.average,
    2: _counts,
    4: aggregates.max_,
    5: aggregates.min_,
    6: aggregates.product,
    7: statistics.stdev_sample,
    8: statistics.stdev_population,
    9: aggregates.sum_,
    10: statistics.var_sample,
    11: statistics.var_population,
    12: order_statistics.median,
    13: _mode,
}

#: AGGREGATE's numbers from 14 on: with a second argument k.
WITH_K: Final[dict[int, Callable[[list[float], float], float]]] = {
    14: order_statistics.nth_largest,
    15: order_statistics.nth_smallest,
    16: order_statistics.percentile_inc_of,
    17: order_statistics.quartile_inc_of,
    18: order_statistics.percentile_exc_of,
    19: order_statistics.quartile_exc_of,
}


def _cells(ev: Evaluator, operands: Sequence[Operand], skip_nested: bool) -> tuple[Floats, Kinds]:
    """All values in reading order as (n,) arrays, subtotals among them left out."""
    numbers, kinds = [], []
    for operand in operands:
        matrix = ev.matrix(operand)
        kind = matrix.kind
        if skip_nested and operand.areas:
            kind = _without_subtotals(ev, operand.areas[0], matrix)
        numbers.append(matrix.number.ravel())
        kinds.append(kind.ravel())
    return np.concatenate(numbers), np.concatenate(kinds)


def _without_subtotals(ev: Evaluator, area: Area, matrix: Matrix) -> Kinds:
    kind = matrix.kind.copy()
    for i, j in np.argwhere(kind != EMPTY).tolist():
        text = ev.formula_text(Area(area.sheet, Rect.cell(area.rect.top + i, area.rect.left + j)))
        if text is not None and _NESTED.search(text):
            kind[i, j] = EMPTY
    return kind


def _reduce(number: int, values: Floats, kinds: Kinds) -> float:
    bad = kinds >= ERROR
    if number == 3:
        return float(np.count_nonzero(kinds != EMPTY))
    if number != 2 and bad.any():
        raise ExcelError(int(kinds[bad.argmax()]), float(values[bad.argmax()]))
    keep = kinds == NUMBER
    result = REDUCTIONS[number](np.where(keep, values, 0.0)[None, None], keep[None, None])
    value, kind = result if isinstance(result, tuple) else (result, None)
    if kind is not None and kind.any():
        raise ExcelError(int(kind.flat[0]))
    return float(value.flat[0])


def _number(ev: Evaluator, operand: Operand) -> int:
    matrix = ev.matrix(operand)
    if matrix.kind[0, 0] >= ERROR:
        raise ExcelError(int(matrix.kind[0, 0]))
    return int(matrix.number[0, 0])


@function("SUBTOTAL", "function:number range:reference ...", "reference")
def subtotal(ev: Evaluator, which: Operand, *operands: Operand) -> Operand:
    """A total, by number, of cells that hold no SUBTOTAL or AGGREGATE themselves.

    1 AVERAGE, 2 COUNT, 3 COUNTA, 4 MAX, 5 MIN, 6 PRODUCT, 7 STDEV.S, 8 STDEV.P, 9 SUM, 10 VAR.S, 11 VAR.P, also + 100;
    ``#VALUE!`` for other numbers.
    """
    number = _number(ev, which)
    number = number - 100 if number > 100 else number
    if not 1 <= number <= 11 or any(not o.is_reference for o in operands):
        raise ExcelError(VALUE)
    return ev.from_python(_reduce(number, *_cells(ev, operands, True)))


@function("AGGREGATE", "function:number options:number array:array k:array? ...", "reference")
def aggregate(ev: Evaluator, which: Operand, options: Operand, *operands: Operand) -> Operand:
    """SUBTOTAL's functions and more; options 0…3 leave out subtotals, 2, 3, 6 and 7 leave out errors.

    12 MEDIAN, 13 MODE.SNGL (up to here of references only), and with ``k``: 14 LARGE, 15 SMALL, 16 PERCENTILE.INC,
    17 QUARTILE.INC, 18 PERCENTILE.EXC, 19 QUARTILE.EXC.
    """
    number, option = _number(ev, which), _number(ev, options)
    given = [o for o in operands if not o.missing]
    if not 1 <= number <= 19 or not 0 <= option <= 7 or (number < 14 and any(not o.is_reference for o in given)):
        raise ExcelError(VALUE)
    arrays = given[:1] if number >= 14 else given
    values, kinds = _cells(ev, arrays, option <= 3)
    if option in (2, 3, 6, 7):
        kinds = np.where(kinds >= ERROR, np.uint8(EMPTY), kinds)
    if number < 14:
        return ev.from_python(_reduce(number, values, kinds))
    if len(given) < 2:
        raise ExcelError(VALUE)
    bad = kinds >= ERROR
    if bad.any():
        raise ExcelError(int(kinds[bad.argmax()]), float(values[bad.argmax()]))
    ordered = sorted(values[kinds == NUMBER].tolist())
    return lifted(ev, given[1], lambda k: WITH_K[number](ordered, k))
