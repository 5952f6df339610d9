"""Circular and hyperbolic functions, by the C library."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from xlsx_attention.functions.registry import function, libm, safely
from xlsx_attention.model.values import DIV0, NUM, Floats, Kinds

#: Excel refuses angles from here on: "the argument is out of range" (#NUM!).
LARGEST_ANGLE: Final = 2.0**27


def _angle(body: Callable[[float], float], x: Floats) -> Floats:
    return safely(body, x, np.abs(x) < LARGEST_ANGLE, 0.0)


@function("SIN", "number:number", "numeric")
def sin(x: Floats) -> Floats:
    """Sine of an angle in radians; ``#NUM!`` from 2^27 on."""
    return _angle(math.sin, x)


@function("COS", "number:number", "numeric")
def cos(x: Floats) -> Floats:
    """Cosine of an angle in radians; ``#NUM!`` from 2^27 on."""
    return _angle(math.cos, x)


@function("TAN", "number:number", "numeric")
def tan(x: Floats) -> Floats:
    """Tangent of an angle in radians; ``#NUM!`` from 2^27 on."""
    return _angle(math.tan, x)


@function("ASIN", "number:number", "numeric")
def asin(x: Floats) -> Floats:
    """Arcsine; ``#NUM!`` outside −1…1."""
    return safely(math.asin, x, np.abs(x) <= 1.0, 0.0)


@function("ACOS", "number:number", "numeric")
def acos(x: Floats) -> Floats:
    """Arccosine; ``#NUM!`` outside −1…1."""
    return safely(math.acos, x, np.abs(x) <= 1.0, 0.0)


@function("ATAN", "number:number", "numeric")
def atan(x: Floats) -> Floats:
    """Arctangent."""
    return libm(math.atan, x)


@function("ATAN2", "x:number y:number", "numeric")
def atan2(x: Floats, y: Floats) -> tuple[Floats, Kinds]:
    """The angle of the point (x, y), in that order; ``#DIV/0!`` for (0, 0)."""
    x, y = np.broadcast_arrays(x, y)
    angle = np.fromiter(map(math.atan2, y.ravel().tolist(), x.ravel().tolist()), np.float64, x.size).reshape(x.shape)
    return angle, np.where((x == 0.0) & (y == 0.0), np.uint8(DIV0), np.uint8(0))


def _unbounded(body: Callable[[float], float]) -> Callable[[float], float]:
    def call(x: float) -> float:
        try:
            return body(x)
        except OverflowError:
            return math.inf

    return call


_SINH, _COSH = _unbounded(math.sinh), _unbounded(math.cosh)


@function("SINH", "number:number", "numeric")
def sinh(x: Floats) -> Floats:
    """Hyperbolic sine; ``#NUM!`` beyond ±710."""
    return libm(_SINH, x)


@function("COSH", "number:number", "numeric")
def cosh(x: Floats) -> Floats:
    """Hyperbolic cosine; ``#NUM!`` beyond ±710."""
    return libm(_COSH, x)


@function("TANH", "number:number", "numeric")
def tanh(x: Floats) -> Floats:
    """Hyperbolic tangent."""
    return libm(math.tanh, x)


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


def _reciprocal(x: Floats, below: Floats, above: Floats | float = 1.0) -> tuple[Floats, Kinds]:
    """``above / below``; ``#DIV/0!`` at 0, ``#NUM!`` for angles out of range."""
    zero = below == 0.0
    with np.errstate(all="ignore"):
        value = above / np.where(zero, 1.0, below)
    return value, np.where(np.abs(x) >= LARGEST_ANGLE, NUM, np.where(zero, DIV0, 0)).astype(np.uint8)


@function("SEC", "number:number", "numeric")
def sec(x: Floats) -> tuple[Floats, Kinds]:
    """``1 / cos x``; ``#NUM!`` from 2^27 on."""
    return _reciprocal(x, cos(x))


@function("CSC", "number:number", "numeric")
def csc(x: Floats) -> tuple[Floats, Kinds]:
    """``1 / sin x``; ``#DIV/0!`` at 0, ``#NUM!`` from 2^27 on."""
    return _reciprocal(x, sin(x))


@function("COT", "number:number", "numeric")
def cot(x: Floats) -> tuple[Floats, Kinds]:
    """``1 / tan x``; ``#DIV/0!`` at 0, ``#NUM!`` from 2^27 on."""
    return _reciprocal(x, tan(x))


@function("SECH", "number:number", "numeric")
def sech(x: Floats) -> tuple[Floats, Kinds]:
    """``1 / cosh x``; ``#NUM!`` from 2^27 on."""
    return _reciprocal(x, cosh(x))


@function("CSCH", "number:number", "numeric")
def csch(x: Floats) -> tuple[Floats, Kinds]:
    """``1 / sinh x``; ``#DIV/0!`` at 0, ``#NUM!`` from 2^27 on."""
    return _reciprocal(x, sinh(x))


@function("COTH", "number:number", "numeric")
def coth(x: Floats) -> tuple[Floats, Kinds]:
    """``1 / tanh x``; ``#DIV/0!`` at 0, ``#NUM!`` from 2^27 on."""
    return _reciprocal(x, libm(math.tanh, x))


@function("ACOT", "number:number", "numeric")
def acot(x: Floats) -> Floats:
    """The principal value of the inverse cotangent, between 0 and π."""
    return math.pi / 2 - libm(math.atan, x)


@function("ACOTH", "number:number", "numeric")
def acoth(x: Floats) -> Floats:
    """Inverse hyperbolic cotangent; ``#NUM!`` within −1…1."""
    legal = np.abs(x) > 1.0
    return safely(math.atanh, 1.0 / np.where(legal, x, 2.0), legal, 0.0)


@function("RADIANS", "angle:number", "numeric")
def radians(x: Floats) -> Floats:
    """Degrees to radians."""
    return x * math.pi / 180.0


@function("DEGREES", "angle:number", "numeric")
def degrees(x: Floats) -> Floats:
    """Radians to degrees."""
    return x * 180.0 / math.pi
