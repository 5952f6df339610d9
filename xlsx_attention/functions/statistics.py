"""Variance and deviation, from the sum of squares less the square of the sum, as Excel's bits show.

``Σx² − (Σx)²/n`` gives the stored bits of all 204 cells of the public transformer workbook that divide by STDEV, and
of STDEV.P and STDEV.S in IronCalc's ``STDEV.xlsx``; the squares about the mean give 97 and none. Where the difference
would lose more than three digits the squares about the mean take its place: Microsoft says that Excel keeps its
precision there.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from xlsx_attention.functions.aggregates import Result, divide_by_count
from xlsx_attention.functions.gathering import gather_all, result_operand
from xlsx_attention.functions.registry import Evaluator, Operand, function
from xlsx_attention.functions.sums import sum_last, sum_of_products
from xlsx_attention.model.values import DIV0, NUM, Floats

#: Below this share of the squares themselves, their sum about the mean is not taken from the difference.
_CANCELLED: Final = 1e-3


def squares_about_mean(x: Floats, keep: np.ndarray) -> tuple[Floats, Floats]:
    """``(Σ(x − mean)², n)`` for each cell of the block; shapes (h, w)."""
    n = keep.sum(axis=-1)
    total, squares = sum_last(x), sum_of_products(x, x)
    count = np.maximum(n, 1)
    about = squares - total * total / count
    risky = about <= _CANCELLED * squares
    if risky.any():
        deviation = np.where(keep, x - (total / count)[..., None], 0.0)
        about = np.where(risky, sum_of_products(deviation, deviation), about)
    return about, n


@function("VAR VAR.S", "number:numbers ...", "reduction")
def var_sample(x: Floats, keep: np.ndarray) -> Result:
    """``(Σx² − (Σx)²/n) / (n − 1)``; ``#DIV/0!`` below two numbers."""
    squares, n = squares_about_mean(x, keep)
    return divide_by_count(squares, n - 1)


@function("VARP VAR.P", "number:numbers ...", "reduction")
def var_population(x: Floats, keep: np.ndarray) -> Result:
    """``Σx²/n − mean²``, or ``Σ(x − mean)²/n`` where that would cancel; ``#DIV/0!`` without a number."""
    about, n = squares_about_mean(x, keep)
    count = np.maximum(n, 1)
    squares, mean = sum_of_products(x, x) / count, sum_last(x) / count
    direct = squares - mean * mean
    variance = np.where(about <= _CANCELLED * squares * count, about / count, direct)
    return np.where(n == 0, 0.0, variance), np.where(n == 0, np.uint8(DIV0), np.uint8(0))


@function("STDEV STDEV.S", "number:numbers ...", "reduction")
def stdev_sample(x: Floats, keep: np.ndarray) -> Result:
    """The root of VAR.S; ``#DIV/0!`` below two numbers."""
    variance, kind = var_sample(x, keep)
    return np.sqrt(variance), kind


@function("STDEVP STDEV.P", "number:numbers ...", "reduction")
def stdev_population(x: Floats, keep: np.ndarray) -> Result:
    """The root of VAR.P; ``#DIV/0!`` without a number."""
    variance, kind = var_population(x, keep)
    return np.sqrt(variance), kind


@function("VARA", "value:values ...", "reference", vectorised=True)
def vara(ev: Evaluator, *operands: Operand) -> Operand:
    """VAR.S with logicals as 1 and 0 and texts in cells as 0."""
    x, keep, error = gather_all(ev.texts, operands)
    return result_operand(var_sample(x, keep), error)


@function("VARPA", "value:values ...", "reference", vectorised=True)
def varpa(ev: Evaluator, *operands: Operand) -> Operand:
    """VAR.P with logicals as 1 and 0 and texts in cells as 0."""
    x, keep, error = gather_all(ev.texts, operands)
    return result_operand(var_population(x, keep), error)


@function("STDEVA", "value:values ...", "reference", vectorised=True)
def stdeva(ev: Evaluator, *operands: Operand) -> Operand:
    """STDEV.S with logicals as 1 and 0 and texts in cells as 0."""
    x, keep, error = gather_all(ev.texts, operands)
    return result_operand(stdev_sample(x, keep), error)


@function("STDEVPA", "value:values ...", "reference", vectorised=True)
def stdevpa(ev: Evaluator, *operands: Operand) -> Operand:
    """STDEV.P with logicals as 1 and 0 and texts in cells as 0."""
    x, keep, error = gather_all(ev.texts, operands)
    return result_operand(stdev_population(x, keep), error)


@function("DEVSQ", "number:numbers ...", "reduction")
def devsq(x: Floats, keep: np.ndarray) -> Result:
    """``Σ(x − mean)²``; ``#NUM!`` without a number."""
    squares, n = squares_about_mean(x, keep)
    return squares, np.where(n == 0, np.uint8(NUM), np.uint8(0))
