"""n · Σ|terms|: how large the numbers were that a step added up, which bounds what rounding can do to its result.

Only asked for where two results differ by more than the relative tolerance, so it may be slow and is written plainly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from xlsx_attention.errors import NotComputed
from xlsx_attention.functions.registry import ExcelError, NeedsCells
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Binary, Call, Tree, Unary
from xlsx_attention.model.plan import Step
from xlsx_attention.model.values import NUMBER, Floats
from xlsx_attention.running.evaluator import BlockEvaluator
from xlsx_attention.running.machine import Machine


def magnitude(machine: Machine, step: Step, rect: Rect) -> Floats:
    """Shape of ``rect`` (which lies in the step's cells); at least the result's own size."""
    block = step.block
    whole = block.rect if block.spill is not None else rect
    number = np.zeros(rect.shape)
    try:
        if step.vectorised and not (step.growing_rows or step.growing_columns):
            with suppress(NeedsCells):
                return _together(machine, step, rect, whole)
        cells = [(block.rect.top, block.rect.left)] if block.spill is not None else list(rect.cells())
        for row, column in cells:
            ev = BlockEvaluator(machine, block.sheet, Rect.cell(row, column), block.mode, one_by_one=True)
            terms = _Terms(ev).of(step.tree)
            if block.spill is not None:
                return np.full(rect.shape, float(np.max(terms)))
            number[row - rect.top, column - rect.left] = terms.flat[0]
    except (NotComputed, ExcelError, ValueError, RecursionError):
        # No bound known: the relative tolerance alone decides.
        return np.zeros(rect.shape)
    return number


def _together(machine: Machine, step: Step, rect: Rect, whole: Rect) -> Floats:
    """All cells at once."""
    block = step.block
    terms = _Terms(BlockEvaluator(machine, block.sheet, whole, block.mode)).of(step.tree)
    if block.spill is not None:
        fitted = np.broadcast_to(terms[0, 0], block.spill.shape) if terms[0, 0].size == 1 else terms[0, 0]
        rows = slice(rect.top - block.spill.top, rect.bottom - block.spill.top)
        columns = slice(rect.left - block.spill.left, rect.right - block.spill.left)
        return np.asarray(np.broadcast_to(fitted[rows, columns], rect.shape))
    return np.asarray(np.broadcast_to(terms[:, :, 0, 0], rect.shape))


class _Terms:
    def __init__(self, ev: BlockEvaluator) -> None:
        self.ev = ev

    def of(self, tree: Tree) -> Floats:
        if isinstance(tree, Binary) and tree.op in _COMBINE:
            # A chain of operators is deep to its left: walk it, do not recurse.
            spine: list[Binary] = []
            first: Tree = tree
            while isinstance(first, Binary) and first.op in _COMBINE:
                spine.append(first)
                first = first.left
            # n terms added one after the other: n times their sum, whatever stands on either side of each sign.
            terms, count = self.of(first), 1
            for binary in reversed(spine):
                if binary.op in "+-":
                    terms, count = terms + self._room(terms, self.of(binary.right)), count + 1
                    continue
                terms, count = count * terms, 1
                if binary.op == "/":
                    with np.errstate(all="ignore"):
                        divisor = self._room(terms, np.abs(self._value(binary.right)))
                        terms = np.nan_to_num(terms / divisor, posinf=0.0)
                else:
                    terms = terms * self._room(terms, self.of(binary.right))
            return count * terms
        if isinstance(tree, Unary):
            inner = self.of(tree.operand)
            return inner / 100.0 if tree.op == "%" else inner
        if isinstance(tree, Call) and tree.name in _SUMS and tree.args:
            return _SUMS[tree.name](self, tree)
        return np.abs(self._value(tree))

    def _room(self, left: Floats, right: Floats) -> Floats:
        """``right``, once there is room for what the two make together."""
        self.ev.charge(math.prod(np.broadcast_shapes(left.shape, right.shape)))
        return right

    def _value(self, tree: Tree) -> Floats:
        array = self.ev.evaluate(tree).array
        return np.where(array.kind == NUMBER, array.number, 0.0)

    def _sum(self, tree: Call) -> Floats:
        total: Floats = np.zeros((1, 1, 1, 1))
        for arg in tree.args:
            terms = self.of(arg)
            n = terms.shape[2] * terms.shape[3]
            total = total + n * terms.sum(axis=(2, 3), keepdims=True)
        return total

    def _average(self, tree: Call) -> Floats:
        terms = self.of(tree.args[0])
        return np.asarray(terms.sum(axis=(2, 3), keepdims=True))

    def _sumproduct(self, tree: Call) -> Floats:
        product: Floats = np.ones((1, 1, 1, 1))
        for arg in tree.args:
            product = product * self._room(product, self.of(arg))
        return np.asarray(product.shape[2] * product.shape[3] * product.sum(axis=(2, 3), keepdims=True))

    def _mmult(self, tree: Call) -> Floats:
        left, right = self.of(tree.args[0]), self.of(tree.args[1])
        return np.asarray(left.shape[3] * np.matmul(left, right))

    def _transpose(self, tree: Call) -> Floats:
        return np.asarray(self.of(tree.args[0]).swapaxes(2, 3))

    def _exp(self, tree: Call) -> Floats:
        # An error of ε·Σ|terms| in the exponent is a relative one in the result.
        value = np.abs(self._value(tree))
        return np.asarray(value * (1.0 + self.of(tree.args[0])))

    def _log_gamma(self, tree: Call) -> Floats:
        # Near 1 and 2 the result is a difference of terms of about 1, which Excel does not avoid (GAMMALN(1+1E-7)).
        return np.abs(self._value(tree)) + 4.0 * (1.0 + self.of(tree.args[0]))


_COMBINE = frozenset("+-*/")
_SUMS: dict[str, Callable[[_Terms, Call], Floats]] = {
    "SUM": _Terms._sum,
    "AVERAGE": _Terms._average,
    "SUMPRODUCT": _Terms._sumproduct,
    "MMULT": _Terms._mmult,
    "TRANSPOSE": _Terms._transpose,
    "EXP": _Terms._exp,
    "GAMMALN": _Terms._log_gamma,
    "GAMMALN.PRECISE": _Terms._log_gamma,
}
