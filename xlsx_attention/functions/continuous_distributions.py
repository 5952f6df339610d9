"""Exponential, Weibull, lognormal, gamma and beta distributions."""

from __future__ import annotations

import math

from xlsx_attention.functions import normal, special
from xlsx_attention.functions.registry import Context, ExcelError, function
from xlsx_attention.model.values import NUM


def require(condition: bool) -> None:
    """``#NUM!`` unless a parameter is in its domain."""
    if not condition:
        raise ExcelError(NUM)


@function("EXPON.DIST EXPONDIST", "x:number lambda:number cumulative:logical", "scalar")
def expon_dist(ctx: Context, x: float, rate: float, is_cumulative: bool) -> float:
    """``1 − e^(−λx)``, or the density ``λ·e^(−λx)``; ``#NUM!`` for ``x < 0`` and ``λ ≤ 0``."""
    require(x >= 0.0 and rate > 0.0)
    return -math.expm1(-rate * x) if is_cumulative else rate * math.exp(-rate * x)


@function("WEIBULL.DIST WEIBULL", "x:number alpha:number beta:number cumulative:logical", "scalar")
def weibull_dist(ctx: Context, x: float, alpha: float, beta: float, is_cumulative: bool) -> float:
    """``1 − e^(−(x/β)^α)``, or the density; ``#NUM!`` for ``x < 0`` and parameters at or below 0."""
    require(x >= 0.0 and alpha > 0.0 and beta > 0.0)
    try:
        scaled = math.pow(x / beta, alpha)
        if is_cumulative:
            return -math.expm1(-scaled)
        return alpha / beta * math.pow(x / beta, alpha - 1.0) * math.exp(-scaled)
    except (OverflowError, ValueError):
        raise ExcelError(NUM) from None


@function("LOGNORM.DIST", "x:number mean:number standard_dev:number cumulative:logical", "scalar")
def lognorm_dist(ctx: Context, x: float, mean: float, deviation: float, is_cumulative: bool) -> float:
    """The normal distribution of ``ln x``; ``#NUM!`` for ``x ≤ 0`` and ``s ≤ 0``."""
    require(x > 0.0 and deviation > 0.0)
    z = (math.log(x) - mean) / deviation
    return normal.cumulative(z) if is_cumulative else normal.density(z) / (deviation * x)


@function("LOGNORMDIST", "x:number mean:number standard_dev:number", "scalar")
def lognormdist(ctx: Context, x: float, mean: float, deviation: float) -> float:
    """LOGNORM.DIST, cumulative."""
    return lognorm_dist(ctx, x, mean, deviation, True)


@function("LOGNORM.INV LOGINV", "probability:number mean:number standard_dev:number", "scalar")
def lognorm_inv(ctx: Context, p: float, mean: float, deviation: float) -> float:
    """``e^(mean + s·Φ⁻¹(p))``; ``#NUM!`` for ``p`` outside 0…1 and ``s ≤ 0``."""
    require(deviation > 0.0)
    return math.exp(mean + deviation * normal.quantile(p))


@function("GAMMA", "x:number", "scalar")
def gamma(ctx: Context, x: float) -> float:
    """The gamma function; ``#NUM!`` for 0 and negative whole numbers."""
    try:
        return math.gamma(x)
    except (OverflowError, ValueError):
        raise ExcelError(NUM) from None


@function("GAMMA.DIST GAMMADIST", "x:number alpha:number beta:number cumulative:logical", "scalar")
def gamma_dist(ctx: Context, x: float, alpha: float, beta: float, is_cumulative: bool) -> float:
    """The gamma distribution with shape α and scale β; ``#NUM!`` for ``x < 0`` and parameters at or below 0."""
    require(x >= 0.0 and alpha > 0.0 and beta > 0.0)
    if is_cumulative:
        return special.gamma_cdf(x / beta, alpha)
    if x == 0.0:
        require(alpha >= 1.0)
        return 1.0 / beta if alpha == 1.0 else 0.0
    return math.exp((alpha - 1.0) * math.log(x / beta) - x / beta - math.lgamma(alpha)) / beta


@function("GAMMA.INV GAMMAINV", "probability:number alpha:number beta:number", "scalar")
def gamma_inv(ctx: Context, p: float, alpha: float, beta: float) -> float:
    """The x of which ``p`` lies below; ``#NUM!`` for ``p`` outside 0…1 and parameters at or below 0."""
    require(0.0 <= p < 1.0 and alpha > 0.0 and beta > 0.0)
    return beta * special.gamma_quantile(p, alpha)


@function("BETA.DIST", "x:number alpha:number beta:number cumulative:logical lower:number=0 upper:number=1", "scalar")
def beta_dist(ctx: Context, x: float, a: float, b: float, is_cumulative: bool, lower: float, upper: float) -> float:
    """The beta distribution on ``lower…upper``; ``#NUM!`` outside it and for parameters at or below 0."""
    require(a > 0.0 and b > 0.0 and lower < upper and lower <= x <= upper)
    width = upper - lower
    part = (x - lower) / width
    if is_cumulative:
        return special.beta_cdf(part, a, b)
    rest = (upper - x) / width
    require((part > 0.0 or a >= 1.0) and (rest > 0.0 or b >= 1.0))
    return math.pow(part, a - 1.0) * math.pow(rest, b - 1.0) * math.exp(-special.log_beta(a, b)) / width


@function("BETADIST", "x:number alpha:number beta:number lower:number=0 upper:number=1", "scalar")
def betadist(ctx: Context, x: float, a: float, b: float, lower: float, upper: float) -> float:
    """BETA.DIST, cumulative."""
    return beta_dist(ctx, x, a, b, True, lower, upper)


@function("BETA.INV BETAINV", "probability:number alpha:number beta:number lower:number=0 upper:number=1", "scalar")
def beta_inv(ctx: Context, p: float, a: float, b: float, lower: float, upper: float) -> float:
    """The x of which ``p`` lies below; ``#NUM!`` for ``p`` outside 0…1 (open) and parameters at or below 0."""
    require(0.0 < p < 1.0 and a > 0.0 and b > 0.0 and lower < upper)
    return lower + special.beta_quantile(p, a, b) * (upper - lower)
