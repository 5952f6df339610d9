"""The normal distribution and the error function, by the C library's ``erfc``."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

from xlsx_attention.functions.registry import Context, ExcelError, function
from xlsx_attention.functions.values_of import strict_number
from xlsx_attention.model.values import NUM, Scalar

_STANDARD: Final = NormalDist()
_ROOT_TWO_PI: Final = math.sqrt(2.0 * math.pi)


def cumulative(z: float) -> float:
    """Φ(z), to full relative precision in the lower tail."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def density(z: float) -> float:
    """φ(z) = e^(−z²/2) / √(2π)."""
    return math.exp(-0.5 * z * z) / _ROOT_TWO_PI if abs(z) < 1e100 else 0.0


def quantile(p: float) -> float:
    """Φ⁻¹(p): algorithm AS 241, then one step of Newton's; ``#NUM!`` outside 0…1."""
    if not 0.0 < p < 1.0:
        raise ExcelError(NUM)
    z = _STANDARD.inv_cdf(p)
    slope = density(z)
    return z - (cumulative(z) - p) / slope if slope > 1e-300 and z < 0.0 else z


@function("NORM.DIST NORMDIST", "x:number mean:number standard_dev:number cumulative:logical", "scalar")
def norm_dist(ctx: Context, x: float, mean: float, deviation: float, is_cumulative: bool) -> float:
    """Φ((x − mean)/s), or the density; ``#NUM!`` for ``s ≤ 0``."""
    if deviation <= 0.0:
        raise ExcelError(NUM)
    z = (x - mean) / deviation
    return cumulative(z) if is_cumulative else density(z) / deviation


@function("NORM.S.DIST", "z:number cumulative:logical", "scalar")
def norm_s_dist(ctx: Context, z: float, is_cumulative: bool) -> float:
    """Φ(z), or the density."""
    return cumulative(z) if is_cumulative else density(z)


@function("NORMSDIST", "z:number", "scalar")
def normsdist(ctx: Context, z: float) -> float:
    """Φ(z)."""
    return cumulative(z)


@function("NORM.INV NORMINV", "probability:number mean:number standard_dev:number", "scalar")
def norm_inv(ctx: Context, p: float, mean: float, deviation: float) -> float:
    """The x of which ``p`` lies below; ``#NUM!`` for ``p`` outside 0…1 and ``s ≤ 0``."""
    if deviation <= 0.0:
        raise ExcelError(NUM)
    return mean + quantile(p) * deviation


@function("NORM.S.INV NORMSINV", "probability:number", "scalar")
def norm_s_inv(ctx: Context, p: float) -> float:
    """The z of which ``p`` lies below; ``#NUM!`` for ``p`` outside 0…1."""
    return quantile(p)


@function("PHI", "x:number", "scalar")
def phi(ctx: Context, x: float) -> float:
    """The density of the standard normal distribution."""
    return density(x)


@function("GAUSS", "z:number", "scalar")
def gauss(ctx: Context, z: float) -> float:
    """Φ(z) − ½."""
    return 0.5 * math.erf(z / math.sqrt(2.0))


@function("ERF", "lower:any upper:any?", "scalar")
def erf(ctx: Context, lower: Scalar, upper: Scalar | None) -> float:
    """The error function from 0 to ``lower``, or from ``lower`` to ``upper``; ``#VALUE!`` for logicals."""
    first = math.erf(strict_number(lower))
    return first if upper is None else math.erf(strict_number(upper)) - first


@function("ERF.PRECISE", "x:any", "scalar")
def erf_precise(ctx: Context, x: Scalar) -> float:
    """The error function from 0 to ``x``; ``#VALUE!`` for logicals."""
    return math.erf(strict_number(x))


@function("ERFC ERFC.PRECISE", "x:any", "scalar")
def erfc(ctx: Context, x: Scalar) -> float:
    """1 − ERF(x), precise in the tail; ``#VALUE!`` for logicals."""
    return math.erfc(strict_number(x))


@function("CONFIDENCE CONFIDENCE.NORM", "alpha:number standard_dev:number size:number", "scalar")
def confidence(ctx: Context, alpha: float, deviation: float, size: float) -> float:
    """Half the width of a mean's confidence interval; ``#NUM!`` for ``alpha`` outside 0…1, ``s ≤ 0``, size below 1."""
    if not 0.0 < alpha < 1.0 or deviation <= 0.0 or size < 1.0:
        raise ExcelError(NUM)
    return -quantile(alpha / 2.0) * deviation / math.sqrt(math.trunc(size))
