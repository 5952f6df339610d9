"""Where a value stands in a row or column: the search behind MATCH, XMATCH, XLOOKUP, VLOOKUP, HLOOKUP and LOOKUP.

Positions count from 0. A value matches values of its own kind only; an empty cell as the value sought is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xlsx_attention.functions.ordering import key
from xlsx_attention.functions.registry import Context, ExcelError, Matrix
from xlsx_attention.functions.regular_expressions import Pattern
from xlsx_attention.functions.wildcards import has_wildcards, matches
from xlsx_attention.model.values import EMPTY, ERROR, NA, NUMBER, TEXT, VALUE, Scalar


def vector(matrix: Matrix) -> Matrix:
    """A single row or column as one row; ``#N/A`` for a rectangle."""
    if 1 not in matrix.shape:
        raise ExcelError(NA)
    return Matrix(matrix.number.reshape(1, -1), matrix.kind.reshape(1, -1))


def _text_places(line: Matrix, accept: list[int]) -> list[int]:
    wanted = np.isin(line.number[0], accept) & (line.kind[0] == TEXT)
    places: list[int] = np.flatnonzero(wanted).tolist()
    return places


def equal_places(ctx: Context, value: Scalar, line: Matrix) -> list[int]:
    """Every position that holds the value."""
    if value.kind == EMPTY:
        value = Scalar(NUMBER, 0.0)
    if value.kind != TEXT:
        places: list[int] = np.flatnonzero((line.kind[0] == value.kind) & (line.number[0] == value.number)).tolist()
        return places
    folded = value.text.upper()
    return _text_places(line, [i for i in _texts(line) if ctx.texts[i].upper() == folded])


def wildcard_places(ctx: Context, value: Scalar, line: Matrix) -> list[int]:
    """Every position whose text is of the value's form; exactly equal ones for a value without wildcards."""
    if value.kind != TEXT or not has_wildcards(value.text):
        return equal_places(ctx, value, line)
    return _text_places(line, [i for i in _texts(line) if matches(value.text, ctx.texts[i])])


def pattern_places(ctx: Context, value: Scalar, line: Matrix) -> list[int]:
    """Every position whose text a regular expression finds something in; ``#VALUE!`` for a value that is none."""
    if value.kind != TEXT:
        return []
    pattern = Pattern.compile(value.text)
    return _text_places(line, [i for i in _texts(line) if pattern.search(ctx.texts[i]) is not None])


def _texts(line: Matrix) -> list[int]:
    return [int(i) for i in np.unique(line.number[0][line.kind[0] == TEXT])]


def _comparable(value: Scalar, line: Matrix) -> tuple[Scalar, list[int]]:
    if value.kind == EMPTY:
        value = Scalar(NUMBER, 0.0)
    places: list[int] = np.flatnonzero(line.kind[0] == value.kind).tolist()
    return value, places


def ascending_place(ctx: Context, value: Scalar, line: Matrix) -> int | None:
    """The last position not above the value in a line sorted upwards, by halving as Excel does; ``None`` where all
    are above.

    Values of another kind are passed over.
    """
    value, places = _comparable(value, line)
    if value.kind != TEXT:
        found = halve(line.number[0][places].tolist(), value.number)
    else:
        found = halve([key(ctx.scalar(float(line.number[0, i]), TEXT)) for i in places], key(value))
    return places[found] if found >= 0 else None


def halve(values: list[Any], wanted: Any) -> int:
    """The last position not above ``wanted``, −1 for none; of an equal value that is met, the last of its run.

    On a line that is not sorted this decides what is found, so it halves as Excel does: the middle of what is left,
    rounded down.
    """
    low, high = 0, len(values) - 1
    while low <= high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            while middle + 1 < len(values) and values[middle + 1] == wanted:
                middle += 1
            return middle
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return high


def descending_place(ctx: Context, value: Scalar, line: Matrix) -> int | None:
    """The last position before values fall below the value sought, in a line sorted downwards."""
    value, places = _comparable(value, line)
    wanted = key(value)
    last = None
    for place in places:
        here = key(ctx.scalar(float(line.number[0, place]), value.kind))
        if here < wanted:
            break
        last = place
        if here == wanted:
            break
    return last


def nearest_place(ctx: Context, value: Scalar, line: Matrix, larger: bool, backwards: bool) -> int | None:
    """The position of the value, else of the next smaller (or larger) one, in a line in any order.

    Kinds follow one another as in a sorted list: every number is smaller than any text. Errors and empty cells are
    passed over.
    """
    if value.kind == EMPTY:
        value = Scalar(NUMBER, 0.0)
    wanted = key(value)
    best: int | None = None
    best_key = wanted
    places: list[int] = np.flatnonzero((line.kind[0] < ERROR) & (line.kind[0] != EMPTY)).tolist()
    for place in reversed(places) if backwards else places:
        here = key(ctx.scalar(float(line.number[0, place]), int(line.kind[0, place])))
        if here == wanted:
            return place
        beyond = here > wanted if larger else here < wanted
        closer = best is None or (here < best_key if larger else here > best_key)
        if beyond and closer:
            best, best_key = place, here
    return best


def extended_place(ctx: Context, value: Scalar, line: Matrix, match_mode: float, search_mode: float) -> int | None:
    """XMATCH and XLOOKUP: modes as Microsoft numbers them; ``#VALUE!`` for others. An empty cell finds an empty
    cell.
    """
    mode, direction = int(match_mode), int(search_mode)
    if mode not in (-1, 0, 1, 2, 3) or direction not in (-2, -1, 1, 2):
        raise ExcelError(VALUE)
    backwards = direction < 0 and direction != -2
    if mode in (2, 3) and abs(direction) == 2:
        raise ExcelError(VALUE)
    if mode in (-1, 1):
        return nearest_place(ctx, value, line, mode == 1, backwards)
    if value.kind == EMPTY:
        places: list[int] = np.flatnonzero(line.kind[0] == EMPTY).tolist()
    else:
        places = {0: equal_places, 2: wildcard_places, 3: pattern_places}[mode](ctx, value, line)
    return (places[-1] if backwards else places[0]) if places else None
