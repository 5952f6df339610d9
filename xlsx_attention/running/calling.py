"""How a function's body is called, by the style of its row: the only place where arguments become what a body asks
for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.coercion import collapse, finish, first_error, to_number
from xlsx_attention.functions.operators import align
from xlsx_attention.functions.registry import ExcelError, Function, Lambda, Operand
from xlsx_attention.functions.table import lookup
from xlsx_attention.model.formula import Call, NameRef
from xlsx_attention.model.values import ERROR, VALUE, Array
from xlsx_attention.running.arguments import operands_of, with_defaults
from xlsx_attention.running.cellwise import lift
from xlsx_attention.running.products import is_sum_of_products, summed
from xlsx_attention.running.reductions import reduction

if TYPE_CHECKING:
    from xlsx_attention.running.evaluator import BlockEvaluator


#: Functions whose every parameter is an array: what stands in them is computed as in an array formula, in any cell, so
#: that ``SUMPRODUCT(EXP(A1:C1))`` needs no Ctrl+Shift+Enter. (The parameter class "array" of OpenOffice.org's
#: documentation of the Excel file format, section 3.2; Microsoft: "Guidelines and examples of array formulas".)
_TAKES_ARRAYS = frozenset((
    "SUMPRODUCT", "MMULT", "MDETERM", "MINVERSE", "TRANSPOSE", "SUMX2MY2", "SUMX2PY2", "SUMXMY2", "CORREL", "COVAR",
    "COVARIANCE.P", "COVARIANCE.S", "PEARSON", "RSQ", "SLOPE", "INTERCEPT", "STEYX", "LINEST", "LOGEST", "TREND",
    "GROWTH", "PROB", "FREQUENCY",
))  # fmt: skip


def call(ev: BlockEvaluator, node: Call, want: str) -> Operand:
    """Evaluate a call by name."""
    row = lookup(node.name)
    if row is None:
        return ev.not_computed(node.name)
    if not row.minimum <= len(node.args) <= row.maximum:
        return ev.error(VALUE)
    if ev.mode == "plain" and row.name in _TAKES_ARRAYS:
        ev = ev.taking_arrays()
    try:
        return _STYLES[row.style](ev, row, node)
    except ExcelError as error:
        return Operand(Array.of(error.number, error.kind))
    except NotComputed as lack:
        if lack.code == "over-budget" and (ev.rect.size > 1 or ev.machine.exhausted()):
            raise
        return ev.not_computed(str(lack) if lack.code == "over-budget" else lack.message)


def builtin_as_lambda(name: str) -> Lambda | None:
    """``BYROW(A1:C3, SUM)``: a function's name as a value."""
    name = name.removeprefix("_XLETA.")
    row = lookup(name)
    if row is None or row.style == "lazy":
        return None
    parameters = tuple(f"_{i}" for i in range(max(1, row.minimum)))
    return Lambda(parameters, frozenset(), Call(name, tuple(map(NameRef, parameters))), {})


def _numeric(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    operands = with_defaults(ev, row, operands_of(ev, row, node))
    arrays = align([to_number(o.array, ev.texts) for o in operands]) if operands else []
    size = 1
    for axis in range(4):
        size *= max((a.shape[axis] for a in arrays), default=1)
    if size > 4096:
        ev.charge(size)
    error = first_error(arrays)
    numbers = [a.number if error is None else np.where(a.kind >= ERROR, 0.0, a.number) for a in arrays]
    with np.errstate(all="ignore"):
        result = row.body(*numbers)
    number, kind = result if isinstance(result, tuple) else (result, None)
    if error is not None and kind is not None:
        kind = np.where(error[1] >= ERROR, np.uint8(0), kind)
    return Operand(finish(_on_four_axes(number), None if kind is None else _on_four_axes(kind), error))


def _on_four_axes(array: Any) -> Any:
    array = np.asarray(array)
    return array.reshape((1,) * (4 - array.ndim) + array.shape) if array.ndim < 4 else array


def _scalar(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    operands = with_defaults(ev, row, operands_of(ev, row, node))
    return lift(ev, row, operands, lambda values: row.body(ev, *values))


#: Matrix functions whose work grows with the third power of the side.
_CUBIC = frozenset({"MMULT", "MDETERM", "MINVERSE"})


def _matrix(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    if is_sum_of_products(ev, node):
        products, operand = summed(ev, node)
        if products is not None:
            return products
        operands = [operand]
    else:
        operands = [ev.evaluate(arg, "array") for arg in node.args]
    for operand in operands:
        ev.charge(math.prod(operand.array.shape[2:]))
    if row.name in _CUBIC and operands:
        first, last = operands[0].array.shape, operands[-1].array.shape
        cells = max(first[0], last[0]) * max(first[1], last[1])
        # Rows times columns of the result, times the length that is summed over.
        ev.toil(2 * cells * first[2] * first[3] * last[3])
    with np.errstate(all="ignore"):
        result: Array = row.body(*(o.array for o in operands))
    return Operand(Array(result.number + 0.0, collapse(result.kind)))


def _array(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    operands = with_defaults(ev, row, operands_of(ev, row, node))
    return lift(ev, row, operands, lambda values: row.body(ev, *values))


def _lazy(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    result: Operand = row.body(ev, *node.args)
    return result


def _reference(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    operands = with_defaults(ev, row, operands_of(ev, row, node))
    result: Operand = row.body(ev, *operands)
    return result


_STYLES: dict[str, Callable[[BlockEvaluator, Function, Call], Operand]] = {
    "numeric": _numeric,
    "scalar": _scalar,
    "reduction": reduction,
    "matrix": _matrix,
    "array": _array,
    "lazy": _lazy,
    "reference": _reference,
}
