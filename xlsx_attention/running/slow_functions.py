"""Functions that lessons are made of, written out for the slow runner."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from xlsx_attention.model.formula import Call
from xlsx_attention.model.values import DIV0, NUM, NUMBER, VALUE, Scalar
from xlsx_attention.running.slow_values import BINARY, Rows, as_number, both, each, first_error, number

if TYPE_CHECKING:
    from xlsx_attention.running.slow import Cell


def _sum(cell: Cell, call: Call, as_array: bool) -> Rows:
    terms = cell.terms(call)
    error = first_error(terms)
    total = 0.0
    for term in terms:
        total += term.number
    return [[error or number(total)]]


def _average(cell: Cell, call: Call, as_array: bool) -> Rows:
    terms = cell.terms(call)
    error = first_error(terms)
    total = 0.0
    for term in terms:
        total += term.number
    return [[error or (number(total / len(terms)) if terms else Scalar(DIV0))]]


def _extreme(pick: Callable[[list[float]], float]) -> Callable[[Cell, Call, bool], Rows]:
    def apply(cell: Cell, call: Call, as_array: bool) -> Rows:
        terms = cell.terms(call)
        return [[first_error(terms) or number(pick([t.number for t in terms]) if terms else 0.0)]]

    return apply


def _exp_of(x: Scalar) -> Scalar:
    x = as_number(x)
    if x.kind != NUMBER:
        return x
    try:
        return number(math.exp(x.number))
    except OverflowError:
        return Scalar(NUM)


def _sqrt_of(x: Scalar) -> Scalar:
    x = as_number(x)
    if x.kind != NUMBER:
        return x
    return Scalar(NUM) if x.number < 0 else number(math.sqrt(x.number))


def _elementwise(body: Callable[[Scalar], Scalar]) -> Callable[[Cell, Call, bool], Rows]:
    def apply(cell: Cell, call: Call, as_array: bool) -> Rows:
        return each(body, cell.value(call.args[0], as_array))

    return apply


def _power_call(cell: Cell, call: Call, as_array: bool) -> Rows:
    return both(BINARY["^"], cell.value(call.args[0], as_array), cell.value(call.args[1], as_array))


def _mmult(cell: Cell, call: Call, as_array: bool) -> Rows:
    a, b = cell.value(call.args[0], True), cell.value(call.args[1], True)
    if len(a[0]) != len(b) or any(v.kind != NUMBER for row in a + b for v in row):
        error = first_error([v for row in a + b for v in row])
        return [[error or Scalar(VALUE)]]
    result: Rows = []
    for row in a:
        line = []
        for j in range(len(b[0])):
            total = 0.0
            for k in range(len(b)):
                total += row[k].number * b[k][j].number
            line.append(number(total))
        result.append(line)
    return result


def _transpose(cell: Cell, call: Call, as_array: bool) -> Rows:
    rows = cell.value(call.args[0], True)
    return [list(column) for column in zip(*rows, strict=True)]


def _sumproduct(cell: Cell, call: Call, as_array: bool) -> Rows:
    factors = [cell.value(arg, True) for arg in call.args]
    if len({(len(f), len(f[0])) for f in factors}) > 1:
        return [[Scalar(VALUE)]]
    flat = [[v for row in f for v in row] for f in factors]
    error = first_error([v for f in flat for v in f])
    total = 0.0
    for place in range(len(flat[0])):
        product = flat[0][place].number if flat[0][place].kind == NUMBER else 0.0
        for f in flat[1:]:
            product *= f[place].number if f[place].kind == NUMBER else 0.0
        total += product
    return [[error or number(total)]]


CALLS: dict[str, Callable[[Cell, Call, bool], Rows]] = {
    "SUM": _sum,
    "AVERAGE": _average,
    "MAX": _extreme(max),
    "MIN": _extreme(min),
    "EXP": _elementwise(_exp_of),
    "SQRT": _elementwise(_sqrt_of),
    "POWER": _power_call,
    "MMULT": _mmult,
    "TRANSPOSE": _transpose,
    "SUMPRODUCT": _sumproduct,
}
