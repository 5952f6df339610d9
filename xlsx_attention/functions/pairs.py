"""Two arrays side by side: sums of squares, covariance, correlation, the straight line through points.

Pairs in which one side is no number do not count. Means first, then sums of products about them, left to right.
"""

from __future__ import annotations

import math

from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.functions.values_of import pairs_in
from xlsx_attention.model.values import DIV0, NUM


def running_sum(numbers: list[float]) -> float:
    """Left to right; Python's ``sum`` compensates from 3.12 on, so it is no use here."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def about_means(xs: list[float], ys: list[float]) -> tuple[float, float, float, float, float]:
    """``(mean x, mean y, Σdx², Σdy², Σdx·dy)``; ``#DIV/0!`` without a pair."""
    if not xs:
        raise ExcelError(DIV0)
    mean_x, mean_y = running_sum(xs) / len(xs), running_sum(ys) / len(ys)
    sxx = syy = sxy = 0.0
    for x, y in zip(xs, ys, strict=True):
        dx, dy = x - mean_x, y - mean_y
        sxx += dx * dx
        syy += dy * dy
        sxy += dx * dy
    return mean_x, mean_y, sxx, syy, sxy


@function("SUMX2MY2", "array_x:array array_y:array", "array")
def sumx2my2(ctx: Context, a: Matrix, b: Matrix) -> float:
    """``Σ(x² − y²)``; ``#N/A`` where the arrays differ in size."""
    xs, ys = pairs_in(a, b)
    return running_sum([x * x - y * y for x, y in zip(xs, ys, strict=True)])


@function("SUMX2PY2", "array_x:array array_y:array", "array")
def sumx2py2(ctx: Context, a: Matrix, b: Matrix) -> float:
    """``Σ(x² + y²)``; ``#N/A`` where the arrays differ in size."""
    xs, ys = pairs_in(a, b)
    return running_sum([x * x + y * y for x, y in zip(xs, ys, strict=True)])


@function("SUMXMY2", "array_x:array array_y:array", "array")
def sumxmy2(ctx: Context, a: Matrix, b: Matrix) -> float:
    """``Σ(x − y)²``; ``#N/A`` where the arrays differ in size."""
    xs, ys = pairs_in(a, b)
    return running_sum([(x - y) * (x - y) for x, y in zip(xs, ys, strict=True)])


@function("COVAR COVARIANCE.P", "array1:array array2:array", "array")
def covariance_p(ctx: Context, a: Matrix, b: Matrix) -> float:
    """``Σdx·dy / n``; ``#N/A`` where the arrays differ in size, ``#DIV/0!`` without a pair."""
    xs, ys = pairs_in(a, b)
    return about_means(xs, ys)[4] / len(xs)


@function("COVARIANCE.S", "array1:array array2:array", "array")
def covariance_s(ctx: Context, a: Matrix, b: Matrix) -> float:
    """``Σdx·dy / (n − 1)``; ``#N/A`` where the arrays differ in size, ``#DIV/0!`` below two pairs."""
    xs, ys = pairs_in(a, b)
    if len(xs) < 2:
        raise ExcelError(DIV0)
    return about_means(xs, ys)[4] / (len(xs) - 1)


def correlation(xs: list[float], ys: list[float]) -> float:
    """Pearson's r; ``#DIV/0!`` where one side does not vary."""
    _, _, sxx, syy, sxy = about_means(xs, ys)
    if sxx == 0.0 or syy == 0.0:
        raise ExcelError(DIV0)
    return sxy / math.sqrt(sxx * syy)


@function("CORREL PEARSON", "array1:array array2:array", "array")
def correl(ctx: Context, a: Matrix, b: Matrix) -> float:
    """``Σdx·dy / √(Σdx²·Σdy²)``; ``#DIV/0!`` where one side does not vary."""
    return correlation(*pairs_in(a, b))


@function("RSQ", "known_ys:array known_xs:array", "array")
def rsq(ctx: Context, a: Matrix, b: Matrix) -> float:
    """The square of ``Σdx·dy / √Σdx² / √Σdy²``; ``#DIV/0!`` where one side does not vary."""
    _, _, sxx, syy, sxy = about_means(*pairs_in(a, b))
    if sxx == 0.0 or syy == 0.0:
        raise ExcelError(DIV0)
    r = sxy / math.sqrt(sxx) / math.sqrt(syy)
    return r * r


def _line(ys: Matrix, xs: Matrix) -> tuple[float, float]:
    """Intercept and slope; ``#DIV/0!`` where x does not vary."""
    mean_x, mean_y, sxx, _, sxy = about_means(*pairs_in(xs, ys))
    if sxx == 0.0:
        raise ExcelError(DIV0)
    slope = sxy / sxx
    return mean_y - slope * mean_x, slope


@function("SLOPE", "known_ys:array known_xs:array", "array")
def slope(ctx: Context, ys: Matrix, xs: Matrix) -> float:
    """``Σdx·dy / Σdx²``; ``#DIV/0!`` where x does not vary."""
    return _line(ys, xs)[1]


@function("INTERCEPT", "known_ys:array known_xs:array", "array")
def intercept(ctx: Context, ys: Matrix, xs: Matrix) -> float:
    """``mean y − slope · mean x``; ``#DIV/0!`` where x does not vary."""
    return _line(ys, xs)[0]


@function("FORECAST FORECAST.LINEAR", "x:number known_ys:array known_xs:array", "array")
def forecast(ctx: Context, x: float, ys: Matrix, xs: Matrix) -> float:
    """``intercept + slope · x``."""
    a, b = _line(ys, xs)
    return a + b * x


@function("STEYX", "known_ys:array known_xs:array", "array")
def steyx(ctx: Context, ys: Matrix, xs: Matrix) -> float:
    """``√((Σdy² − (Σdx·dy)² / Σdx²) / (n − 2))``; ``#DIV/0!`` below three pairs."""
    x, y = pairs_in(xs, ys)
    if len(x) < 3:
        raise ExcelError(DIV0)
    _, _, sxx, syy, sxy = about_means(x, y)
    if sxx == 0.0:
        raise ExcelError(DIV0)
    return math.sqrt(max(0.0, syy - sxy * sxy / sxx) / (len(x) - 2))


@function("PROB", "x_range:array probabilities:array lower:number upper:number?", "array")
def prob(ctx: Context, values: Matrix, chances: Matrix, lower: float, upper: float | None) -> float:
    """The sum of the probabilities of values in ``lower…upper`` (``lower`` alone where ``upper`` is left out).

    ``#N/A`` where the ranges differ in size, ``#NUM!`` where a probability is not within 0…1 or they do not add up
    to 1.
    """
    xs, ps = pairs_in(values, chances)
    if not xs:
        raise ExcelError(DIV0)
    if any(not 0.0 <= p <= 1.0 for p in ps) or abs(running_sum(ps) - 1.0) > 1e-7:
        raise ExcelError(NUM)
    top = lower if upper is None else upper
    return running_sum([p for x, p in zip(xs, ps, strict=True) if lower <= x <= top])
