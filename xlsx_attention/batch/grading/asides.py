"""Steps of a key that earn no points of their own: what repeats another step, and what a lesson prepares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xlsx_attention.batch.grading.books import KeyBook
from xlsx_attention.batch.grading.roles import asked_steps, copied_steps
from xlsx_attention.model.formula import Call, Located, Single, Spill, Tree


def copies(key: KeyBook) -> frozenset[int]:
    """Steps that only repeat graded ones: a bare reference to them, or their transpose. An exercise gives such helpers
    (Kᵀ beside K), and where a student writes them, nothing is computed.
    """
    graded = {step.index for step in key.graded}
    asked, known = set(), set()
    if key.report is not None:
        asked, known = asked_steps(key.report.attention), copied_steps(key.report.attention)
    return frozenset(
        step.index
        for step in key.graded
        # The blocks of several heads side by side are the role concat, and copies all the same.
        if (_repeats(step.tree) or step.index in known - asked)
        and key.plan.edges.get(step.index)
        and key.plan.edges[step.index] <= graded
    )


def prepared(key: KeyBook) -> frozenset[int]:
    """Steps that lead to attention and follow from none of it (X = E + PE, a mask, d_k): the lesson's own
    preparation. Empty where the key has no attention.
    """
    asked = set() if key.report is None else asked_steps(key.report.attention) - copies(key)
    if not asked:
        return frozenset()
    leading, following = _reached(asked, key.plan.edges), _reached(asked, key.plan.readers())
    return frozenset(step.index for step in key.graded if step.index in leading - following)


def _repeats(tree: Tree) -> bool:
    if isinstance(tree, Call) and tree.name == "TRANSPOSE" and len(tree.args) == 1:
        return _repeats(tree.args[0])
    return _repeats(tree.operand) if isinstance(tree, Spill | Single) else isinstance(tree, Located)


def _reached(start: Iterable[int], edges: Mapping[int, Iterable[int]]) -> set[int]:
    found, stack = set(start), list(start)
    while stack:
        new = [step for step in edges.get(stack.pop(), ()) if step not in found]
        found.update(new)
        stack += new
    return found
