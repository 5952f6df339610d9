"""Which parts of a sheet are better followed down their columns than along their rows.

A *stretch* is a run of neighbouring formula cells in a row; stretches with the same columns in rows that follow one
another make a *panel*. In most panels a formula goes on to the right. In some each column has a formula of its own, as
where ``$B$516`` was typed for the first column and ``$B$517`` for the next, and a tall narrow panel is few lines by
columns and many by rows. A look at the first cells of its first row and column tells.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.grid import Ints
from xlsx_attention.parsing.relative import key_of

#: Smaller panels are not worth a look.
_LEAST_CELLS: Final = 64
#: So many cells of a panel's first row and first column are read.
_SAMPLE: Final = 8
#: Turning so many cells round costs about as much as one surprise along a line.
_TURNED_CELLS: Final = 25


def stretches(line_of: Ints, place_of: Ints) -> npt.NDArray[np.int64]:
    """Where each run of neighbours on a line begins; lines and places in reading order, at least one."""
    breaks = (np.diff(line_of) != 0) | (np.diff(place_of) != 1)
    return np.concatenate(([0], np.flatnonzero(breaks) + 1)).astype(np.int64)


def runs_down(rows: Ints, columns: Ints, texts: list[str]) -> npt.NDArray[np.bool_]:
    """For each cell (in row-major order) whether it is better foretold from the cell above than from the left."""
    starts = stretches(rows, columns)
    widths = np.diff(np.append(starts, len(texts)))
    order = np.lexsort((rows[starts], widths, columns[starts]))
    first, width, top, left = starts[order], widths[order], rows[starts][order], columns[starts][order]
    breaks = (np.diff(top) != 1) | (np.diff(left) != 0) | (np.diff(width) != 0)
    begins = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    heights = np.diff(np.append(begins, len(first)))
    down = np.zeros(len(texts), np.bool_)
    for panel in np.flatnonzero((heights > 1) & (heights * width[begins] >= _LEAST_CELLS)).tolist():
        begin, height, wide = int(begins[panel]), int(heights[panel]), int(width[begins[panel]])
        corners = first[begin : begin + height]
        across = _changes(range(int(corners[0]), int(corners[0]) + min(wide, _SAMPLE)), rows, columns, texts)
        along = _changes(corners[:_SAMPLE].tolist(), rows, columns, texts)
        by_rows = height * (1 + across * wide)
        by_columns = wide * (1 + along * height)
        if by_columns + height * wide / _TURNED_CELLS < by_rows:
            down[(corners[:, None] + np.arange(wide)).ravel()] = True
    return down


def _changes(cells: list[int] | range, rows: Ints, columns: Ints, texts: list[str]) -> float:
    """How often the form changes from one of these cells to the next, between 0 and 1."""
    keys = [key_of(texts[at], int(rows[at]), int(columns[at])) for at in cells]
    return sum(one != other for one, other in pairwise(keys)) / max(1, len(keys) - 1)
