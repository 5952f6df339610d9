"""SUM and its kin: all arguments as one line of terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xlsx_attention.functions.coercion import finish, to_number
from xlsx_attention.functions.registry import Function, Operand, Parameter
from xlsx_attention.model.formula import Call, LogicalLit, NumberLit, TextLit, Tree
from xlsx_attention.model.values import EMPTY, ERROR, NUMBER, TEXT, Array, TextPool
from xlsx_attention.running.products import is_sum_of_products, summed

if TYPE_CHECKING:
    from xlsx_attention.running.evaluator import BlockEvaluator


def reduction(ev: BlockEvaluator, row: Function, node: Call) -> Operand:
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


def _terms(operand: Operand, arg: Tree, parameter: Parameter, texts: TextPool) -> tuple[Array, np.ndarray[Any, Any]]:
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
