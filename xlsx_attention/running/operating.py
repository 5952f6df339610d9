"""Nodes that are values, or make new ones of values: literals, operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xlsx_attention.functions import operators
from xlsx_attention.functions.coercion import collapse
from xlsx_attention.functions.registry import Operand
from xlsx_attention.model.formula import (
    ArrayLit,
    Binary,
    ErrorLit,
    LogicalLit,
    Missing,
    NumberLit,
    TextLit,
    Tree,
    Unary,
)
from xlsx_attention.model.values import EMPTY, LOGICAL, NUMBER, TEXT, Array
from xlsx_attention.running.conversion import literal
from xlsx_attention.running.machine import NODE, Want
from xlsx_attention.running.referring import REFERENCE_OPERATORS, reference_operator

if TYPE_CHECKING:
    from xlsx_attention.running.evaluator import BlockEvaluator


def number_or_logical(ev: BlockEvaluator, node: NumberLit | LogicalLit, want: Want) -> Operand:
    return Operand(Array.of(float(node.value), LOGICAL if isinstance(node, LogicalLit) else NUMBER))


def text_literal(ev: BlockEvaluator, node: TextLit, want: Want) -> Operand:
    return Operand(Array.of(float(ev.texts.add(node.value)), TEXT))


def error_literal(ev: BlockEvaluator, node: ErrorLit, want: Want) -> Operand:
    return ev.error(node.kind)


def missing(ev: BlockEvaluator, node: Missing, want: Want) -> Operand:
    return Operand(Array.of(0.0, EMPTY), missing=True)


def array_literal(ev: BlockEvaluator, node: ArrayLit, want: Want) -> Operand:
    pairs = [[literal(item, ev.texts) for item in row] for row in node.rows]
    number = np.array([[pair[0] for pair in row] for row in pairs])
    kind = np.array([[pair[1] for pair in row] for row in pairs], np.uint8)
    return Operand(Array(number[None, None], collapse(kind[None, None])))


def unary(ev: BlockEvaluator, node: Unary, want: Want) -> Operand:
    ops = [node.op]
    inner: Tree = node.operand
    while isinstance(inner, Unary):
        ops.append(inner.op)
        inner = inner.operand
    operand = ev.evaluate(inner, want)
    array = operand.array
    for op in reversed(ops):
        if op == "-":
            array = operators.negate(array, ev.texts)
        elif op == "%":
            array = operators.percent(array, ev.texts)
    return operand if all(op == "+" for op in ops) else Operand(array)


def spine(ev: BlockEvaluator, node: Binary, want: Want) -> tuple[Array, Array]:
    """Both operands of ``node``, its left side folded without recursion: chains of + run thousands deep."""
    chain: list[Binary] = []
    inner: Tree = node.left
    while isinstance(inner, Binary) and inner.op not in REFERENCE_OPERATORS:
        chain.append(inner)
        inner = inner.left
    left = ev.evaluate(inner, want).array
    ev.machine.toil(NODE * len(chain))
    for binary in reversed(chain):
        left = ev.apply(binary.op, left, ev.evaluate(binary.right, want).array)
    return left, ev.evaluate(node.right, want).array


def binary(ev: BlockEvaluator, node: Binary, want: Want) -> Operand:
    if node.op in REFERENCE_OPERATORS:
        return reference_operator(ev, node)
    left, right = spine(ev, node, want)
    return Operand(ev.apply(node.op, left, right))
