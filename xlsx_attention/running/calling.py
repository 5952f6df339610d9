"""How a function's body is called, by the style of its row: the only place where arguments become what a body asks
for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.coercion import collapse, finish, first_error, text_of, to_number
from xlsx_attention.functions.numbers_as_text import parse_number
from xlsx_attention.functions.operators import align
from xlsx_attention.functions.registry import ExcelError, Function, Lambda, Matrix, Operand, Parameter
from xlsx_attention.functions.table import lookup
from xlsx_attention.model.formula import Call, ErrorLit, LogicalLit, Missing, NameRef, NumberLit, TextLit, Tree
from xlsx_attention.model.values import (
    EMPTY,
    ERROR,
    LOGICAL,
    NOT_COMPUTED,
    NUM,
    NUMBER,
    TEXT,
    VALUE,
    Array,
    Scalar,
    TextPool,
)
from xlsx_attention.running.products import is_sum_of_products, summed

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


# --- arguments ------------------------------------------------------------------------------------------------------
def _operands(ev: BlockEvaluator, row: Function, node: Call) -> list[Operand]:
    """Every argument evaluated, one value a cell where the parameter asks for one."""
    operands = []
    for position, arg in enumerate(node.args):
        kind = row.parameter(position).kind
        operands.append(ev.evaluate(arg, "value" if kind in _ONE_VALUE else "array"))
    return operands


_ONE_VALUE = frozenset({"number", "text", "logical", "any"})


def _default(parameter: Parameter, texts: TextPool) -> Operand:
    if parameter.default is None:
        return Operand(Array.of(0.0, EMPTY), missing=True)
    return Operand(Array.of(*to_pair(parameter.default, texts)))


def _when_empty(parameter: Parameter, operand: Operand, texts: TextPool) -> Operand:
    """An argument left empty between commas."""
    if parameter.blank is not None:
        return Operand(Array.of(*to_pair(parameter.blank, texts)))
    return operand if parameter.default is None else _default(parameter, texts)


def _with_defaults(ev: BlockEvaluator, row: Function, operands: list[Operand]) -> list[Operand]:
    missing = [p for p in row.parameters[len(operands) :] if p.optional]
    filled = [_when_empty(row.parameter(i), o, ev.texts) if o.missing else o for i, o in enumerate(operands)]
    return filled + [_default(p, ev.texts) for p in missing]


# --- styles ---------------------------------------------------------------------------------------------------------
def _numeric(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    operands = _with_defaults(ev, row, _operands(ev, row, node))
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
    operands = _with_defaults(ev, row, _operands(ev, row, node))
    return _lift(ev, row, operands, lambda values: row.body(ev, *values))


def _lift(
    ev: BlockEvaluator, row: Function, operands: list[Operand], body: Callable[[list[Any]], Any]
) -> Operand:
    """Call ``body`` once for each cell of the block and of the array that one-value parameters brought in.

    ``array`` parameters are handed over whole, as the cell sees them. A body that gives a matrix may only do so for a
    single call.
    """
    lifted = [row.parameter(i).kind in _ONE_VALUE for i in range(len(operands))]
    ones = align([o.array for o, one in zip(operands, lifted, strict=True) if one])
    ones_full = iter([a.full() for a in ones])
    fulls = [next(ones_full) if one else o.array.full() for o, one in zip(operands, lifted, strict=True)]
    block = np.broadcast_shapes(*(f[0].shape[:2] for f in fulls)) if fulls else (1, 1)
    inner = np.broadcast_shapes(*(f[0].shape[2:] for f, one in zip(fulls, lifted, strict=True) if one), (1, 1))
    shape = (*block, *inner)
    views = []
    for (number, kind), one in zip(fulls, lifted, strict=True):
        target = shape if one else (*block, *number.shape[2:])
        views.append((np.broadcast_to(number, target), np.broadcast_to(kind, target)))
    size = math.prod(shape)
    ev.charge(size)
    # What is handed over whole is looked through once a call.
    through = sum(math.prod(full[0].shape[2:]) for full, one in zip(fulls, lifted, strict=True) if not one)
    ev.toil(size * (_PYTHON + 2 * through))
    number, kind = np.zeros(shape), np.zeros(shape, np.uint8)
    for at in np.ndindex(shape):
        try:
            values = [
                _argument(ev, row.parameter(i), operands[i], v, at if one else at[:2])
                for i, (v, one) in enumerate(zip(views, lifted, strict=True))
            ]
            result = body(values)
        except ExcelError as error:
            number[at], kind[at] = error.number, error.kind
            continue
        except _Pass as passed:
            number[at], kind[at] = passed.number, passed.kind
            continue
        if isinstance(result, Matrix):
            if size == 1:
                return ev.from_python(result)
            number[at], kind[at] = result.number[0, 0], result.kind[0, 0]
        else:
            number[at], kind[at] = to_pair(result, ev.texts)
    return Operand(Array(number, collapse(kind)))


class _Pass(Exception):
    """An error in an argument is the result."""

    def __init__(self, number: float, kind: int) -> None:
        super().__init__(kind)
        self.number = number
        self.kind = kind


def _argument(
    ev: BlockEvaluator,
    parameter: Parameter,
    operand: Operand,
    view: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]],
    at: tuple[int, ...],
) -> Any:
    if parameter.kind not in _ONE_VALUE:
        # What may be left out is None; what must be there but is left empty between commas is an empty cell.
        return None if operand.missing and parameter.optional else Matrix(view[0][at], view[1][at])
    if operand.missing and parameter.optional and parameter.default is None:
        return None
    value = ev.scalar(float(view[0][at]), int(view[1][at]))
    if parameter.kind == "any":
        return value
    if value.kind >= ERROR:
        raise _Pass(float(view[0][at]), value.kind)
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


def _reduction(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    parts: list[Array] = []
    keeps: list[np.ndarray[Any, Any]] = []
    for position, arg in enumerate(node.args):
        parameter = row.parameter(position)
        if is_sum_of_products(ev, node):
            products, operand = summed(ev, node)
            if products is not None:
                return products
        else:
            operand = ev.evaluate(arg, "array" if ev.mode != "plain" or not _computes(arg) else "value")
        array, keep = _terms(operand, arg, parameter, ev.texts)
        parts.append(array)
        keeps.append(keep)
    # Without a copy where one argument is all numbers: by far the most common sheet.
    shapes = [p.shape for p in parts]
    block = (max(s[0] for s in shapes), max(s[1] for s in shapes))
    flat, flags, kinds = [], [], []
    for array, keep in zip(parts, keeps, strict=True):
        number, kind = array.full()
        head = number.shape[:2] if len(parts) == 1 else block
        n = number.shape[2] * number.shape[3]
        ev.charge(head[0] * head[1] * n)
        flat.append(np.broadcast_to(number.reshape(*number.shape[:2], n), (*head, n)))
        flags.append(np.broadcast_to(np.broadcast_to(keep, number.shape).reshape(*number.shape[:2], n), (*head, n)))
        if (kind >= ERROR).any():
            kinds.append(np.broadcast_to(kind.reshape(*number.shape[:2], n), (*head, n)))
        else:
            kinds.append(np.zeros((1, 1, n), np.uint8))
    x = flat[0] if len(flat) == 1 else np.concatenate(flat, axis=2)
    keep = flags[0] if len(flags) == 1 else np.concatenate(flags, axis=2)
    error = None
    if any(k.any() for k in kinds):
        each = np.concatenate([np.broadcast_to(k, f.shape) for k, f in zip(kinds, flat, strict=True)], axis=2)
        bad = each >= ERROR
        first = bad.argmax(axis=2)[..., None]
        has = bad.any(axis=2)
        error = (
            np.where(has, np.take_along_axis(x, first, 2)[..., 0], 0.0)[:, :, None, None],
            np.where(has, np.take_along_axis(each, first, 2)[..., 0], np.uint8(NUMBER))[:, :, None, None],
        )
        if row.name in _COUNTS_ERRORS:
            error = None
    if not keep.all():
        x = np.where(keep, x, 0.0)
    with np.errstate(all="ignore"):
        result = row.body(x, keep)
    total, own = result if isinstance(result, tuple) else (result, None)
    total = np.asarray(total, np.float64)[:, :, None, None]
    own = None if own is None else np.asarray(own, np.uint8)[:, :, None, None]
    if error is not None and own is not None:
        own = np.where(error[1] >= ERROR, np.uint8(0), own)
    return Operand(finish(total, own, error))


_COUNTS_ERRORS = frozenset({"COUNT", "COUNTA"})


def _computes(arg: Tree) -> bool:
    """Whether an argument is an operation on values, so that ranges in it are intersected in a plain formula."""
    from xlsx_attention.model.formula import Binary, Unary

    return isinstance(arg, Unary) or (isinstance(arg, Binary) and arg.op not in (":", ",", " "))


def _terms(
    operand: Operand, arg: Tree, parameter: Parameter, texts: TextPool
) -> tuple[Array, np.ndarray[Any, Any]]:
    """One argument of a reduction as terms and which of them count.

    In a range or array texts, logicals and empty cells do not count; a value typed as an argument is made a number.
    """
    array = operand.array
    if operand.missing:
        return Array.of(0.0), np.ones((1, 1, 1, 1), bool)
    if array.only_numbers:
        return array, np.ones((1, 1, 1, 1), bool)
    if parameter.kind == "values":
        kind = array.kind
        number = np.where(kind == TEXT, 0.0, array.number) if (kind == TEXT).any() else array.number
        counted = kind != EMPTY if operand.is_reference else np.ones(kind.shape, bool)
        return Array(number, np.where(kind >= ERROR, kind, np.uint8(0))), counted
    if not operand.is_reference and array.is_single:
        array = to_number(array, texts)
        return array, array.kind < ERROR
    if not operand.is_reference and isinstance(arg, (TextLit, LogicalLit, NumberLit)):
        array = to_number(array, texts)
        return array, array.kind < ERROR
    return Array(array.number, np.where(array.kind >= ERROR, array.kind, np.uint8(0))), array.kind == NUMBER


#: Elementary operations that one call of a body written in Python costs.
_PYTHON = 5_000
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
    operands = _with_defaults(ev, row, _operands(ev, row, node))
    return _lift(ev, row, operands, lambda values: row.body(ev, *values))


def _lazy(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    result: Operand = row.body(ev, *node.args)
    return result


def _reference(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
    operands = _with_defaults(ev, row, _operands(ev, row, node))
    result: Operand = row.body(ev, *operands)
    return result


_STYLES: dict[str, Callable[[BlockEvaluator, Function, Call], Operand]] = {
    "numeric": _numeric,
    "scalar": _scalar,
    "reduction": _reduction,
    "matrix": _matrix,
    "array": _array,
    "lazy": _lazy,
    "reference": _reference,
}


# --- values in and out ----------------------------------------------------------------------------------------------
def to_pair(value: Any, texts: TextPool) -> tuple[float, int]:
    """A Python value as (number, kind); ``#NUM!`` for what no double holds."""
    if isinstance(value, Scalar):
        if value.kind == NOT_COMPUTED:
            return float(texts.note(value.text)), value.kind
        if value.kind == TEXT:
            return float(texts.add(value.text)), value.kind
        return value.number, value.kind
    if isinstance(value, (bool, np.bool_)):
        return float(value), LOGICAL
    if isinstance(value, str):
        return (float(texts.add(value)), TEXT) if len(value) <= 32_767 else (0.0, VALUE)
    number = float(value) + 0.0
    return (number, NUMBER) if np.isfinite(number) else (0.0, NUM)


def literal(item: NumberLit | TextLit | LogicalLit | ErrorLit | Missing, texts: TextPool) -> tuple[float, int]:
    if isinstance(item, ErrorLit):
        return 0.0, item.kind
    if isinstance(item, Missing):
        return 0.0, EMPTY
    return to_pair(item.value, texts)


def join(arrays: list[Array]) -> Array:
    """Several areas as one row of values, in order."""
    block = (max(a.shape[0] for a in arrays), max(a.shape[1] for a in arrays))
    numbers, kinds = [], []
    for array in arrays:
        number, kind = array.full()
        n = number.shape[2] * number.shape[3]
        numbers.append(np.broadcast_to(number.reshape(*number.shape[:2], 1, n), (*block, 1, n)))
        kinds.append(np.broadcast_to(kind.reshape(*number.shape[:2], 1, n), (*block, 1, n)))
    return Array(np.concatenate(numbers, axis=3), collapse(np.concatenate(kinds, axis=3)))


__all__ = ["builtin_as_lambda", "call", "collapse", "join", "literal", "to_pair"]
