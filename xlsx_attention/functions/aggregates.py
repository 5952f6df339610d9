"""Totals over cells: SUM, PRODUCT, MAX, MIN, AVERAGE, COUNT and their like."""

from __future__ import annotations

import numpy as np

from xlsx_attention.functions.coercion import to_number
from xlsx_attention.functions.gathering import gather_all, result_operand
from xlsx_attention.functions.registry import Evaluator, Operand, function
from xlsx_attention.functions.sums import sum_last, sum_of_products
from xlsx_attention.model.values import DIV0, EMPTY, ERROR, NUMBER, TEXT, Floats, Kinds

Result = tuple[Floats, Kinds]


def divide_by_count(total: Floats, count: Floats) -> Result:
    """``total / count``; ``#DIV/0!`` where nothing was counted."""
    none = count <= 0
    return np.where(none, 0.0, total / np.where(none, 1, count)), np.where(none, np.uint8(DIV0), np.uint8(0))


@function("SUM", "number:numbers ...", "reduction")
def sum_(x: Floats, keep: np.ndarray) -> Floats:
    """``x1 + x2 + …`` from left to right; nothing to add gives 0."""
    return sum_last(x)


@function("SUMSQ", "number:numbers ...", "reduction")
def sumsq(x: Floats, keep: np.ndarray) -> Floats:
    """``x1² + x2² + …``."""
    return sum_of_products(x, x)


@function("PRODUCT", "number:numbers ...", "reduction")
def product(x: Floats, keep: np.ndarray) -> Floats:
    """``x1 · x2 · …`` from left to right; 0 where there is no number at all (as Excel gives it)."""
    ones = np.where(keep, x, 1.0)
    if ones.shape[-1] == 0:
        return np.zeros(x.shape[:-1])
    total = np.multiply.accumulate(ones, axis=-1)[..., -1]
    return np.where(keep.any(axis=-1), total, 0.0)


@function("MAX", "number:numbers ...", "reduction")
def max_(x: Floats, keep: np.ndarray) -> Floats:
    """The largest number; 0 where there is none."""
    top = np.where(keep, x, -np.inf).max(axis=-1, initial=-np.inf)
    return np.where(np.isneginf(top), 0.0, top)


@function("MIN", "number:numbers ...", "reduction")
def min_(x: Floats, keep: np.ndarray) -> Floats:
    """The smallest number; 0 where there is none."""
    bottom = np.where(keep, x, np.inf).min(axis=-1, initial=np.inf)
    return np.where(np.isposinf(bottom), 0.0, bottom)


@function("AVERAGE", "number:numbers ...", "reduction")
def average(x: Floats, keep: np.ndarray) -> Result:
    """``(x1 + x2 + …) / n``; ``#DIV/0!`` where there is no number."""
    return divide_by_count(sum_last(x), keep.sum(axis=-1))


@function("COUNT", "value:values ...", "reference", vectorised=True)
def count(ev: Evaluator, *operands: Operand) -> Operand:
    """How many numbers: in cells and arrays only numbers count; typed also logicals and texts that read as numbers.

    Errors do not count and do not pass.
    """
    total = np.zeros((1, 1))
    for operand in operands:
        _, kind = operand.array.full()
        counts = kind == NUMBER
        if operand.missing:
            counts = np.ones((1, 1, 1, 1), bool)
        elif not operand.is_reference and operand.array.is_single:
            counts = np.broadcast_to(to_number(operand.array, ev.texts).kind < ERROR, kind.shape)
        total = total + counts.sum(axis=(2, 3))
    return result_operand(total)


@function("COUNTA", "value:values ...", "reference", vectorised=True)
def counta(ev: Evaluator, *operands: Operand) -> Operand:
    """How many values of any kind, errors and empty texts included; empty cells alone do not count."""
    total = np.zeros((1, 1))
    for operand in operands:
        _, kind = operand.array.full()
        total = total + (np.ones((1, 1)) if operand.missing else (kind != EMPTY).sum(axis=(2, 3)))
    return result_operand(total)


@function("COUNTBLANK", "range:reference", "reference")
def countblank(ev: Evaluator, operand: Operand) -> Operand:
    """How many cells are empty or hold the empty text. Empty cells beyond the used range count too."""
    number, kind = operand.array.full()
    blank = (kind == EMPTY).astype(np.float64)
    text = kind == TEXT
    for index in np.unique(number[text]):
        if ev.texts[index] == "":
            blank[text & (number == index)] = 1.0
    unread = 0
    if operand.areas:
        unread = sum(area.rect.size for area in operand.areas) - number.shape[2] * number.shape[3]
    return result_operand(blank.sum(axis=(2, 3)) + unread)


@function("MAXA", "value:values ...", "reference", vectorised=True)
def maxa(ev: Evaluator, *operands: Operand) -> Operand:
    """The largest of numbers, logicals (1, 0) and texts (0 in cells)."""
    x, keep, error = gather_all(ev.texts, operands)
    return result_operand(max_(x, keep), error)


@function("MINA", "value:values ...", "reference", vectorised=True)
def mina(ev: Evaluator, *operands: Operand) -> Operand:
    """The smallest of numbers, logicals (1, 0) and texts (0 in cells)."""
    x, keep, error = gather_all(ev.texts, operands)
    return result_operand(min_(x, keep), error)


@function("AVERAGEA", "value:values ...", "reference", vectorised=True)
def averagea(ev: Evaluator, *operands: Operand) -> Operand:
    """The mean of numbers, logicals (1, 0) and texts (0 in cells); ``#DIV/0!`` where there is nothing."""
    x, keep, error = gather_all(ev.texts, operands)
    return result_operand(average(x, keep), error)
