"""Planted mistakes: which kinds there are, which of them a lesson has room for, and the lesson with them in it.

A mistake in one cell changes what stands there; a mistake of method gives a whole block another formula. Either way
everything below is computed from it, as a sheet would do.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from xlsx_attention.generating import block_mistakes as block
from xlsx_attention.generating import cell_mistakes as cell
from xlsx_attention.generating.checking import refuse
from xlsx_attention.generating.drawing import Change, Drawn
from xlsx_attention.generating.lesson import Lesson
from xlsx_attention.generating.ops import Env
from xlsx_attention.generating.planting import Cell, Mistake, laid_cell
from xlsx_attention.model.values import Floats

Planter = Callable[[Drawn, random.Random], list[Mistake]]

PLANTERS: dict[str, Planter] = {
    "stale-cache": cell.stale,
    "pasted-value": cell.pasted,
    "rounded-value": cell.rounded,
    "text-for-a-number": cell.text,
    "formula-unlike-its-block": cell.unlike,
    "wrong-range": cell.wrong_range,
    "missing-dollar": cell.dollar,
    "wrong-scale": block.wrong_scale,
    "wrong-axis": block.wrong_axis,
    "missing-transpose": block.missing_transpose,
    "swapped-operands": block.swapped,
    "mask-missing": block.mask_missing,
    "mask-on-rows": block.mask_on_rows,
    "mask-after-softmax": block.mask_after,
    "wrong-projection": block.wrong_projection,
}
KINDS = tuple(PLANTERS)
#: Of these a head takes one: where K is made with W_q, K·Qᵀ is Q·Kᵀ, and nobody can tell.
_STRUCTURE = frozenset({"wrong-projection", "missing-transpose", "swapped-operands"})


def check_kinds(kinds: tuple[str, ...]) -> None:
    """:class:`UsageError` for a kind of mistake that is none."""
    for kind in kinds:
        if kind not in PLANTERS:
            refuse("choice", f"kinds: {kind!r} is not known; {', '.join(KINDS)} are")


def _occupied(mistake: Mistake, drawn: Drawn) -> set[str]:
    """The blocks that a mistake takes, and what else no other may touch."""
    blocks = {mistake.key, *mistake.ops}
    return blocks | {f"structure {drawn.lesson.by_key[mistake.key].head}"} if mistake.kind in _STRUCTURE else blocks


def choose(drawn: Drawn, count: int, kinds: tuple[str, ...], seed: int | str) -> list[Mistake]:
    """``count`` mistakes of these kinds (all by default) that this lesson has room for, no two in one block.

    Kinds are used evenly. Raises :class:`UsageError` where fewer fit than are asked for.
    """
    check_kinds(kinds)
    generator = random.Random(f"mistakes/{seed}")
    pool = {kind: PLANTERS[kind](drawn, generator) for kind in (kinds or KINDS)}
    chosen: list[Mistake] = []
    taken: set[str] = set()
    order = [kind for kind in pool if pool[kind]]
    generator.shuffle(order)
    while len(chosen) < count:
        before = len(chosen)
        for kind in order:
            fitting = [m for m in pool[kind] if not (_occupied(m, drawn) & taken)]
            if fitting and len(chosen) < count:
                mistake = fitting[generator.randrange(len(fitting))]
                chosen.append(mistake)
                taken |= _occupied(mistake, drawn)
        if len(chosen) == before:
            refuse("mistakes", f"{count} mistakes are asked for, but this lesson has room for {before} of these kinds")
    order_of = {step.key: number for number, step in enumerate(drawn.lesson.steps)}
    return sorted(chosen, key=lambda mistake: order_of[mistake.key])


def planted(drawn: Drawn, mistakes: list[Mistake]) -> Drawn:
    """The lesson with the mistakes in it and everything below computed from them."""
    ops = {key: op for mistake in mistakes for key, op in mistake.ops.items()}
    lesson: Lesson = drawn.lesson.with_ops(ops)
    changes: dict[str, dict[Cell, Change]] = {}
    by_key = {mistake.key: mistake for mistake in mistakes if mistake.change is not None}

    def patch(mistake: Mistake) -> Callable[[Env, Floats], Floats]:
        def apply(env: Env, numbers: Floats) -> Floats:
            assert mistake.change is not None
            assert mistake.cell is not None
            formula, value = mistake.change(env, numbers)
            changes[mistake.key] = {laid_cell(mistake.cell, drawn.refs): Change(formula, value)}
            changed = numbers.copy()
            changed[mistake.cell] = float(value)
            return changed

        return apply

    values = lesson.computed({key: patch(mistake) for key, mistake in by_key.items()})
    return replace(drawn, lesson=lesson, values=values, changes=changes)
