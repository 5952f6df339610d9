"""``SUM(a*b)`` over a block: the sum of products, formed without the array of all products.

A block of 512 × 512 cells ``=SUM($A1:$BL1*A$600:BL$600)`` would multiply out to 17 million numbers before it adds
them up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xlsx_attention.functions.registry import Operand
from xlsx_attention.functions.sums import sum_of_products
from xlsx_attention.model.formula import Binary, Call, Tree
from xlsx_attention.model.values import Array

if TYPE_CHECKING:
    from xlsx_attention.running.evaluator import BlockEvaluator


def is_sum_of_products(ev: BlockEvaluator, node: Call) -> bool:
    """``SUM(a*b*…)`` where it takes arrays, and ``SUMPRODUCT(a*b*…)``."""
    if len(node.args) != 1 or not isinstance(node.args[0], Binary) or node.args[0].op != "*":
        return False
    return node.name == "SUMPRODUCT" or (node.name == "SUM" and ev.mode != "plain")


def summed(ev: BlockEvaluator, node: Call) -> tuple[Operand | None, Operand]:
    """The sum where all factors are numbers, and what the argument is worth where they are not: one of the two
    counts.
    """
    factors = [ev.evaluate(factor, "array").array for factor in _factors(node.args[0])]
    total = _sum(ev, factors)
    if total is not None:
        return Operand(total), Operand(total)
    product = factors[0]
    for factor in factors[1:]:
        product = ev.apply("*", product, factor)
    return None, Operand(product)


def _factors(tree: Tree) -> list[Tree]:
    """a, b, c of ``a*b*c``, which is (a·b)·c."""
    factors: list[Tree] = []
    while isinstance(tree, Binary) and tree.op == "*":
        factors.append(tree.right)
        tree = tree.left
    return [tree, *reversed(factors)]


def _sum(ev: BlockEvaluator, factors: list[Array]) -> Array | None:
    rows = max(a.shape[2] for a in factors)
    columns = max(a.shape[3] for a in factors)
    if any(not a.only_numbers or a.shape[2] not in (1, rows) or a.shape[3] not in (1, columns) for a in factors):
        return None
    height, width = max(a.shape[0] for a in factors), max(a.shape[1] for a in factors)
    ev.charge(height * width)
    # A factor that is a row or a column is written out to the whole array, whose room is asked for first.
    ev.charge(sum(a.shape[0] * a.shape[1] * rows * columns for a in factors if a.shape[2:] != (rows, columns)))
    ev.toil(height * width * rows * columns * len(factors))
    flat = [
        np.broadcast_to(a.number, (*a.shape[:2], rows, columns)).reshape(*a.shape[:2], rows * columns) for a in factors
    ]
    with np.errstate(all="ignore"):
        total = sum_of_products(*flat)[..., None, None] + 0.0
    # A product that no double holds is an error of its own: term by term then.
    return Array.numbers(total) if np.isfinite(total).all() else None
