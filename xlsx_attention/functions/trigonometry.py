"""Circular functions as Excel computes them.

Excel reduces angles by multiples of π/2 with π to 64 bits, as the old arithmetic coprocessor holds it: its
``=SIN(PI()-1E-12)`` differs from the true sine in the eighth digit. The C library's reduction is exact, so the
difference of the two π, times the number of quarters, is put back. Source: Excel's values in IronCalc's
``TRIGONOMETRIC.xlsx`` (with the true π 37 of 49 different cells of SEC, CSC and COT are equal to the bit, with this
one 46) and the positional encodings of the public transformer workbook (78 of 78).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from xlsx_attention.functions.registry import function, libm, safely
from xlsx_attention.model.values import DIV0, NUM, Floats, Kinds

#: Excel refuses angles from here on (#NUM!).
LARGEST_ANGLE: Final = 2.0**27

#: π/2 less its value to 64 bits, 0xC90FDAA22168C235 · 2⁻⁶³.
_QUARTER_ERROR: Final = -2.508278806334166e-20


def _turned(x: Floats) -> Floats:
    """How far Excel's angle lies from ``x``: its quarters are too long."""
    return np.rint(x / (math.pi / 2.0)) * _QUARTER_ERROR


def _in_range(x: Floats) -> Floats:
    """``x``, NaN (which becomes ``#NUM!``) for angles out of range."""
    return np.where(np.abs(x) < LARGEST_ANGLE, x, np.nan)


@function("SIN", "number:number", "numeric")
def sin(x: Floats) -> Floats:
    """Sine of an angle in radians; ``#NUM!`` from 2^27 on."""
    x = _in_range(x)
    sine = libm(math.sin, x)
    # The correction is far below the last bit unless the sine is near 0, where the cosine is near 1.
    return sine + _turned(x) * libm(math.cos, x) if (np.abs(x) > 0.75).any() else sine


@function("COS", "number:number", "numeric")
def cos(x: Floats) -> Floats:
    """Cosine of an angle in radians; ``#NUM!`` from 2^27 on."""
    x = _in_range(x)
    cosine = libm(math.cos, x)
    return cosine - _turned(x) * libm(math.sin, x) if (np.abs(x) > 0.75).any() else cosine


@function("TAN", "number:number", "numeric")
def tan(x: Floats) -> Floats:
    """Tangent of an angle in radians; ``#NUM!`` from 2^27 on."""
    x = _in_range(x)
    tangent, turned = libm(math.tan, x), _turned(x)
    with np.errstate(all="ignore"):
        steep = 1.0 / tangent
        steep = 1.0 / (steep - turned * (1.0 + steep * steep))
        return np.where(np.abs(tangent) <= 1.0, tangent + turned * (1.0 + tangent * tangent), steep)


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


def _reciprocal(x: Floats, below: Floats) -> tuple[Floats, Kinds]:
    """``1 / below``; ``#DIV/0!`` at 0, ``#NUM!`` for angles out of range."""
    zero = below == 0.0
    value = 1.0 / np.where(zero, 1.0, below)
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
    """``1 / (sin x / cos x)``; ``#DIV/0!`` at 0, ``#NUM!`` from 2^27 on."""
    return _reciprocal(x, sin(x) / cos(x))


@function("ACOT", "number:number", "numeric")
def acot(x: Floats) -> Floats:
    """The principal value of the inverse cotangent, between 0 and π."""
    zero = x == 0.0
    angle = libm(math.atan, 1.0 / np.where(zero, 1.0, x))
    return np.where(zero, math.pi / 2.0, np.where(x < 0.0, angle + math.pi, angle))


@function("RADIANS", "angle:number", "numeric")
def radians(x: Floats) -> Floats:
    """Degrees to radians."""
    return x * math.pi / 180.0


@function("DEGREES", "angle:number", "numeric")
def degrees(x: Floats) -> Floats:
    """Radians to degrees."""
    return x * 180.0 / math.pi
