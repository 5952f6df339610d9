"""Values in and out: from Python to (number, kind), and several arrays as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from xlsx_attention.functions.coercion import collapse
from xlsx_attention.model.formula import ErrorLit, LogicalLit, Missing, NumberLit, TextLit
from xlsx_attention.model.values import EMPTY, LOGICAL, NOT_COMPUTED, NUM, NUMBER, TEXT, VALUE, Array, Scalar, TextPool


def to_pair(value: Any, texts: TextPool) -> tuple[float, int]:
    """A Python value as (number, kind); ``#NUM!`` for what no double holds."""
    if isinstance(value, Scalar):
        if value.kind == NOT_COMPUTED:
            return float(texts.note(value.text)), value.kind
        if value.kind == TEXT:
            return float(texts.add(value.text)), value.kind
        return value.number, value.kind
    if isinstance(value, (bool, np.bool_)):
        return float(value), LOGICAL
    if isinstance(value, str):
        return (float(texts.add(value)), TEXT) if len(value) <= 32_767 else (0.0, VALUE)
    number = float(value) + 0.0
    return (number, NUMBER) if np.isfinite(number) else (0.0, NUM)


def literal(item: NumberLit | TextLit | LogicalLit | ErrorLit | Missing, texts: TextPool) -> tuple[float, int]:
    if isinstance(item, ErrorLit):
        return 0.0, item.kind
    if isinstance(item, Missing):
        return 0.0, EMPTY
    return to_pair(item.value, texts)


def join(arrays: list[Array]) -> Array:
    """Several areas as one row of values, in order."""
    block = (max(a.shape[0] for a in arrays), max(a.shape[1] for a in arrays))
    numbers, kinds = [], []
    for array in arrays:
        number, kind = array.full()
        n = number.shape[2] * number.shape[3]
        numbers.append(np.broadcast_to(number.reshape(*number.shape[:2], 1, n), (*block, 1, n)))
        kinds.append(np.broadcast_to(kind.reshape(*number.shape[:2], 1, n), (*block, 1, n)))
    return Array(np.concatenate(numbers, axis=3), collapse(np.concatenate(kinds, axis=3)))
