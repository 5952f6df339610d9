"""Powers, roots, exponentials, logarithms and signs. The C library computes them, as it does for Excel, bit for bit."""

from __future__ import annotations

import math

import numpy as np

from xlsx_attention.functions.operators import power as power_operator
from xlsx_attention.functions.registry import Context, ExcelError, function, libm, safely
from xlsx_attention.functions.values_of import strict_number
from xlsx_attention.model.values import DIV0, NUM, Floats, Kinds, Scalar


@function("ABS", "number:number", "numeric")
def abs_(x: Floats) -> Floats:
    """``|x|``."""
    return np.abs(x)


@function("SIGN", "number:number", "numeric")
def sign(x: Floats) -> Floats:
    """1, 0 or −1."""
    return np.sign(x)


@function("SQRT", "number:number", "numeric")
def sqrt(x: Floats) -> Floats:
    """``√x``, correctly rounded everywhere; ``#NUM!`` below 0."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(x)


@function("SQRTPI", "number:any", "scalar")
def sqrtpi(ctx: Context, number: Scalar) -> float:
    """``√(x·π)``; ``#NUM!`` below 0, ``#VALUE!`` for logicals."""
    x = strict_number(number)
    if x < 0.0:
        raise ExcelError(NUM)
    return math.sqrt(x * math.pi)


@function("POWER", "number:number power:number", "numeric")
def power(x: Floats, y: Floats) -> tuple[Floats, Kinds]:
    """``x^y``; ``0^0`` is ``#NUM!``, ``0^-1`` is ``#DIV/0!``, a negative base with a broken exponent ``#NUM!``."""
    return power_operator(x, y)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


@function("EXP", "number:number", "numeric")
def exp(x: Floats) -> Floats:
    """``e^x``; ``#NUM!`` above 709.78."""
    return libm(_exp if x.size and x.max() > 709.0 else math.exp, x)


@function("LN", "number:number", "numeric")
def ln(x: Floats) -> Floats:
    """The natural logarithm; ``#NUM!`` at 0 and below."""
    return safely(math.log, x, x > 0.0, 1.0)


@function("LOG10", "number:number", "numeric")
def log10(x: Floats) -> Floats:
    """The logarithm to base 10; ``#NUM!`` at 0 and below."""
    return safely(math.log10, x, x > 0.0, 1.0)


@function("LOG", "number:number base:number=10", "numeric")
def log(x: Floats, base: Floats) -> tuple[Floats, Kinds]:
    """``ln x / ln base``, by ``log10`` for base 10; ``#NUM!`` at 0 and below for either, ``#DIV/0!`` for base 1."""
    legal = (x > 0.0) & (base > 0.0)
    x, base = np.broadcast_arrays(x, base)
    below = safely(math.log, base, base > 0.0, 2.0)
    one = legal & (below == 0.0)
    with np.errstate(all="ignore"):
        quotient = ln(x) / np.where(one, 1.0, below)
    ten = base == 10.0
    if ten.any():
        quotient = np.where(ten, log10(x), quotient)
    return np.where(legal & ~one, quotient, 0.0), np.where(one, DIV0, np.where(legal, 0, NUM)).astype(np.uint8)


@function("PI", "", "numeric")
def pi() -> Floats:
    """π to 15 decimals: 3.141592653589793."""
    return np.full((1, 1, 1, 1), math.pi)
