"""RAND and its like: another value at every calculation, so no cached value can be checked against them."""

from __future__ import annotations

import math
import random

import numpy as np

from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.functions.values_of import strict_number
from xlsx_attention.model.values import NUM, VALUE, Scalar


@function("RAND", "", "scalar", volatile=True, vectorised=False)
def rand(ctx: Context) -> float:
    """Evenly distributed from 0 to below 1."""
    return random.random()


@function("RANDBETWEEN", "bottom:any top:any", "scalar", volatile=True, vectorised=False)
def randbetween(ctx: Context, bottom: Scalar, top: Scalar) -> float:
    """A whole number from ``bottom`` to ``top``; ``#NUM!`` where bottom is larger, ``#VALUE!`` for logicals."""
    low, high = math.ceil(strict_number(bottom)), math.floor(strict_number(top))
    if low > high:
        raise ExcelError(NUM)
    return float(random.randint(low, high))


@function(
    "RANDARRAY", "rows:number=1 columns:number=1 min:number=0 max:number=1 whole:logical=FALSE", "array", volatile=True
)
def randarray(ctx: Context, rows: float, columns: float, low: float, high: float, whole: bool) -> Matrix:
    """Random numbers from ``min`` to ``max``; ``#VALUE!`` for a size below 1 and for ``min`` above ``max``."""
    shape = (math.trunc(rows), math.trunc(columns))
    if min(shape) < 1 or low > high or (whole and (low % 1.0 or high % 1.0)):
        raise ExcelError(VALUE)
    ctx.charge(shape[0] * shape[1])
    source = np.random.default_rng()
    even = source.random(shape)
    number = np.floor(even * (high - low + 1.0)) + low if whole else even * (high - low) + low
    return Matrix(number, np.zeros(shape, np.uint8))
