"""Large sheets by a sample: of every long side of a block or a range, its two ends stand for all of it.

A block's cells compute alike, so what its first and last rows and columns are, its middle is too. Sides are thinned by
their length alone; a row of 512 weights and the 512 values that it multiplies keep the same positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from xlsx_attention.recognising.terms import pack, unpack

#: Workbooks with more formulas than this are read by a sample.
MANY: Final = 8_000
#: Positions kept at each end.
END: Final = 8


@lru_cache(maxsize=1_024)
def kept(length: int) -> tuple[int, ...]:
    """The positions that stand for a side of this length."""
    if length <= 2 * END:
        return tuple(range(length))
    return (*range(END), *range(length - END, length))


def whole(matrix: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """A sampled matrix of cells with all its cells; one that is no sampled rectangle as it is."""
    lines = tuple(map(tuple, matrix))
    places = [[unpack(cell) for cell in line] for line in lines]
    if (
        not places
        or not places[0]
        or len(set(map(len, places))) > 1
        or len({p[0] for line in places for p in line}) > 1
    ):
        return lines
    sheet, rows, columns = (
        places[0][0][0],
        {p[1] for line in places for p in line},
        {p[2] for line in places for p in line},
    )
    if len(rows) * len(columns) != len(lines) * len(lines[0]):
        return lines
    down, right = sorted(rows), sorted(columns)
    upright = tuple(tuple(pack(sheet, row, column) for column in right) for row in down)
    full = tuple(tuple(pack(sheet, row, column) for column in _filled(right)) for row in _filled(down))
    if lines == upright:
        return full
    return tuple(zip(*full, strict=True)) if lines == tuple(zip(*upright, strict=True)) else lines


def _filled(ends: list[int]) -> Sequence[int]:
    sampled = len(ends) == 2 * END and ends[END - 1] - ends[0] == ends[-1] - ends[END] == END - 1
    return range(ends[0], ends[-1] + 1) if sampled else ends
