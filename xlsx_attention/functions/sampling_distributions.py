"""Chi-squared, F and t distributions, and the tests that use them."""

from __future__ import annotations

import math

from xlsx_attention.functions import special
from xlsx_attention.functions.continuous_distributions import require
from xlsx_attention.functions.pairs import running_sum
from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.functions.values_of import numbers_in, pairs_in
from xlsx_attention.model.values import DIV0, NA


def _freedom(df: float) -> float:
    """Degrees of freedom, cut to whole; ``#NUM!`` below 1."""
    require(1.0 <= df <= 1e10)
    return float(math.trunc(df))


@function("CHISQ.DIST", "x:number freedom:number cumulative:logical", "scalar")
def chisq_dist(ctx: Context, x: float, df: float, is_cumulative: bool) -> float:
    """χ² with so many degrees of freedom; ``#NUM!`` for ``x < 0``."""
    n = _freedom(df)
    require(x >= 0.0)
    if is_cumulative:
        return special.gamma_cdf(x / 2.0, n / 2.0)
    if x == 0.0:
        require(n >= 2.0)
        return 0.5 if n == 2.0 else 0.0
    return math.exp((n / 2.0 - 1.0) * math.log(x / 2.0) - x / 2.0 - math.lgamma(n / 2.0)) / 2.0


@function("CHISQ.DIST.RT CHIDIST", "x:number freedom:number", "scalar")
def chisq_dist_rt(ctx: Context, x: float, df: float) -> float:
    """The upper tail of χ²; ``#NUM!`` for ``x < 0``."""
    require(x >= 0.0)
    return special.gamma_upper(x / 2.0, _freedom(df) / 2.0)


@function("CHISQ.INV", "probability:number freedom:number", "scalar")
def chisq_inv(ctx: Context, p: float, df: float) -> float:
    """The x of which ``p`` lies below; ``#NUM!`` for ``p`` outside 0…1."""
    require(0.0 <= p < 1.0)
    return 2.0 * special.gamma_quantile(p, _freedom(df) / 2.0)


@function("CHISQ.INV.RT CHIINV", "probability:number freedom:number", "scalar")
def chisq_inv_rt(ctx: Context, p: float, df: float) -> float:
    """The x of which ``p`` lies above; ``#NUM!`` for ``p`` outside 0…1."""
    require(0.0 < p <= 1.0)
    return 2.0 * special.gamma_upper_quantile(p, _freedom(df) / 2.0)


@function("CHISQ.TEST CHITEST", "actual:array expected:array", "array")
def chisq_test(ctx: Context, actual: Matrix, expected: Matrix) -> float:
    """The probability of a χ² at least as large by chance; ``#N/A`` for different or single-cell ranges."""
    if actual.shape != expected.shape or actual.size < 2:
        raise ExcelError(NA)
    seen, due = pairs_in(actual, expected)
    if any(e == 0.0 for e in due):
        raise ExcelError(DIV0)
    statistic = running_sum([(a - e) * (a - e) / e for a, e in zip(seen, due, strict=True)])
    require(statistic >= 0.0)
    rows, columns = actual.shape
    freedom = (rows - 1) * (columns - 1) if rows > 1 and columns > 1 else max(rows, columns) - 1
    return special.gamma_upper(statistic / 2.0, freedom / 2.0)


@function("F.DIST", "x:number freedom1:number freedom2:number cumulative:logical", "scalar")
def f_dist(ctx: Context, x: float, df1: float, df2: float, is_cumulative: bool) -> float:
    """Fisher's F; ``#NUM!`` for ``x < 0``."""
    m, n = _freedom(df1), _freedom(df2)
    require(x >= 0.0)
    if is_cumulative:
        return special.f_cdf(x, m, n)
    if x == 0.0:
        require(m >= 2.0)
        return 1.0 if m == 2.0 else 0.0
    log = (m / 2.0) * math.log(m / n) + (m / 2.0 - 1.0) * math.log(x) - (m + n) / 2.0 * math.log1p(m * x / n)
    return math.exp(log - math.lgamma(m / 2.0) - math.lgamma(n / 2.0) + math.lgamma((m + n) / 2.0))


@function("F.DIST.RT FDIST", "x:number freedom1:number freedom2:number", "scalar")
def f_dist_rt(ctx: Context, x: float, df1: float, df2: float) -> float:
    """The upper tail of F; ``#NUM!`` for ``x < 0``."""
    require(x >= 0.0)
    return special.f_upper(x, _freedom(df1), _freedom(df2))


@function("F.INV", "probability:number freedom1:number freedom2:number", "scalar")
def f_inv(ctx: Context, p: float, df1: float, df2: float) -> float:
    """The x of which ``p`` lies below; ``#NUM!`` for ``p`` outside 0…1."""
    require(0.0 <= p < 1.0)
    return special.f_quantile(p, _freedom(df1), _freedom(df2))


@function("F.INV.RT FINV", "probability:number freedom1:number freedom2:number", "scalar")
def f_inv_rt(ctx: Context, p: float, df1: float, df2: float) -> float:
    """The x of which ``p`` lies above; ``#NUM!`` for ``p`` outside 0…1."""
    require(0.0 < p <= 1.0)
    m, n = _freedom(df1), _freedom(df2)
    if p == 1.0:
        return 0.0
    # From the other tail, where p itself is exact: F(m, n) above x is F(n, m) below 1/x.
    below = special.f_quantile(p, n, m)
    require(below > 0.0)
    return 1.0 / below if math.isfinite(below) else 0.0


@function("T.DIST", "x:number freedom:number cumulative:logical", "scalar")
def t_dist(ctx: Context, x: float, df: float, is_cumulative: bool) -> float:
    """Student's t, lower tail, or the density."""
    n = _freedom(df)
    if is_cumulative:
        return special.student_cdf(x, n)
    log = math.lgamma((n + 1.0) / 2.0) - math.lgamma(n / 2.0) - (n + 1.0) / 2.0 * math.log1p(x * x / n)
    return math.exp(log) / math.sqrt(n * math.pi)


@function("T.DIST.RT", "x:number freedom:number", "scalar")
def t_dist_rt(ctx: Context, x: float, df: float) -> float:
    """The upper tail of t."""
    return special.student_cdf(-x, _freedom(df))


@function("T.DIST.2T", "x:number freedom:number", "scalar")
def t_dist_2t(ctx: Context, x: float, df: float) -> float:
    """Both tails of t; ``#NUM!`` for ``x < 0``."""
    require(x >= 0.0)
    return 2.0 * special.student_cdf(-x, _freedom(df))


@function("TDIST", "x:number freedom:number tails:number", "scalar")
def tdist(ctx: Context, x: float, df: float, tails: float) -> float:
    """One or both tails of t; ``#NUM!`` for ``x < 0`` and other numbers of tails."""
    require(x >= 0.0 and math.trunc(tails) in (1, 2))
    return math.trunc(tails) * special.student_cdf(-x, _freedom(df))


@function("T.INV", "probability:number freedom:number", "scalar")
def t_inv(ctx: Context, p: float, df: float) -> float:
    """The t of which ``p`` lies below; ``#NUM!`` for ``p`` outside 0…1."""
    require(0.0 < p < 1.0)
    return special.student_quantile(p, _freedom(df))


@function("T.INV.2T TINV", "probability:number freedom:number", "scalar")
def t_inv_2t(ctx: Context, p: float, df: float) -> float:
    """The t outside of which ``p`` lies on both sides; ``#NUM!`` for ``p`` outside 0…1."""
    require(0.0 < p <= 1.0)
    return -special.student_quantile(p / 2.0, _freedom(df)) + 0.0


@function("CONFIDENCE.T", "alpha:number standard_dev:number size:number", "scalar")
def confidence_t(ctx: Context, alpha: float, deviation: float, size: float) -> float:
    """Half the width of a mean's confidence interval by t; ``#DIV/0!`` for size 1."""
    require(0.0 < alpha < 1.0 and deviation > 0.0 and size >= 1.0)
    n = math.trunc(size)
    if n == 1:
        raise ExcelError(DIV0)
    return -special.student_quantile(alpha / 2.0, n - 1.0) * deviation / math.sqrt(n)


def _mean_and_variance(numbers: list[float]) -> tuple[float, float]:
    """``#DIV/0!`` below two numbers."""
    if len(numbers) < 2:
        raise ExcelError(DIV0)
    mean = running_sum(numbers) / len(numbers)
    return mean, running_sum([(x - mean) * (x - mean) for x in numbers]) / (len(numbers) - 1)


@function("F.TEST FTEST", "array1:array array2:array", "array")
def f_test(ctx: Context, a: Matrix, b: Matrix) -> float:
    """The two-tailed probability that the variances are one; ``#DIV/0!`` below two numbers or without variation."""
    xs, ys = numbers_in(a), numbers_in(b)
    (_, vx), (_, vy) = _mean_and_variance(xs), _mean_and_variance(ys)
    if vx == 0.0 or vy == 0.0:
        raise ExcelError(DIV0)
    upper = special.f_upper(vx / vy, len(xs) - 1.0, len(ys) - 1.0)
    return 2.0 * min(upper, special.f_cdf(vx / vy, len(xs) - 1.0, len(ys) - 1.0))


def _statistic(a: Matrix, b: Matrix, kind: int) -> tuple[float, float]:
    """``(t, degrees of freedom)``: paired (1), equal variances (2), unequal (3, by Welch)."""
    if kind == 1:
        xs, ys = pairs_in(a, b)
        mean, variance = _mean_and_variance([x - y for x, y in zip(xs, ys, strict=True)])
        squared, freedom = variance / len(xs), len(xs) - 1.0
    else:
        xs, ys = numbers_in(a), numbers_in(b)
        (mx, vx), (my, vy) = _mean_and_variance(xs), _mean_and_variance(ys)
        m, n, mean = len(xs), len(ys), mx - my
        if kind == 2:
            freedom = m + n - 2.0
            squared = ((m - 1) * vx + (n - 1) * vy) / freedom * (1.0 / m + 1.0 / n)
        else:
            sx, sy = vx / m, vy / n
            squared = sx + sy
            freedom = squared * squared / (sx * sx / (m - 1) + sy * sy / (n - 1)) if squared else 1.0
    if squared == 0.0:
        raise ExcelError(DIV0)
    return mean / math.sqrt(squared), freedom


@function("T.TEST TTEST", "array1:array array2:array tails:number type:number", "array")
def t_test(ctx: Context, a: Matrix, b: Matrix, tails: float, kind: float) -> float:
    """The probability that the means do not differ; tails 1 or 2; type 1 paired, 2 equal, 3 unequal variances.

    ``#NUM!`` for other tails or types, ``#N/A`` for pairs of different sizes.
    """
    require(math.trunc(tails) in (1, 2) and math.trunc(kind) in (1, 2, 3))
    t, freedom = _statistic(a, b, math.trunc(kind))
    return math.trunc(tails) * special.student_cdf(-abs(t), freedom)


@function("Z.TEST ZTEST", "array:array x:number sigma:number?", "array")
def z_test(ctx: Context, array: Matrix, x: float, sigma: float | None) -> float:
    """The one-tailed probability of a sample mean at least as large, for a population mean ``x``."""
    numbers = numbers_in(array)
    if not numbers:
        raise ExcelError(NA)
    mean = running_sum(numbers) / len(numbers)
    deviation = math.sqrt(_mean_and_variance(numbers)[1]) if sigma is None else sigma
    if deviation == 0.0:
        raise ExcelError(DIV0)
    return 0.5 * math.erfc((mean - x) / (deviation / math.sqrt(len(numbers))) / math.sqrt(2.0))
