"""Incomplete beta and gamma functions, from the extra ``scipy``, which is loaded at the first call."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.registry import ExcelError
from xlsx_attention.model.values import NUM


@cache
def _special() -> Any:
    try:
        from scipy import special
    except ImportError:
        raise NotComputed("needs-scipy", "a distribution that needs the extra 'scipy'") from None
    return special


def _finite(value: Any) -> float:
    """``#NUM!`` for what is no number."""
    number = float(value)
    if not math.isfinite(number):
        raise ExcelError(NUM)
    return number


def beta_cdf(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    return _finite(_special().betainc(a, b, x))


def beta_upper(x: float, a: float, b: float) -> float:
    """1 − I_x(a, b), precise where it is small."""
    return _finite(_special().betaincc(a, b, x))


def log_beta(a: float, b: float) -> float:
    """ln B(a, b)."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def beta_quantile(p: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = p, made exact by Newton's steps as long as they bring I_x nearer to p."""
    x = _finite(_special().betaincinv(a, b, p))
    gap = beta_cdf(x, a, b) - p
    for _ in range(4):
        if gap == 0.0 or not 0.0 < x < 1.0:
            break
        slope = math.exp((a - 1.0) * math.log(x) + (b - 1.0) * math.log1p(-x) - log_beta(a, b))
        nearer = x - gap / slope if slope > 0.0 else x
        if not 0.0 < nearer < 1.0:
            break
        next_gap = beta_cdf(nearer, a, b) - p
        if abs(next_gap) >= abs(gap):
            break
        x, gap = nearer, next_gap
    return x


def gamma_cdf(x: float, a: float) -> float:
    """The regularised lower incomplete gamma function P(a, x)."""
    return _finite(_special().gammainc(a, x))


def gamma_upper(x: float, a: float) -> float:
    """The regularised upper incomplete gamma function Q(a, x)."""
    return _finite(_special().gammaincc(a, x))


def gamma_quantile(p: float, a: float) -> float:
    """The x with P(a, x) = p."""
    return _finite(_special().gammaincinv(a, p))


def gamma_upper_quantile(p: float, a: float) -> float:
    """The x with Q(a, x) = p."""
    return _finite(_special().gammainccinv(a, p))


def student_cdf(t: float, df: float) -> float:
    """Student's t distribution, also for broken degrees of freedom."""
    return _finite(_special().stdtr(df, t))


def student_quantile(p: float, df: float) -> float:
    return _finite(_special().stdtrit(df, p))


def f_cdf(x: float, df1: float, df2: float) -> float:
    """Fisher's F distribution."""
    return _finite(_special().fdtr(df1, df2, x))


def f_upper(x: float, df1: float, df2: float) -> float:
    return _finite(_special().fdtrc(df1, df2, x))


def f_quantile(p: float, df1: float, df2: float) -> float:
    return _finite(_special().fdtri(df1, df2, p))
