"""Blocks that round on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from xlsx_attention.model.formula import Apply, Binary, Call, Single, Tree, Unary
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.role import Place
from xlsx_attention.model.values import Floats

ROUNDING = frozenset({"ROUND", "ROUNDUP", "ROUNDDOWN", "TRUNC", "INT", "MROUND", "FIXED"})


def calls(tree: Tree) -> Iterator[str]:
    """Names of all functions that a formula calls."""
    stack = [tree]
    while stack:
        match stack.pop():
            case Call(name, args):
                yield name
                stack += args
            case Apply(callee, args):
                stack += (callee, *args)
            case Binary(_, left, right):
                stack += (left, right)
            case Unary(_, operand) | Single(operand):
                stack.append(operand)
            case _:
                pass


def rounded_to(plan: Plan, place: Place, own: Floats, right: Sequence[Floats]) -> int | None:
    """To how many decimals a block rounds what its step gives; ``None`` where it does not."""
    if not any(ROUNDING.intersection(calls(plan.steps[index].tree)) for index in place.steps):
        return None
    for digits in range(9):
        unit = 10.0**-digits
        for matrix in right:
            if matrix.size != own.size or not np.isfinite(matrix).all() or not np.isfinite(own).all():
                continue
            exact = matrix.reshape(own.shape)
            steps = own / unit
            whole = np.abs(steps - np.round(steps)) < 1e-6
            if whole.all() and (np.abs(own - exact) <= unit * (1 + 1e-9)).all():
                return digits
    return None
