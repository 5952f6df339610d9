"""Whole numbers: remainders, divisors, factorials, combinations, and sums of powers."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from xlsx_attention.functions.registry import Context, Evaluator, ExcelError, Matrix, Operand, function
from xlsx_attention.functions.values_of import strict_number, strict_numbers
from xlsx_attention.model.values import DIV0, EMPTY, NUM, VALUE, Floats, Kinds, Scalar

#: Whole numbers above this are no longer told apart.
_LARGEST: Final = 2.0**53
#: Sets from which something is chosen are smaller (#NUM!).
_LARGEST_SET: Final = 2**31


@function("MOD", "number:number divisor:number", "numeric")
def mod(x: Floats, y: Floats) -> tuple[Floats, Kinds]:
    """The remainder with the divisor's sign; ``#DIV/0!`` for 0, ``#NUM!`` where the quotient exceeds 2^53."""
    zero = y == 0.0
    divisor = np.where(zero, 1.0, y)
    remainder = np.fmod(x, divisor)
    remainder = np.where((remainder != 0.0) & ((remainder < 0.0) != (divisor < 0.0)), remainder + divisor, remainder)
    too_large = np.abs(x) >= np.abs(divisor) * _LARGEST
    return remainder, np.where(zero, DIV0, np.where(too_large, NUM, 0)).astype(np.uint8)


@function("QUOTIENT", "numerator:any denominator:any", "scalar")
def quotient(ctx: Context, numerator: Scalar, denominator: Scalar) -> float:
    """The whole part of the quotient; ``#DIV/0!`` for 0, ``#VALUE!`` for logicals."""
    x, y = strict_number(numerator), strict_number(denominator)
    if y == 0.0:
        raise ExcelError(DIV0)
    return float(math.trunc(x / y))


def _whole(numbers: list[float]) -> list[int]:
    """Cut to whole numbers; ``#NUM!`` below 0 or from 2^53 on."""
    if any(n < 0.0 or n >= _LARGEST for n in numbers):
        raise ExcelError(NUM)
    return [int(n) for n in numbers]


@function("GCD", "number:values ...", "reference")
def gcd(ev: Evaluator, *operands: Operand) -> Operand:
    """The greatest common divisor of numbers cut to whole; ``#NUM!`` below 0, ``#VALUE!`` for logicals."""
    return ev.from_python(float(math.gcd(*_whole(strict_numbers(ev, operands)))))


@function("LCM", "number:values ...", "reference")
def lcm(ev: Evaluator, *operands: Operand) -> Operand:
    """The least common multiple of numbers cut to whole; ``#NUM!`` below 0 or past 2^53, ``#VALUE!`` for logicals."""
    result = math.lcm(*_whole(strict_numbers(ev, operands)))
    if result >= _LARGEST:
        raise ExcelError(NUM)
    return ev.from_python(float(result))


@function("FACT", "number:number", "scalar")
def fact(ctx: Context, number: float) -> float:
    """``n!`` of a number cut to whole; ``#NUM!`` below 0 and above 170."""
    if not 0.0 <= number < 171.0:
        raise ExcelError(NUM)
    return float(math.factorial(int(number)))


@function("FACTDOUBLE", "number:any", "scalar")
def factdouble(ctx: Context, number: Scalar) -> float:
    """``n·(n−2)·(n−4)·…``, 1 for 0 and −1; ``#NUM!`` below −1 and above 300, ``#VALUE!`` for logicals."""
    n = math.trunc(strict_number(number))
    if not -1 <= n <= 300:
        raise ExcelError(NUM)
    return float(math.prod(range(n, 0, -2)))


def _choose(n: int, k: int) -> float:
    """``n! / (k!·(n−k)!)``; ``#NUM!`` past the largest double."""
    if min(k, n - k) > 1100:
        raise ExcelError(NUM)  # already C(2200, 1100) has 661 digits
    try:
        return float(math.comb(n, k))
    except OverflowError:
        raise ExcelError(NUM) from None


@function("COMBIN", "number:number chosen:number", "scalar")
def combin(ctx: Context, number: float, chosen: float) -> float:
    """Ways to choose ``k`` of ``n``; ``#NUM!`` for negative numbers and ``k > n``."""
    if number < 0.0 or chosen < 0.0 or int(number) < int(chosen) or number >= _LARGEST_SET:
        raise ExcelError(NUM)
    return _choose(int(number), int(chosen))


@function("COMBINA", "number:number chosen:number", "scalar")
def combina(ctx: Context, number: float, chosen: float) -> float:
    """Ways to choose ``k`` of ``n`` with repetition, ``C(n + k − 1, k)``; ``#NUM!`` for negative numbers and 0 of which
    some are chosen."""
    n, k = math.trunc(number), math.trunc(chosen)
    if number < 0.0 or chosen < 0.0 or (n == 0 and k > 0) or max(n, k) >= _LARGEST_SET:
        raise ExcelError(NUM)
    return 1.0 if k == 0 else _choose(n + k - 1, k)


@function("PERMUT", "number:number chosen:number", "scalar")
def permut(ctx: Context, number: float, chosen: float) -> float:
    """``n! / (n − k)!``; ``#NUM!`` for ``n ≤ 0``, ``k < 0`` and ``k > n``."""
    n, k = math.trunc(number), math.trunc(chosen)
    if number < 0.0 or chosen < 0.0 or n < k or n >= _LARGEST_SET:
        raise ExcelError(NUM)
    result = 1.0
    for i in range(k):
        result *= n - i
        if result == math.inf:
            raise ExcelError(NUM)
    return result


@function("PERMUTATIONA", "number:number chosen:number", "scalar")
def permutationa(ctx: Context, number: float, chosen: float) -> float:
    """``n^k``; ``#NUM!`` for negative numbers."""
    n, k = math.trunc(number), math.trunc(chosen)
    if number < 0.0 or chosen < 0.0 or max(n, k) >= _LARGEST_SET:
        raise ExcelError(NUM)
    try:
        return float(n) ** k
    except OverflowError:
        raise ExcelError(NUM) from None


@function("MULTINOMIAL", "number:values ...", "reference")
def multinomial(ev: Evaluator, *operands: Operand) -> Operand:
    """``(a + b + …)! / (a!·b!·…)`` of numbers cut to whole; ``#NUM!`` below 0, ``#VALUE!`` for logicals."""
    whole = _whole(strict_numbers(ev, operands))
    result, total = 1.0, 0
    for n in whole:
        total += n
        result *= _choose(total, n)
    return ev.from_python(result)


@function("SERIESSUM", "x:any n:any m:any coefficients:array", "array")
def seriessum(ctx: Context, x: Scalar, n: Scalar, m: Scalar, coefficients: Matrix) -> float:
    """``a1·x^n + a2·x^(n+m) + a3·x^(n+2m) + …``; ``#NUM!`` for ``0^0``, ``#VALUE!`` for logicals."""
    base, power, step = strict_number(x), strict_number(n), strict_number(m)
    total = 0.0
    for number, kind in zip(coefficients.number.ravel().tolist(), coefficients.kind.ravel().tolist(), strict=True):
        value = strict_number(ctx.scalar(number, kind))
        if kind == EMPTY:
            raise ExcelError(VALUE)
        if base == 0.0 and power <= 0.0:
            raise ExcelError(NUM if power == 0.0 else DIV0)
        try:
            total += value * math.pow(base, power)
        except (OverflowError, ValueError):
            raise ExcelError(NUM) from None
        power += step
    return total
