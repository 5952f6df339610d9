"""Cells with codes → full rectangles of one code, as few as a person would draw.

Neighbouring cells of one code make a patch. A patch is cut into strips row by row (runs of neighbours, joined downwards
while they have the same columns) and column by column; the cut with fewer rectangles is kept, by rows where they tie.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import MAX_COLUMNS

Longs = npt.NDArray[np.int64]


def cut(rows: Longs, columns: Longs, codes: Longs) -> Longs:
    """Cells in row-major order → rectangles, shape (n, 5): top, left, bottom, right (half-open), code."""
    if not len(rows):
        return np.zeros((0, 5), np.int64)
    by_rows, owner = _strips(rows, columns, codes)
    kinds, counts = np.unique(by_rows[:, 4], return_counts=True)
    # A code with one rectangle needs no second look, and those are nearly all the cells of a large sheet.
    some = np.isin(codes, kinds[counts > 1])
    if not some.any():
        return by_rows
    rows, columns, codes, owner = rows[some], columns[some], codes[some], owner[some]
    patch = _patches(rows, columns, codes, owner, len(by_rows))
    order = np.lexsort((rows, columns))
    by_columns, column_owner = _strips(columns[order], rows[order], codes[order])
    column_patch = np.empty(len(by_columns), np.int64)
    column_patch[column_owner] = patch[owner[order]]
    row_counts = np.bincount(patch, minlength=len(by_rows))
    column_counts = np.bincount(column_patch, minlength=len(by_rows))
    better = (column_counts > 0) & (column_counts < row_counts)
    return np.concatenate((by_rows[~better[patch]], by_columns[better[column_patch]][:, [1, 0, 3, 2, 4]]))


def _strips(rows: Longs, columns: Longs, codes: Longs) -> tuple[Longs, Longs]:
    """Rectangles by rows, and for each cell the index of its rectangle."""
    breaks = (np.diff(rows) != 0) | (np.diff(columns) != 1) | (np.diff(codes) != 0)
    first = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    stop = np.concatenate((first[1:], [len(rows)]))
    lengths = stop - first
    top, left, right, code = rows[first], columns[first], columns[stop - 1] + 1, codes[first]
    order = np.lexsort((top, right, left, code))
    top, left, right, code = top[order], left[order], right[order], code[order]
    breaks = (np.diff(top) != 1) | (np.diff(left) != 0) | (np.diff(right) != 0) | (np.diff(code) != 0)
    first = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    last = np.concatenate((first[1:], [len(top)])) - 1
    strips = np.stack((top[first], left[first], top[last] + 1, right[first], code[first]), axis=1)
    strip_of_run = np.empty(len(order), np.int64)
    strip_of_run[order] = np.concatenate(([0], np.cumsum(breaks)))
    return strips, np.repeat(strip_of_run, lengths)


def _patches(rows: Longs, columns: Longs, codes: Longs, owner: Longs, count: int) -> Longs:
    """For each of ``count`` strips the first strip of its patch: strips whose cells touch are joined."""
    keys = rows * MAX_COLUMNS + columns
    right = np.flatnonzero((np.diff(keys) == 1) & (np.diff(rows) == 0) & (np.diff(codes) == 0))
    below = np.searchsorted(keys, keys + MAX_COLUMNS).clip(max=len(keys) - 1)
    down = np.flatnonzero((keys[below] == keys + MAX_COLUMNS) & (codes[below] == codes))
    one = np.concatenate((owner[right], owner[down]))
    other = np.concatenate((owner[right + 1], owner[below[down]]))
    edges = np.unique((one * count + other)[one != other])
    parent = list(range(count))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for edge in edges.tolist():
        first, second = sorted((root(edge // count), root(edge % count)))
        parent[second] = first
    return np.array([root(at) for at in range(count)], np.int64)
