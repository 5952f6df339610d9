"""All values of several arguments as one row for each cell of a block, for functions that count logicals and texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xlsx_attention.functions.coercion import finish, to_number
from xlsx_attention.functions.registry import Operand
from xlsx_attention.model.values import ERROR, LOGICAL, NUMBER, TEXT, Array, Floats, Kinds, TextPool

Error = tuple[Floats, Kinds]


def gather_all(texts: TextPool, operands: Sequence[Operand]) -> tuple[Floats, np.ndarray, Error | None]:
    """Values as AVERAGEA and its like take them: ``(x, keep, error)``, shapes (h, w, n), (h, w, n), (h, w).

    Logicals are 1 and 0, texts in cells and arrays are 0, a typed text must read as a number (else ``#VALUE!``), empty
    cells are dropped. ``error`` is the leftmost error of each cell of the block (kind 0 where there is none).
    """
    parts: list[tuple[Floats, Kinds]] = []
    for operand in operands:
        array = operand.array
        if operand.missing:
            array = Array.of(0.0)
        elif not operand.is_reference and array.is_single:
            array = to_number(array, texts)
        number, kind = array.full()
        h, w, r, c = number.shape
        number = np.where((kind == NUMBER) | (kind == LOGICAL) | (kind >= ERROR), number, 0.0)
        parts.append((number.reshape(h, w, r * c), kind.reshape(h, w, r * c)))
    h = max((n.shape[0] for n, _ in parts), default=1)
    w = max((n.shape[1] for n, _ in parts), default=1)
    x = np.concatenate([np.broadcast_to(n, (h, w, n.shape[2])) for n, _ in parts], axis=2)
    kinds = np.concatenate([np.broadcast_to(k, (h, w, k.shape[2])) for _, k in parts], axis=2)
    bad = kinds >= ERROR
    keep = (kinds == NUMBER) | (kinds == LOGICAL) | (kinds == TEXT)
    error: Error | None = None
    if bad.any():
        first = bad.argmax(axis=2)[..., None]
        found = bad.any(axis=2)
        error = (
            np.where(found, np.take_along_axis(x, first, 2)[..., 0], 0.0),
            np.where(found, np.take_along_axis(kinds, first, 2)[..., 0], np.uint8(NUMBER)),
        )
    return np.where(keep, x, 0.0), keep, error


def result_operand(result: Floats | tuple[Floats, Kinds], error: Error | None = None) -> Operand:
    """A reduction's result, one value for each cell of the block, shape (h, w), as an operand."""
    number, kind = result if isinstance(result, tuple) else (result, None)
    kind = None if kind is None else kind[:, :, None, None]
    four = None if error is None else (error[0][:, :, None, None], error[1][:, :, None, None])
    return Operand(finish(np.asarray(number, np.float64)[:, :, None, None], kind, four))
