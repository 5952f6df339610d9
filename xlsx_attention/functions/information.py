"""What kind of value it is. Source: Microsoft, "IS functions", "TYPE function", "ERROR.TYPE function"."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlsx_attention.functions.registry import Context, Evaluator, ExcelError, Operand, function
from xlsx_attention.functions.text_numbers import number_or_error
from xlsx_attention.model.formula import Tree
from xlsx_attention.model.values import (
    EMPTY,
    ERROR,
    LOGICAL,
    NA,
    NAME,
    NOT_COMPUTED,
    NUMBER,
    TEXT,
    Array,
    Kinds,
    Scalar,
)


def _error(kind: Kinds) -> np.ndarray:
    return (kind > ERROR) & (kind < NOT_COMPUTED)


#: No error passes through these: they ask about it. What could not be computed does.
_TESTS: dict[str, Callable[[Kinds], np.ndarray]] = {
    "ISBLANK": lambda kind: kind == EMPTY,
    "ISNUMBER": lambda kind: kind == NUMBER,
    "ISTEXT": lambda kind: kind == TEXT,
    "ISNONTEXT": lambda kind: kind != TEXT,
    "ISLOGICAL": lambda kind: kind == LOGICAL,
    "ISERROR": _error,
    "ISERR": lambda kind: _error(kind) & (kind != NA),
    "ISNA": lambda kind: kind == NA,
}


def _test(holds: Callable[[Kinds], np.ndarray]) -> Callable[[Evaluator, Tree], Operand]:
    def body(ev: Evaluator, node: Tree) -> Operand:
        array = ev.evaluate(node, "value").array
        answer = np.broadcast_to(holds(array.kind), array.shape).astype(np.float64)
        lacking = array.kind == NOT_COMPUTED
        if not lacking.any():
            return Operand(Array(answer, np.full((1, 1, 1, 1), LOGICAL, np.uint8)))
        return Operand(Array(np.where(lacking, array.number, answer), np.where(lacking, array.kind, np.uint8(LOGICAL))))

    return body


for _name, _holds in _TESTS.items():
    function(_name, "value:lazy", "lazy", vectorised=True)(_test(_holds))


@function("ISREF", "value:lazy", "lazy")
def isref(ev: Evaluator, node: Tree) -> Operand:
    """Whether the argument is a reference; OFFSET or INDEX that fail are none."""
    return Operand(Array.of(float(ev.evaluate(node).is_reference), LOGICAL))


def _parity(ctx: Context, value: Scalar) -> float:
    number = abs(number_or_error(value, ctx))
    return float(np.floor(number) % 2)


@function("ISEVEN", "number:any", "scalar")
def iseven(ctx: Context, value: Scalar) -> bool:
    """Of the number cut to a whole one; ``#VALUE!`` for logicals and texts that are no numbers."""
    return _parity(ctx, value) == 0


@function("ISODD", "number:any", "scalar")
def isodd(ctx: Context, value: Scalar) -> bool:
    """Of the number cut to a whole one; ``#VALUE!`` for logicals and texts that are no numbers."""
    return _parity(ctx, value) == 1


@function("NA", "", "lazy", vectorised=True)
def na(ev: Evaluator) -> Operand:
    return Operand(Array.of(0.0, NA))


@function("N", "value:any", "scalar")
def n(ctx: Context, value: Scalar) -> float | Scalar:
    """A number as it is, 1 and 0 for logicals, 0 for texts; an error passes."""
    if value.kind >= ERROR:
        return value
    return value.number if value.kind in (NUMBER, LOGICAL) else 0.0


_TYPES = {NUMBER: 1.0, EMPTY: 1.0, TEXT: 2.0, LOGICAL: 4.0}


@function("TYPE", "value:lazy", "lazy")
def type_(ev: Evaluator, node: Tree) -> Operand:
    """1 number or empty, 2 text, 4 logical, 16 error, 64 several values, 128 LAMBDA."""
    operand = ev.evaluate(node)
    if operand.function is not None:
        return Operand(Array.of(128.0))
    matrix = ev.matrix(operand)
    if matrix.size > 1:
        return Operand(Array.of(64.0))
    kind = int(matrix.kind[0, 0])
    if kind == NOT_COMPUTED:
        return operand
    return Operand(Array.of(_TYPES.get(kind, 16.0)))


@function("ERROR.TYPE", "value:any", "scalar")
def error_type(ctx: Context, value: Scalar) -> float | Scalar:
    """The error's number, ``#N/A`` for what is no error."""
    if value.kind == NOT_COMPUTED:
        return value
    if value.kind < ERROR:
        raise ExcelError(NA)
    return float(value.kind - ERROR)


@function("__XLUDF.DUMMYFUNCTION", "text:lazy? ...", "lazy", vectorised=True)
def dummy_function(ev: Evaluator, *nodes: Tree) -> Operand:
    """What Google Sheets writes for a function that Excel lacks: ``#NAME?``, inside an IFERROR that holds the value."""
    return Operand(Array.of(0.0, NAME))


@function("HYPERLINK", "link:any friendly:any?", "scalar")
def hyperlink(ctx: Context, link: Scalar, friendly: Scalar | None) -> Scalar:
    """The friendly name, else the link's text; nothing is opened. An empty name is 0."""
    if friendly is None:
        return link
    return Scalar(NUMBER, 0.0) if friendly.kind == EMPTY else friendly
