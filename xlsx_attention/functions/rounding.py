"""Rounding, on the decimal digits that Excel shows: 15 significant ones.

``1.005`` is stored a little below; Excel rounds it to 1.01 all the same, since its 15 digits are 1.00500000000000. Most
numbers lie far from such an edge and are rounded by arrays; those at an edge go through exact decimals one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Final

import numpy as np

from xlsx_attention.functions.registry import Context, ExcelError, function
from xlsx_attention.functions.values_of import strict_number
from xlsx_attention.model.values import DIV0, NUM, Floats, Kinds, Scalar

Result = tuple[Floats, Kinds]

#: Nearer to an edge than this, relative to the number, 15 digits cannot tell the sides apart.
_EDGE: Final = 4e-15
#: Powers of ten up to here, and whole numbers up to 2^53, are exact doubles: their quotient is the nearest double.
_EXACT_POWER: Final = 22


def _decimally(x: Floats, digits: Floats, half: bool) -> Floats:
    """``x`` rounded (``half``) or cut off to ``digits`` decimals, toward 0 or half away from 0."""
    x, digits = np.broadcast_arrays(x, np.trunc(digits))
    with np.errstate(all="ignore"):
        power = np.where(np.abs(digits) <= _EXACT_POWER, 10.0 ** np.abs(digits), np.nan)
        scaled = np.abs(np.where(digits >= 0, x * power, x / power))
        # The distance to where the result changes: halves, or whole numbers.
        phase = scaled - np.floor(scaled) - (0.5 if half else 0.0)
        distance = np.abs(phase - np.round(phase))
        whole = np.floor(scaled + 0.5 if half else scaled)
        easy = (distance > _EDGE * scaled) & (scaled < 2.0**52) & np.isfinite(power)
        result = np.copysign(np.where(digits >= 0, whole / power, whole * power), x)
    mode = ROUND_HALF_UP if half else ROUND_DOWN
    for at in np.argwhere(~easy):
        place = tuple(at)
        result[place] = _exactly(float(x[place]), int(max(-400.0, min(400.0, float(digits[place])))), mode)
    return result


def _exactly(x: float, digits: int, mode: str) -> float:
    """Through the 15 significant decimal digits of ``x``."""
    if x == 0.0:
        return 0.0
    shown = Decimal(f"{x:.14e}")
    exponent = -digits
    top = shown.adjusted()
    if exponent <= top - 14:
        return x
    if exponent > top + 1:
        return 0.0
    return float(shown.scaleb(-exponent).to_integral_value(mode).scaleb(exponent))


@function("ROUND", "number:number digits:number", "numeric")
def round_(x: Floats, digits: Floats) -> Floats:
    """To ``digits`` decimals, half away from zero on the decimal digits; digits below 0 round left of the point."""
    return _decimally(x, digits, True)


@function("ROUNDDOWN", "number:number digits:number", "numeric")
def rounddown(x: Floats, digits: Floats) -> Floats:
    """To ``digits`` decimals, toward zero."""
    return _decimally(x, digits, False)


@function("TRUNC", "number:number digits:number=0", "numeric")
def trunc(x: Floats, digits: Floats) -> Floats:
    """Decimals beyond ``digits`` cut off."""
    return _decimally(x, digits, False)


@function("ROUNDUP", "number:number digits:number", "numeric")
def roundup(x: Floats, digits: Floats) -> Floats:
    """To ``digits`` decimals, away from zero: cut off, then one unit more where anything was cut (Excel's sum)."""
    down = _decimally(x, digits, False)
    digits = np.trunc(digits)
    with np.errstate(all="ignore"):
        unit = np.where(digits >= 0, 1.0 / 10.0 ** np.abs(digits), 10.0 ** np.abs(digits))
        cut = np.abs(x - down) > _EDGE * np.abs(x)
        return np.where(cut, down + np.copysign(unit, x), down)


@function("INT", "number:number", "numeric")
def int_(x: Floats) -> Floats:
    """The next whole number at or below; a number within 15 digits of a whole one is that one."""
    near = np.round(x)
    return np.where(np.abs(x - near) <= _EDGE / 4 * np.abs(x), near, np.floor(x))


def _multiple(x: Floats, step: Floats, rounder: Callable[[Floats], Floats]) -> Floats:
    """``step`` times the rounded quotient; a quotient within 15 digits of a whole number is that number."""
    with np.errstate(all="ignore"):
        quotient = np.where(step == 0.0, 0.0, x / np.where(step == 0.0, 1.0, step))
        near = np.round(quotient)
        quotient = np.where(np.abs(quotient - near) <= _EDGE * np.abs(quotient), near, quotient)
        return rounder(quotient) * step


def _half_away(x: Floats) -> Floats:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


@function("MROUND", "number:any multiple:any", "scalar")
def mround(ctx: Context, number: Scalar, multiple: Scalar) -> float:
    """The nearest multiple, half away from zero; ``#NUM!`` where signs differ, ``#VALUE!`` for logicals; 0 for 0."""
    x, step = strict_number(number), strict_number(multiple)
    if x * step < 0.0:
        raise ExcelError(NUM)
    return float(_multiple(np.array([x]), np.array([step]), _half_away)[0])


@function("CEILING", "number:number significance:number", "numeric")
def ceiling(x: Floats, step: Floats) -> Result:
    """The next multiple of ``step``, away from zero where both are negative; 0 for step 0.

    ``#NUM!`` for a positive number and a negative step.
    """
    return _multiple(x, step, np.ceil), np.where((x > 0.0) & (step < 0.0), np.uint8(NUM), np.uint8(0))


@function("FLOOR", "number:number significance:number", "numeric")
def floor(x: Floats, step: Floats) -> Result:
    """The multiple of ``step`` at or below, toward zero where both are negative.

    ``#NUM!`` for a positive number and a negative step, ``#DIV/0!`` for step 0 (0 for number 0).
    """
    kind = np.where((x > 0.0) & (step < 0.0), NUM, np.where((step == 0.0) & (x != 0.0), DIV0, 0))
    return _multiple(x, step, np.floor), kind.astype(np.uint8)


@function("CEILING.MATH", "number:number significance:number=1 mode:number=0", "numeric")
def ceiling_math(x: Floats, step: Floats, mode: Floats) -> Floats:
    """The next multiple of ``|step|`` above; below for a negative number where ``mode`` is not 0."""
    step = np.abs(step)
    return np.where((x < 0.0) & (mode != 0.0), _multiple(x, step, np.floor), _multiple(x, step, np.ceil))


@function("FLOOR.MATH", "number:number significance:number=1 mode:number=0", "numeric")
def floor_math(x: Floats, step: Floats, mode: Floats) -> Floats:
    """The next multiple of ``|step|`` below; above for a negative number where ``mode`` is not 0."""
    step = np.abs(step)
    return np.where((x < 0.0) & (mode != 0.0), _multiple(x, step, np.ceil), _multiple(x, step, np.floor))


@function("CEILING.PRECISE ISO.CEILING", "number:number significance:number=1", "numeric")
def ceiling_precise(x: Floats, step: Floats) -> Floats:
    """The next multiple of ``|step|`` above, whatever the signs."""
    return _multiple(x, np.abs(step), np.ceil)


@function("FLOOR.PRECISE", "number:number significance:number=1", "numeric")
def floor_precise(x: Floats, step: Floats) -> Floats:
    """The next multiple of ``|step|`` below, whatever the signs."""
    return _multiple(x, np.abs(step), np.floor)


@function("EVEN", "number:number", "numeric")
def even(x: Floats) -> Floats:
    """The next even number away from zero."""
    return np.copysign(2.0 * np.ceil(np.abs(x) / 2.0), x)


@function("ODD", "number:number", "numeric")
def odd(x: Floats) -> Floats:
    """The next odd number away from zero; 1 for 0."""
    up = np.maximum(np.ceil((np.abs(x) - 1.0) / 2.0), 0.0)
    # Beyond 2^53 every double is even and stays as it is.
    return np.where(np.abs(x) >= 2.0**53, x, np.copysign(2.0 * up + 1.0, np.where(x == 0.0, 1.0, x)))
