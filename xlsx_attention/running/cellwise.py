"""Bodies written in Python, called once for each cell."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from xlsx_attention.functions.coercion import collapse
from xlsx_attention.functions.operators import align
from xlsx_attention.functions.registry import ExcelError, Function, Matrix, Operand
from xlsx_attention.model.values import Array
from xlsx_attention.running.arguments import ONE_VALUE, Pass, argument
from xlsx_attention.running.conversion import to_pair

if TYPE_CHECKING:
    from xlsx_attention.running.evaluator import BlockEvaluator


#: Elementary operations that one call of a body written in Python costs.
_PYTHON = 5_000


def lift(ev: BlockEvaluator, row: Function, operands: list[Operand], body: Callable[[list[Any]], Any]) -> Operand:
    """Call ``body`` once for each cell of the block and of the array that one-value parameters brought in.

    ``array`` parameters are handed over whole, as the cell sees them. A body that gives a matrix may only do so for a
    single call.
    """
    lifted = [row.parameter(i).kind in ONE_VALUE for i in range(len(operands))]
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
                argument(ev, row.parameter(i), operands[i], v, at if one else at[:2])
                for i, (v, one) in enumerate(zip(views, lifted, strict=True))
            ]
            result = body(values)
        except ExcelError as error:
            number[at], kind[at] = error.number, error.kind
            continue
        except Pass as passed:
            number[at], kind[at] = passed.number, passed.kind
            continue
        if isinstance(result, Matrix):
            if size == 1:
                return ev.from_python(result)
            number[at], kind[at] = result.number[0, 0], result.kind[0, 0]
        else:
            number[at], kind[at] = to_pair(result, ev.texts)
    return Operand(Array(number, collapse(kind)))
