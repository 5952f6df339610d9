"""A call's arguments as its function's row asks for them: evaluated, filled in, and one value at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from xlsx_attention.functions.coercion import text_of
from xlsx_attention.functions.numbers_as_text import parse_number
from xlsx_attention.functions.registry import ExcelError, Function, Matrix, Operand, Parameter
from xlsx_attention.model.formula import Call
from xlsx_attention.model.values import EMPTY, ERROR, TEXT, VALUE, Array, Scalar, TextPool
from xlsx_attention.running.conversion import to_pair

if TYPE_CHECKING:
    from xlsx_attention.running.evaluator import BlockEvaluator


def operands_of(ev: BlockEvaluator, row: Function, node: Call) -> list[Operand]:
    """Every argument evaluated, one value a cell where the parameter asks for one."""
    operands = []
    for position, arg in enumerate(node.args):
        kind = row.parameter(position).kind
        operands.append(ev.evaluate(arg, "value" if kind in ONE_VALUE else "array"))
    return operands


ONE_VALUE = frozenset({"number", "text", "logical", "any"})


def _default(parameter: Parameter, texts: TextPool) -> Operand:
    if parameter.default is None:
        return Operand(Array.of(0.0, EMPTY), missing=True)
    return Operand(Array.of(*to_pair(parameter.default, texts)))


def _when_empty(parameter: Parameter, operand: Operand, texts: TextPool) -> Operand:
    """An argument left empty between commas."""
    if parameter.blank is not None:
        return Operand(Array.of(*to_pair(parameter.blank, texts)))
    return operand if parameter.default is None else _default(parameter, texts)


def with_defaults(ev: BlockEvaluator, row: Function, operands: list[Operand]) -> list[Operand]:
    missing = [p for p in row.parameters[len(operands) :] if p.optional]
    filled = [_when_empty(row.parameter(i), o, ev.texts) if o.missing else o for i, o in enumerate(operands)]
    return filled + [_default(p, ev.texts) for p in missing]


class Pass(Exception):
    """An error in an argument is the result."""

    def __init__(self, number: float, kind: int) -> None:
        super().__init__(kind)
        self.number = number
        self.kind = kind


def argument(
    ev: BlockEvaluator,
    parameter: Parameter,
    operand: Operand,
    view: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]],
    at: tuple[int, ...],
) -> Any:
    if parameter.kind not in ONE_VALUE:
        # What may be left out is None; what must be there but is left empty between commas is an empty cell.
        return None if operand.missing and parameter.optional else Matrix(view[0][at], view[1][at])
    if operand.missing and parameter.optional and parameter.default is None:
        return None
    value = ev.scalar(float(view[0][at]), int(view[1][at]))
    if parameter.kind == "any":
        return value
    if value.kind >= ERROR:
        raise Pass(float(view[0][at]), value.kind)
    return _COERCE[parameter.kind](value)


def _number_of(value: Scalar) -> float:
    if value.kind == TEXT:
        parsed = parse_number(value.text)
        if parsed is None:
            raise ExcelError(VALUE)
        return parsed
    return value.number


def _logical_of(value: Scalar) -> bool:
    if value.kind == TEXT:
        word = value.text.upper()
        if word in ("TRUE", "FALSE"):
            return word == "TRUE"
        raise ExcelError(VALUE)
    return value.number != 0.0


_COERCE: dict[str, Callable[[Scalar], Any]] = {"number": _number_of, "text": text_of, "logical": _logical_of}
