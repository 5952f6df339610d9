"""Choosing among branches, element by element, over all four axes: what IF, IFS, SWITCH, CHOOSE and IFERROR share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from xlsx_attention.functions.operators import align
from xlsx_attention.functions.registry import Evaluator, NeedsCells, Operand
from xlsx_attention.model.formula import Missing, Tree
from xlsx_attention.model.values import EMPTY, ERROR, LOGICAL, TEXT, Array

Branch = Callable[[], Operand]


def branch(ev: Evaluator, node: Tree) -> Operand:
    """A branch's value, with references kept; one that is left out between commas is 0."""
    return Operand(Array.of(0.0)) if isinstance(node, Missing) else ev.evaluate(node)


def choose(index: Array, branches: Mapping[int, Branch]) -> Operand:
    """The branch that ``index`` (numbers on four axes, errors where there is nothing to choose) names, place by place.

    A branch that no place names is not evaluated, so its errors vanish. Where a whole block of single values means one
    and the same branch, its operand is handed on as it is (reference, array, LAMBDA).
    """
    number, kind = index.full()
    good = kind < ERROR
    wanted = [int(n) for n in np.unique(number[good])]
    if index.is_single and len(wanted) == 1 and good.all():
        return branches[wanted[0]]()
    if not wanted:
        return Operand(index)
    taken = {i: branches[i]() for i in (sorted(branches) if not index.is_single else wanted)}
    return merge(index, taken)


def merge(index: Array, taken: Mapping[int, Operand]) -> Operand:
    """The elements of evaluated branches; :class:`NeedsCells` where cells of the block need arrays of unlike shapes."""
    operands = list(taken.values())
    if index.is_single and index.shape[:2] != (1, 1) and len({o.array.shape[2:] for o in operands}) > 1:
        raise NeedsCells
    first, *others = align([index, *(o.array for o in operands)])
    shape = np.broadcast_shapes(first.shape, *(a.shape for a in others))
    chosen, errors = np.broadcast_to(first.number, shape), np.broadcast_to(first.kind, shape)
    good = errors < ERROR
    number, kind = np.array(chosen), np.array(errors)
    for i, array in zip(taken, others, strict=True):
        here = good & (chosen == i)
        number = np.where(here, array.number, number)
        kind = np.where(here, array.kind, kind)
    return Operand(Array(number, kind), is_reference=_is_reference(index, operands))


def _counts_otherwise(operand: Operand) -> bool:
    """Whether it holds what counts in the one way and not in the other: texts, logicals, empty cells."""
    kind = operand.array.kind
    return bool(((kind == TEXT) | (kind == LOGICAL) | (kind == EMPTY)).any())


def _is_reference(index: Array, operands: list[Operand]) -> bool:
    """Whether SUM and the like should see the merged block as cells (texts do not count) or as typed values.

    A block in which some cells see the one and some the other runs cell by cell, where it makes a difference.
    """
    if not index.is_single:
        return False
    references = [o for o in operands if o.is_reference]
    typed = [o for o in operands if not o.is_reference]
    if not typed or not references:
        return not typed
    if not any(map(_counts_otherwise, typed)):
        return True
    if not any(map(_counts_otherwise, references)):
        return False
    raise NeedsCells
