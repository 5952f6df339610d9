"""Variance and deviation, two-pass: the mean first, then the squares about it, each summed left to right."""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.aggregates import Result, divide_by_count
from xlsx_attention.functions.gathering import gather_all, result_operand
from xlsx_attention.functions.registry import Evaluator, Operand, function
from xlsx_attention.functions.sums import sum_last, sum_of_products
from xlsx_attention.model.values import NUM, Floats


def squares_about_mean(x: Floats, keep: np.ndarray) -> tuple[Floats, Floats]:
    """``(Σ(x − mean)², n)`` for each cell of the block; shapes (h, w)."""
    n = keep.sum(axis=-1)
    mean = sum_last(x) / np.maximum(n, 1)
    deviation = np.where(keep, x - mean[..., None], 0.0)
    return sum_of_products(deviation, deviation), n


@function("VAR VAR.S", "number:numbers ...", "reduction")
def var_sample(x: Floats, keep: np.ndarray) -> Result:
    """``Σ(x − mean)² / (n − 1)``; ``#DIV/0!`` below two numbers."""
    squares, n = squares_about_mean(x, keep)
    return divide_by_count(squares, n - 1)


@function("VARP VAR.P", "number:numbers ...", "reduction")
def var_population(x: Floats, keep: np.ndarray) -> Result:
    """``Σ(x − mean)² / n``; ``#DIV/0!`` without a number."""
    squares, n = squares_about_mean(x, keep)
    return divide_by_count(squares, n)


@function("STDEV STDEV.S", "number:numbers ...", "reduction")
def stdev_sample(x: Floats, keep: np.ndarray) -> Result:
    """``√(Σ(x − mean)² / (n − 1))``; ``#DIV/0!`` below two numbers."""
    variance, kind = var_sample(x, keep)
    return np.sqrt(variance), kind


@function("STDEVP STDEV.P", "number:numbers ...", "reduction")
def stdev_population(x: Floats, keep: np.ndarray) -> Result:
    """``√(Σ(x − mean)² / n)``; ``#DIV/0!`` without a number."""
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
