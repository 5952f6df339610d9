"""Operators and values of the slow runner: one value at a time, in Python floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from xlsx_attention.functions.coercion import text_of
from xlsx_attention.functions.numbers_as_text import parse_number
from xlsx_attention.model.values import DIV0, EMPTY, ERROR, LOGICAL, NA, NUM, NUMBER, TEXT, VALUE, Scalar

Rows: TypeAlias = list[list[Scalar]]


def number(x: float) -> Scalar:
    """What no double holds is ``#NUM!``; −0 is 0."""
    return Scalar(NUMBER, x + 0.0) if math.isfinite(x) else Scalar(NUM)


def as_number(value: Scalar) -> Scalar:
    if value.kind == NUMBER or value.kind >= ERROR:
        return value
    if value.kind == TEXT:
        parsed = parse_number(value.text)
        return Scalar(VALUE) if parsed is None else Scalar(NUMBER, parsed)
    return Scalar(NUMBER, value.number)


def each(body: Callable[[Scalar], Scalar], rows: Rows) -> Rows:
    return [[body(value) for value in row] for row in rows]


def both(body: Callable[[Scalar, Scalar], Scalar], left: Rows, right: Rows) -> Rows:
    """Broadcast as Excel does: one row or column repeats, what is missing is ``#N/A``."""
    height, width = max(len(left), len(right)), max(len(left[0]), len(right[0]))

    def at(rows: Rows, i: int, j: int) -> Scalar:
        i = 0 if len(rows) == 1 else i
        j = 0 if len(rows[0]) == 1 else j
        return rows[i][j] if i < len(rows) and j < len(rows[0]) else Scalar(NA)

    return [[body(at(left, i, j), at(right, i, j)) for j in range(width)] for i in range(height)]


def first_error(values: list[Scalar]) -> Scalar | None:
    return next((v for v in values if v.kind >= ERROR), None)


def _numeric(body: Callable[[float, float], Scalar]) -> Callable[[Scalar, Scalar], Scalar]:
    def apply(a: Scalar, b: Scalar) -> Scalar:
        a, b = as_number(a), as_number(b)
        if a.kind != NUMBER:
            return a
        return b if b.kind != NUMBER else body(a.number, b.number)

    return apply


def _divide(a: float, b: float) -> Scalar:
    return Scalar(DIV0) if b == 0.0 else number(a / b)


def _power(a: float, b: float) -> Scalar:
    """Excel multiplies for a whole exponent and takes ``e^(b·ln a)`` for a broken one (see the operators)."""
    if a == 0.0 and b <= 0.0:
        return Scalar(NUM if b == 0.0 else DIV0)
    try:
        if b == int(b) and abs(b) < 1024:
            product, square, rest = 1.0, a, int(abs(b))
            while rest > 0:
                if rest % 2 == 1:
                    product = product * square
                rest = rest // 2
                if rest > 0:
                    square = square * square
            return number(product if b >= 0 else 1.0 / product)
        return number(math.exp(b * math.log(a)) if a > 0.0 else math.pow(a, b))
    except (OverflowError, ValueError, ZeroDivisionError):
        return Scalar(NUM)


def _compare(test: Callable[[int], bool]) -> Callable[[Scalar, Scalar], Scalar]:
    def rank(value: Scalar) -> int:
        return {TEXT: 1, LOGICAL: 2}.get(value.kind, 0)

    def apply(a: Scalar, b: Scalar) -> Scalar:
        if a.kind >= ERROR or b.kind >= ERROR:
            return a if a.kind >= ERROR else b
        if a.kind == EMPTY:
            a = Scalar(NUMBER if b.kind == EMPTY else b.kind)
        if b.kind == EMPTY:
            b = Scalar(a.kind)
        left: tuple[int, float | str] = (rank(a), a.text.upper() if a.kind == TEXT else a.number)
        right: tuple[int, float | str] = (rank(b), b.text.upper() if b.kind == TEXT else b.number)
        order = (left[0] > right[0]) - (left[0] < right[0])
        if not order:
            order = (left[1] > right[1]) - (left[1] < right[1])  # type: ignore[operator]
        return Scalar(LOGICAL, float(test(order)))

    return apply


def _join(a: Scalar, b: Scalar) -> Scalar:
    if a.kind >= ERROR or b.kind >= ERROR:
        return a if a.kind >= ERROR else b
    text = text_of(a) + text_of(b)
    return Scalar(TEXT, 0.0, text) if len(text) <= 32_767 else Scalar(VALUE)


def _negate(a: Scalar) -> Scalar:
    a = as_number(a)
    return number(-a.number) if a.kind == NUMBER else a


def _percent(a: Scalar) -> Scalar:
    a = as_number(a)
    return number(a.number / 100.0) if a.kind == NUMBER else a


UNARY: dict[str, Callable[[Scalar], Scalar]] = {"-": _negate, "+": lambda a: a, "%": _percent}

BINARY: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "+": _numeric(lambda a, b: number(a + b)),
    "-": _numeric(lambda a, b: number(a - b)),
    "*": _numeric(lambda a, b: number(a * b)),
    "/": _numeric(_divide),
    "^": _numeric(_power),
    "&": _join,
    "=": _compare(lambda order: order == 0),
    "<>": _compare(lambda order: order != 0),
    "<": _compare(lambda order: order < 0),
    ">": _compare(lambda order: order > 0),
    "<=": _compare(lambda order: order <= 0),
    ">=": _compare(lambda order: order >= 0),
}
