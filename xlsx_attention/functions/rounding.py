"""Rounding."""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.registry import function
from xlsx_attention.model.values import Floats


@function("INT", "number:number", "numeric")
def int_(x: Floats) -> Floats:
    """The next whole number at or below."""
    return np.floor(x)


@function("TRUNC", "number:number digits:number=0", "numeric")
def trunc(x: Floats, digits: Floats) -> Floats:
    """Digits cut off."""
    return np.trunc(x)
