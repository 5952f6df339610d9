"""A reference seen from every cell of a block at once: strided views of a plane, never copies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import as_strided

from xlsx_attention.errors import NotComputed
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Reference
from xlsx_attention.model.values import ALL_NUMBERS, EMPTY, REF, Array, Plane

#: Cells that one reference may bring in: beyond it a step is over its budget, not out of memory.
READ_BUDGET = 1 << 26


def clip(rect: Rect, used: Rect) -> Rect:
    """Cut what lies behind the last used row and column: it is empty, and ``A:A`` is a million rows of it.

    Only far-reaching ranges are cut, so that an ordinary range keeps its shape; one row and column always stay.
    """
    bottom = max(rect.top + 1, min(rect.bottom, used.bottom)) if rect.height > 10_000 else rect.bottom
    right = max(rect.left + 1, min(rect.right, used.right)) if rect.width > 1_000 else rect.right
    return Rect(rect.top, rect.left, bottom, right)


def window(
    plane: Plane, used: Rect, reference: Reference, rect: Rect, toil: Callable[[int], None] | None = None
) -> Array:
    """The cells that ``reference`` names, for each cell of the block ``rect``.

    Returns axes (h or 1, w or 1, rows, columns): 1 where the reference does not move along the block (``$``). Both
    row bounds must be of one kind, and both column bounds: a range that grows along the block is run line by line by
    the caller. ``toil`` is told how many cells are looked at, before they are.
    """
    first = reference.at(rect.top, rect.left)
    last = first if rect.size == 1 else reference.at(rect.bottom - 1, rect.right - 1)
    if first is None or last is None:
        return Array.of(0.0, REF)
    moves_down = not reference.top.absolute and rect.height > 1
    moves_right = not reference.left.absolute and rect.width > 1
    if first.height > 10_000 or first.width > 1_000:
        first, last = (clip(first, used),) * 2 if first is last else (clip(first, used), clip(last, used))
    bounding = first if first is last else first.union(last)
    if bounding.size > READ_BUDGET:
        raise NotComputed("over-budget", f"a reference to {bounding.size:,} cells (limit {READ_BUDGET:,})")
    if toil is not None:
        far = 0 if plane.rect.covers(bounding) else bounding.size + 200 * min(bounding.size, len(plane.outliers))
        toil(far + bounding.size // 8)
    number, kind = plane.read(bounding)
    if first is last:
        # One cell of a block, and one and the same range for it.
        return Array(number[None, None], kind[None, None] if kind.any() else ALL_NUMBERS)
    rows, columns = first.shape
    shape = (rect.height if moves_down else 1, rect.width if moves_right else 1, rows, columns)
    down, right = number.strides
    view = as_strided(number, shape, (down, right, down, right), writeable=False)
    if not kind.any():
        return Array(view, ALL_NUMBERS)
    down, right = kind.strides
    kinds = as_strided(kind, shape, (down, right, down, right), writeable=False)
    if shape == (1, 1, 1, 1) or kind.size == 1:
        return Array(view, np.ascontiguousarray(kinds))
    return Array(view, kinds)


def empty() -> Array:
    return Array.of(0.0, EMPTY)
