"""Means of other kinds, mean deviation, skewness and kurtosis; two-pass, left to right, for a whole block at once."""

from __future__ import annotations

import math

import numpy as np

from xlsx_attention.functions.aggregates import Result, divide_by_count
from xlsx_attention.functions.registry import function, libm
from xlsx_attention.functions.statistics import squares_about_mean
from xlsx_attention.functions.sums import sum_last, sum_of_products
from xlsx_attention.model.values import DIV0, NA, NUM, Floats


def _deviations(x: Floats, keep: np.ndarray) -> tuple[Floats, Floats]:
    """``(x − mean, n)``; dropped places are 0."""
    n = keep.sum(axis=-1)
    mean = sum_last(x) / np.maximum(n, 1)
    return np.where(keep, x - mean[..., None], 0.0), n


@function("AVEDEV", "number:numbers ...", "reduction")
def avedev(x: Floats, keep: np.ndarray) -> Result:
    """``Σ|x − mean| / n``; ``#NUM!`` without a number."""
    deviation, n = _deviations(x, keep)
    return sum_last(np.abs(deviation)) / np.maximum(n, 1), np.where(n == 0, np.uint8(NUM), np.uint8(0))


@function("GEOMEAN", "number:numbers ...", "reduction")
def geomean(x: Floats, keep: np.ndarray) -> Result:
    """``(x1·x2·…)^(1/n)``; ``#NUM!`` without a number and for one at or below 0."""
    n = keep.sum(axis=-1)
    bad = (n == 0) | (keep & (x <= 0.0)).any(axis=-1)
    factors = np.where(keep & (x > 0.0), x, 1.0)
    product = np.multiply.accumulate(factors, axis=-1)[..., -1] if x.shape[-1] else np.ones(n.shape)
    root = np.fromiter(map(math.pow, product.ravel().tolist(), (1.0 / np.maximum(n, 1)).ravel().tolist()), np.float64)
    root = root.reshape(n.shape)
    # A product beyond the doubles: by logarithms.
    safe = np.isfinite(product) & (product > 1e-300)
    if not safe.all():
        logs = sum_last(libm(math.log, factors)) / np.maximum(n, 1)
        root = np.where(safe, root, libm(math.exp, logs))
    return np.where(bad, 0.0, root), np.where(bad, np.uint8(NUM), np.uint8(0))


@function("HARMEAN", "number:numbers ...", "reduction")
def harmean(x: Floats, keep: np.ndarray) -> Result:
    """``n / Σ(1/x)``; ``#N/A`` without a number, ``#NUM!`` for one at or below 0."""
    n = keep.sum(axis=-1)
    bad = (keep & (x <= 0.0)).any(axis=-1)
    total = sum_last(np.where(keep & (x > 0.0), 1.0 / np.where(x > 0.0, x, 1.0), 0.0))
    kind = np.where(bad, NUM, np.where(n == 0, NA, 0)).astype(np.uint8)
    return np.where(kind > 0, 0.0, n / np.where(total == 0.0, 1.0, total)), kind


def _standard_powers(x: Floats, keep: np.ndarray, power: int, sample: bool) -> tuple[Floats, Floats, np.ndarray]:
    """``(Σ((x − mean)/s)^power, n, where s is 0)``."""
    squares, n = squares_about_mean(x, keep)
    s = np.sqrt(squares / np.maximum(n - (1 if sample else 0), 1))
    deviation, _ = _deviations(x, keep)
    scaled = deviation / np.where(s == 0.0, 1.0, s)[..., None]
    return sum_of_products(*([scaled] * power)), n, s == 0.0


@function("SKEW", "number:numbers ...", "reduction")
def skew(x: Floats, keep: np.ndarray) -> Result:
    """``n / ((n−1)(n−2)) · Σ((x − mean)/s)³``; ``#DIV/0!`` below three numbers or without variation."""
    cubes, n, flat = _standard_powers(x, keep, 3, True)
    bad = flat | (n < 3)
    scale = n / np.where(bad, 1, (n - 1) * (n - 2))
    return np.where(bad, 0.0, cubes * scale), np.where(bad, np.uint8(DIV0), np.uint8(0))


@function("SKEW.P", "number:numbers ...", "reduction")
def skew_p(x: Floats, keep: np.ndarray) -> Result:
    """``Σ((x − mean)/σ)³ / n``; ``#DIV/0!`` below three numbers or without variation."""
    cubes, n, flat = _standard_powers(x, keep, 3, False)
    return divide_by_count(cubes, np.where(flat | (n < 3), 0, n))


@function("KURT", "number:numbers ...", "reduction")
def kurt(x: Floats, keep: np.ndarray) -> Result:
    """``n(n+1)/((n−1)(n−2)(n−3)) · Σ(x − mean)⁴/s⁴ − 3(n−1)²/((n−2)(n−3))``; ``#DIV/0!`` below four numbers."""
    squares, n = squares_about_mean(x, keep)
    deviation, _ = _deviations(x, keep)
    bad = (squares == 0.0) | (n < 4)
    m = np.where(bad, 4, n).astype(np.float64)
    variance = np.where(bad, 1.0, squares / (m - 1))
    fourths = sum_of_products(deviation, deviation, deviation, deviation) / (variance * variance)
    value = m * (m + 1) / ((m - 1) * (m - 2) * (m - 3)) * fourths - 3 * (m - 1) ** 2 / ((m - 2) * (m - 3))
    return np.where(bad, 0.0, value), np.where(bad, np.uint8(DIV0), np.uint8(0))


@function("STANDARDIZE", "x:number mean:number standard_dev:number", "numeric")
def standardize(x: Floats, mean: Floats, deviation: Floats) -> Result:
    """``(x − mean) / s``; ``#NUM!`` for ``s ≤ 0``."""
    bad = deviation <= 0.0
    return (x - mean) / np.where(bad, 1.0, deviation), np.where(bad, np.uint8(NUM), np.uint8(0))


@function("FISHER", "x:number", "numeric")
def fisher(x: Floats) -> Floats:
    """``½·ln((1 + x)/(1 − x))``; ``#NUM!`` at ±1 and beyond."""
    legal = np.abs(x) < 1.0
    inside = np.where(legal, x, 0.0)
    return np.where(legal, 0.5 * libm(math.log, (1.0 + inside) / (1.0 - inside)), np.nan)


@function("FISHERINV", "y:number", "numeric")
def fisherinv(y: Floats) -> Floats:
    """``(e^2y − 1)/(e^2y + 1)``."""
    square = libm(math.exp, 2.0 * np.clip(y, -300.0, 300.0))
    return (square - 1.0) / (square + 1.0)


@function("GAMMALN GAMMALN.PRECISE", "x:number", "numeric")
def gammaln(x: Floats) -> Floats:
    """The logarithm of the gamma function; ``#NUM!`` at 0 and below."""
    legal = x > 0.0
    return np.where(legal, libm(math.lgamma, np.where(legal, x, 1.0)), np.nan)
