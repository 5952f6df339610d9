"""Mistakes of method: a whole block that consistently computes something else than its step."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from xlsx_attention.generating.drawing import Drawn
from xlsx_attention.generating.lesson import Step
from xlsx_attention.generating.ops import AlongKeys, Masked, Op, Product, Scaled
from xlsx_attention.generating.planting import Mistake
from xlsx_attention.generating.wrong_ops import Across, Kept, MaskedQueries, MaskedWeights, ScaledBy


def _blocks(drawn: Drawn, kind: str, make: Callable[[Step], Mapping[str, Op] | None]) -> list[Mistake]:
    """The mistakes of a kind that take whole blocks: ``make`` gives the blocks' other formulas."""
    found = []
    for step in drawn.lesson.steps:
        ops = make(step) if step.op is not None else None
        if ops:
            found.append(Mistake(kind, step.key, None, ops))
    return found


def wrong_scale(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """÷ d_k in place of ÷ √d_k, in the whole block."""

    def make(step: Step) -> Mapping[str, Op] | None:
        op = step.op
        if isinstance(op, Scaled) and op.width > 1:
            return {step.key: ScaledBy(op.scores, op.name, op.width)}
        return None

    return _blocks(drawn, "wrong-scale", make)


def wrong_axis(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """Sums over the queries where they belong over the keys. A masked key has no sum, so no padding may be hidden."""

    def make(step: Step) -> Mapping[str, Op] | None:
        op = step.op
        if not isinstance(op, AlongKeys) or op.function != "SUM" or drawn.lesson.arrays == "dynamic":
            return None
        exps = drawn.values[op.source]
        square = exps.shape[0] == exps.shape[1] > 1
        return {step.key: Across(op.source, op.function)} if square and (exps.sum(axis=0) > 0.0).all() else None

    return _blocks(drawn, "wrong-axis", make)


def missing_transpose(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """Q·K in place of Q·Kᵀ, where the sizes let it pass."""

    def make(step: Step) -> Mapping[str, Op] | None:
        op = step.op
        if isinstance(op, Product) and op.turned:
            rows, columns = drawn.values[op.right].shape
            return {step.key: replace(op, turned=False)} if rows == columns else None
        return None

    return _blocks(drawn, "missing-transpose", make)


def swapped(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """K·Qᵀ in place of Q·Kᵀ."""

    def make(step: Step) -> Mapping[str, Op] | None:
        op = step.op
        if isinstance(op, Product) and op.turned and len(drawn.values[op.left]) == len(drawn.values[op.right]):
            return {step.key: replace(op, left=op.right, right=op.left)}
        return None

    return _blocks(drawn, "swapped-operands", make)


def mask_missing(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """The masked scores are the scaled ones."""

    def make(step: Step) -> Mapping[str, Op] | None:
        return {step.key: Kept(step.op.scores)} if isinstance(step.op, Masked) and _hides(drawn, step.op) else None

    return _blocks(drawn, "mask-missing", make)


def mask_on_rows(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """The padding mask hides the queries instead of the keys."""

    def make(step: Step) -> Mapping[str, Op] | None:
        op = step.op
        if not isinstance(op, Masked) or len(op.masks) != 1 or not _hides(drawn, op):
            return None
        mask, scores = drawn.values[op.masks[0]], drawn.values[op.scores]
        fits = mask.shape[0] == 1 and scores.shape[0] == scores.shape[1]
        return {step.key: MaskedQueries(op.scores, op.masks[0])} if fits and drawn.lesson.arrays != "dynamic" else None

    return _blocks(drawn, "mask-on-rows", make)


def mask_after(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """Softmax over all scores, and the mask multiplied in afterwards: the rows no longer add up to 1."""
    found = []
    for step in drawn.lesson.steps:
        op = step.op
        if not isinstance(op, Masked) or not _hides(drawn, op) or drawn.lesson.arrays == "dynamic":
            continue
        weights = next(s for s in drawn.lesson.steps if s.role == "weights" and s.head == step.head)
        exp, total = weights.op.inputs if weights.op is not None else ("", "")
        ops: dict[str, Op] = {step.key: Kept(op.scores), weights.key: MaskedWeights(exp, total, op.masks)}
        found.append(Mistake("mask-after-softmax", weights.key, None, ops))
    return found


def wrong_projection(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """K made with W_q, or V with W_k."""
    other = {"K": "W_q", "V": "W_k"}

    def make(step: Step) -> Mapping[str, Op] | None:
        op = step.op
        if step.role not in other or not isinstance(op, Product):
            return None
        weight = op.right.replace(f"W_{step.role.lower()}", other[step.role])
        fits = drawn.values[weight].shape == drawn.values[op.right].shape
        return {step.key: replace(op, right=weight)} if fits else None

    return _blocks(drawn, "wrong-projection", make)


def _hides(drawn: Drawn, op: Masked) -> bool:
    return any(not drawn.values[mask].all() for mask in op.masks)
