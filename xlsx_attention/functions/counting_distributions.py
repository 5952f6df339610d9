"""Distributions of counts: binomial, negative binomial, Poisson, hypergeometric.

Single probabilities come from the saddle-point expansion (C. Loader, "Fast and accurate computation of binomial
probabilities", 2000), which keeps full precision where products of factorials lose it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from xlsx_attention.functions.registry import Context, ExcelError, function
from xlsx_attention.functions.special import beta_cdf, beta_upper, gamma_upper
from xlsx_attention.model.values import NUM

#: Beyond these a double no longer tells neighbouring counts apart well enough.
_LARGEST_TRIALS: Final = 2.0**40


def _stirling_error(n: int) -> float:
    """``ln n! − ln(√(2πn)·(n/e)^n)``."""
    if n <= 15:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2.0 * math.pi)
    m = float(n) * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / m) / m) / m) / m) / n


def _deviance(x: float, mean: float) -> float:
    """``x·ln(x/mean) + mean − x`` without cancellation."""
    if abs(x - mean) < 0.1 * (x + mean):
        v = (x - mean) / (x + mean)
        total, term = (x - mean) * v, 2.0 * x * v
        for j in range(1, 1000):
            term *= v * v
            more = total + term / (2 * j + 1)
            if more == total:
                return total
            total = more
    return x * math.log(x / mean) + mean - x


def binomial(k: int, n: int, p: float) -> float:
    """The probability of ``k`` successes in ``n`` trials."""
    if p == 0.0:
        return float(k == 0)
    if p == 1.0:
        return float(k == n)
    if k == 0:
        return math.exp(n * math.log1p(-p))
    if k == n:
        return math.exp(n * math.log(p))
    if n <= 60:
        return float(math.comb(n, k) * p**k * (1.0 - p) ** (n - k))
    log = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    log -= _deviance(k, n * p) + _deviance(n - k, n * (1.0 - p))
    return math.exp(log) * math.sqrt(n / (2.0 * math.pi * k * (n - k)))


def _upto(k: int, n: int, p: float) -> float:
    """The probability of at most ``k`` successes."""
    if k < 0:
        return 0.0
    if k >= n or p == 0.0:
        return 1.0
    if p == 1.0:
        return 0.0
    return beta_upper(p, k + 1.0, float(n - k))


def _trials(number: float) -> int:
    if not 0.0 <= number < _LARGEST_TRIALS:
        raise ExcelError(NUM)
    return int(number)


@function("BINOM.DIST BINOMDIST", "successes:number trials:number probability:number cumulative:logical", "scalar")
def binom_dist(ctx: Context, successes: float, trials: float, p: float, is_cumulative: bool) -> float:
    """Exactly, or at most, so many successes; ``#NUM!`` outside 0…trials and for ``p`` outside 0…1."""
    n = _trials(trials)
    if successes < 0.0 or math.trunc(successes) > n or not 0.0 <= p <= 1.0:
        raise ExcelError(NUM)
    k = math.trunc(successes)
    return _upto(k, n, p) if is_cumulative else binomial(k, n, p)


@function("BINOM.DIST.RANGE", "trials:number probability:number successes:number successes2:number?", "scalar")
def binom_dist_range(ctx: Context, trials: float, p: float, successes: float, successes2: float | None) -> float:
    """From ``successes`` to ``successes2`` (exactly ``successes`` where it is left out); ``#NUM!`` as BINOM.DIST."""
    n = _trials(trials)
    first = math.floor(successes)
    last = first if successes2 is None else math.floor(successes2)
    if not 0 <= first <= last <= n or not 0.0 <= p <= 1.0:
        raise ExcelError(NUM)
    if last - first <= 1000:
        total = 0.0
        for k in range(first, last + 1):
            total += binomial(k, n, p)
        return min(total, 1.0)
    return _upto(last, n, p) - _upto(first - 1, n, p)


@function("BINOM.INV CRITBINOM", "trials:number probability:number alpha:number", "scalar")
def binom_inv(ctx: Context, trials: float, p: float, alpha: float) -> float:
    """The least count whose cumulative probability reaches ``alpha``; ``#NUM!`` for ``p`` or ``alpha`` outside 0…1."""
    n = _trials(trials)
    if not 0.0 < p < 1.0 or not 0.0 < alpha < 1.0:
        raise ExcelError(NUM)
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if _upto(middle, n, p) >= alpha:
            high = middle
        else:
            low = middle + 1
    return float(low)


def _negative_binomial(failures: int, successes: int, p: float) -> float:
    n = failures + successes
    return successes / n * binomial(successes, n, p)


@function("NEGBINOM.DIST", "failures:number successes:number probability:number cumulative:logical", "scalar")
def negbinom_dist(ctx: Context, failures: float, successes: float, p: float, is_cumulative: bool) -> float:
    """So many failures (or at most) before the last of so many successes; ``#NUM!`` for ``p`` outside 0…1 (open)."""
    f, s = math.trunc(failures), math.trunc(successes)
    if failures < 0.0 or s < 1 or not 0.0 < p < 1.0:
        raise ExcelError(NUM)
    return beta_cdf(p, float(s), f + 1.0) if is_cumulative else _negative_binomial(f, s, p)


@function("NEGBINOMDIST", "failures:number successes:number probability:number", "scalar")
def negbinomdist(ctx: Context, failures: float, successes: float, p: float) -> float:
    """NEGBINOM.DIST, not cumulative."""
    return negbinom_dist(ctx, failures, successes, p, False)


@function("POISSON.DIST POISSON", "x:number mean:number cumulative:logical", "scalar")
def poisson_dist(ctx: Context, x: float, mean: float, is_cumulative: bool) -> float:
    """Exactly, or at most, ``x`` events; ``#NUM!`` below 0."""
    if x < 0.0 or mean < 0.0:
        raise ExcelError(NUM)
    k = math.trunc(x)
    if mean == 0.0:
        return 1.0 if is_cumulative or k == 0 else 0.0
    if is_cumulative:
        return gamma_upper(mean, k + 1.0)
    if k == 0:
        return math.exp(-mean)
    return math.exp(-_stirling_error(k) - _deviance(float(k), mean)) / math.sqrt(2.0 * math.pi * k)


def _hypergeometric(k: int, draws: int, marked: int, size: int) -> Fraction:
    return Fraction(math.comb(marked, k) * math.comb(size - marked, draws - k), math.comb(size, draws))


@function(
    "HYPGEOM.DIST",
    "successes:number draws:number population_successes:number population:number cumulative:logical",
    "scalar",
)
def hypgeom_dist(
    ctx: Context, successes: float, draws: float, marked: float, size: float, is_cumulative: bool
) -> float:
    """Successes in a sample without replacement; ``#NUM!`` for counts that cannot be, or populations above 10,000."""
    k, n, m, total = (math.trunc(v) for v in (successes, draws, marked, size))
    if not (0 < n <= total <= 10_000 and 0 < m <= total and max(0, n + m - total) <= k <= min(n, m)):
        raise ExcelError(NUM)
    low = max(0, n + m - total) if is_cumulative else k
    return float(sum((_hypergeometric(i, n, m, total) for i in range(low, k + 1)), Fraction(0)))


@function("HYPGEOMDIST", "successes:number draws:number population_successes:number population:number", "scalar")
def hypgeomdist(ctx: Context, successes: float, draws: float, marked: float, size: float) -> float:
    """HYPGEOM.DIST, not cumulative."""
    return hypgeom_dist(ctx, successes, draws, marked, size, False)
