"""Hyperbolic functions, put together from exponentials as Excel does where its values show how.

From 1 on SINH is ``(e^x − e^−x)/2`` and TANH ``(e^x − e^−x)/(e^x + e^−x)``, each term rounded: equal to Excel's bits
in all 79 such TANH cells of the public LSTM workbook. Below 1 Excel keeps the digits that the difference would lose,
in a way that no formula tried repeats to the last bit; here it is the difference of ``e^x − 1`` and ``e^−x − 1``.
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


def _parts(x: Floats) -> tuple[Floats, Floats]:
    """``e^x − e^−x`` and ``e^x + e^−x``; the difference below 1 without the digits that cancel."""
    up, down = libm(_EXP, x), libm(_EXP, -x)
    difference = up - down
    small = np.abs(x) < 1.0
    if small.any():
        near = x[small]
        difference[small] = libm(math.expm1, near) - libm(math.expm1, -near)
    return difference, up + down


@function("SINH", "number:number", "numeric")
def sinh(x: Floats) -> Floats:
    """Hyperbolic sine; ``#NUM!`` beyond ±710."""
    return _parts(x)[0] / 2.0


@function("COSH", "number:number", "numeric")
def cosh(x: Floats) -> Floats:
    """Hyperbolic cosine; ``#NUM!`` beyond ±710."""
    return _parts(x)[1] / 2.0


@function("TANH", "number:number", "numeric")
def tanh(x: Floats) -> Floats:
    """Hyperbolic tangent; ±1 beyond ±350."""
    difference, total = _parts(np.clip(x, -350.0, 350.0))
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
    return 1.0 / (_parts(x)[1] / 2.0)


@function("CSCH", "number:number", "numeric")
def csch(x: Floats) -> tuple[Floats, Kinds]:
    """``1 / sinh x``; ``#DIV/0!`` at 0."""
    return _reciprocal(_parts(x)[0] / 2.0)


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
