"""TEXTSPLIT, TEXTBEFORE and TEXTAFTER. Source: Microsoft's page on each function."""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.functions.shaping import pair
from xlsx_attention.functions.text_basics import texts_of
from xlsx_attention.functions.wildcards import fold
from xlsx_attention.model.values import ERROR, NA, TEXT, VALUE, Scalar


def _mode(mode: float) -> bool:
    """Whether case counts not; ``#VALUE!`` for an unknown mode."""
    if int(mode) not in (0, 1):
        raise ExcelError(VALUE)
    return int(mode) == 1


def _delimiters(ctx: Context, matrix: Matrix | None) -> list[str]:
    texts = [] if matrix is None else texts_of(ctx, matrix)
    if matrix is not None and not all(texts):
        raise ExcelError(VALUE)
    # Where several fit at one place the longest one is meant.
    return sorted(texts, key=len, reverse=True)


def places(text: str, delimiters: list[str], ignore_case: bool) -> list[tuple[int, int]]:
    """Where delimiters stand, as half-open spans that do not overlap, from left to right."""
    haystack = fold(text) if ignore_case else text
    needles = [fold(d) if ignore_case else d for d in delimiters]
    spans: list[tuple[int, int]] = []
    at = 0
    following = {needle: haystack.find(needle) for needle in needles}
    while True:
        for needle, place in following.items():
            if 0 <= place < at:
                following[needle] = haystack.find(needle, at)
        found = [(place, -len(needle)) for needle, place in following.items() if place >= 0]
        if not found:
            return spans
        start, length = min(found)
        at = start - length
        spans.append((start, at))


def split(text: str, delimiters: list[str], ignore_case: bool, ignore_empty: bool) -> list[str]:
    parts, at = [], 0
    for start, end in places(text, delimiters, ignore_case) if delimiters else []:
        parts.append(text[at:start])
        at = end
    parts.append(text[at:])
    return [part for part in parts if part] if ignore_empty else parts


@function(
    "TEXTSPLIT",
    "text:text columns:array? rows:array? ignore_empty:logical=FALSE mode:number=0 pad:any?",
    "array",
)
def textsplit(
    ctx: Context,
    text: str,
    columns: Matrix | None,
    rows: Matrix | None = None,
    ignore_empty: bool = False,
    mode: float = 0.0,
    pad: Scalar | None = None,
) -> Matrix:
    """A text cut at delimiters into columns and rows; short rows are filled with ``pad`` or ``#N/A``.

    ``#VALUE!`` without any delimiter and for an empty one.
    """
    across, down = _delimiters(ctx, columns), _delimiters(ctx, rows)
    if not across and not down:
        raise ExcelError(VALUE)
    ignore_case = _mode(mode)
    lines = [split(line, across, ignore_case, ignore_empty) for line in split(text, down, ignore_case, ignore_empty)]
    width = max((len(line) for line in lines), default=0)
    if width == 0:
        return Matrix(np.array([[float(ctx.texts.add(""))]]), np.full((1, 1), TEXT, np.uint8))
    ctx.charge(len(lines) * width)
    fill = (0.0, NA) if pad is None else pair(ctx, pad)
    number = np.full((len(lines), width), fill[0])
    kind = np.full((len(lines), width), fill[1], np.uint8)
    for i, line in enumerate(lines):
        number[i, : len(line)] = [float(ctx.texts.add(part)) for part in line]
        kind[i, : len(line)] = TEXT
    return Matrix(number, kind)


def _place(
    ctx: Context, text: str, delimiter: Matrix, instance: float, mode: float, match_end: float
) -> tuple[int, int] | None:
    """The span of the given delimiter, counted from the end where ``instance`` is negative."""
    count = int(instance)
    if count == 0 or abs(count) > max(len(text), 1):
        raise ExcelError(VALUE)
    texts = texts_of(ctx, delimiter)
    if not all(texts):
        # An empty delimiter stands at the very start, and from the end at the very end.
        return (0, 0) if count > 0 else (len(text), len(text))
    spans = places(text, sorted(texts, key=len, reverse=True), _mode(mode))
    if int(match_end) == 1:
        spans = [*spans, (len(text), len(text))] if count > 0 else [(0, 0), *spans]
    place = count - 1 if count > 0 else len(spans) + count
    return spans[place] if 0 <= place < len(spans) else None


def _otherwise(if_none: Scalar | None) -> Scalar:
    if if_none is None:
        raise ExcelError(NA)
    if if_none.kind >= ERROR:
        raise ExcelError(if_none.kind)
    return if_none


_PARAMETERS = "text:text delimiter:array instance:number=1 mode:number=0 match_end:number=0 if_none:any?"


@function("TEXTBEFORE", _PARAMETERS, "array", vectorised=True)
def textbefore(
    ctx: Context, text: str, delimiter: Matrix, instance: float, mode: float, match_end: float, if_none: Scalar | None
) -> str | Scalar:
    """What stands before a delimiter; ``if_none`` or ``#N/A`` where it is not found, ``#VALUE!`` for instance 0."""
    span = _place(ctx, text, delimiter, instance, mode, match_end)
    return _otherwise(if_none) if span is None else text[: span[0]]


@function("TEXTAFTER", _PARAMETERS, "array", vectorised=True)
def textafter(
    ctx: Context, text: str, delimiter: Matrix, instance: float, mode: float, match_end: float, if_none: Scalar | None
) -> str | Scalar:
    """What stands after a delimiter; ``if_none`` or ``#N/A`` where it is not found, ``#VALUE!`` for instance 0."""
    span = _place(ctx, text, delimiter, instance, mode, match_end)
    return _otherwise(if_none) if span is None else text[span[1] :]
