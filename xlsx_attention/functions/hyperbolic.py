"""Hyperbolic functions, put together from exponentials as Excel does.

From 1 on SINH is ``(e^x − e^−x)/2`` and TANH ``(e^x − e^−x)/(e^x + e^−x)``. Below 1, where that difference loses
digits, ``e^x − 1`` is taken by W. Kahan's formula ``(e^x − 1)·x / ln e^x``. With this all 209 different TANH cells of
the public LSTM workbook are equal to Excel's to the bit, and the CSCH and COTH cells of IronCalc's
``TRIGONOMETRIC.xlsx`` (the C library's ``tanh``: 84 of 209).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from xlsx_attention.functions.registry import function, libm, safely
from xlsx_attention.model.values import DIV0, Floats, Kinds


def _unbounded(body: Callable[[float], float]) -> Callable[[float], float]:
    def call(x: float) -> float:
        try:
            return body(x)
        except OverflowError:
            return math.inf

    return call


_EXP = _unbounded(math.exp)


def _less_one(x: float) -> float:
    """``e^x − 1``: the rounding of ``e^x`` cancels against that of its logarithm."""
    power = math.exp(x)
    return x if power == 1.0 else (power - 1.0) * x / math.log(power)


def _difference_and_sum(x: Floats) -> tuple[Floats, Floats]:
    """``e^x − e^−x`` and ``e^x + e^−x``."""
    up, down = libm(_EXP, x), libm(_EXP, -x)
    difference, total = up - down, up + down
    small = np.abs(x) < 1.0
    if small.any():
        near = x[small]
        up, down = libm(_less_one, near), libm(_less_one, -near)
        difference[small], total[small] = up - down, up + down + 2.0
    return difference, total


@function("SINH", "number:number", "numeric")
def sinh(x: Floats) -> Floats:
    """Hyperbolic sine; ``#NUM!`` beyond ±710."""
    return _difference_and_sum(x)[0] / 2.0


@function("COSH", "number:number", "numeric")
def cosh(x: Floats) -> Floats:
    """Hyperbolic cosine; ``#NUM!`` beyond ±710."""
    return (libm(_EXP, x) + libm(_EXP, -x)) / 2.0


@function("TANH", "number:number", "numeric")
def tanh(x: Floats) -> Floats:
    """Hyperbolic tangent; ±1 beyond ±350."""
    difference, total = _difference_and_sum(np.clip(x, -350.0, 350.0))
    return difference / total


@function("ASINH", "number:number", "numeric")
def asinh(x: Floats) -> Floats:
    """Inverse hyperbolic sine."""
    return libm(math.asinh, x)


@function("ACOSH", "number:number", "numeric")
def acosh(x: Floats) -> Floats:
    """Inverse hyperbolic cosine; ``#NUM!`` below 1."""
    return safely(math.acosh, x, x >= 1.0, 1.0)


@function("ATANH", "number:number", "numeric")
def atanh(x: Floats) -> Floats:
    """Inverse hyperbolic tangent; ``#NUM!`` at ±1 and beyond."""
    return safely(math.atanh, x, np.abs(x) < 1.0, 0.0)


def _reciprocal(below: Floats) -> tuple[Floats, Kinds]:
    """``1 / below``; ``#DIV/0!`` at 0."""
    zero = below == 0.0
    return 1.0 / np.where(zero, 1.0, below), np.where(zero, np.uint8(DIV0), np.uint8(0))


@function("SECH", "number:number", "numeric")
def sech(x: Floats) -> Floats:
    """``1 / cosh x``."""
    return 1.0 / cosh(x)


@function("CSCH", "number:number", "numeric")
def csch(x: Floats) -> tuple[Floats, Kinds]:
    """``1 / sinh x``; ``#DIV/0!`` at 0."""
    return _reciprocal(sinh(x))


@function("COTH", "number:number", "numeric")
def coth(x: Floats) -> tuple[Floats, Kinds]:
    """``1 / tanh x``; ``#DIV/0!`` at 0."""
    return _reciprocal(tanh(x))


@function("ACOTH", "number:number", "numeric")
def acoth(x: Floats) -> Floats:
    """Inverse hyperbolic cotangent, ``½·ln((x + 1)/(x − 1))``; ``#NUM!`` within −1…1."""
    legal = np.abs(x) > 1.0
    size = np.where(legal, np.abs(x), 2.0)
    return np.where(legal, np.copysign(0.5 * libm(math.log1p, 2.0 / (size - 1.0)), x), np.nan)
