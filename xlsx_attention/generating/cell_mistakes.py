"""Mistakes in one cell: a constant over a formula, a number from before, a formula of its own."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from xlsx_attention.generating.drawing import Drawn, array_formula
from xlsx_attention.generating.lesson import Step
from xlsx_attention.generating.ops import AlongKeys, Env, Exp, Op, Product, Scaled
from xlsx_attention.generating.planting import Cell, Mistake, laid_cell
from xlsx_attention.generating.refs import Refs
from xlsx_attention.model.values import Floats

Number = Callable[[Env, Floats], float]


@dataclass(frozen=True, slots=True)
class Typed:
    """A constant, made of what the formula gives."""

    cell: Cell
    wrong: Callable[[float], float | str]

    def __call__(self, env: Env, numbers: Floats) -> tuple[str | None, float | str]:
        return None, self.wrong(float(numbers[self.cell]))


@dataclass(frozen=True, slots=True)
class Written:
    """A formula, and the number that the file stores for it."""

    formula: str
    number: Number

    def __call__(self, env: Env, numbers: Floats) -> tuple[str | None, float | str]:
        return self.formula, self.number(env, numbers)


def _cell_steps(drawn: Drawn, *ops: type) -> list[tuple[Step, Op]]:
    """Steps of these kinds whose cells have formulas of their own, and several of them alike."""
    return [
        (step, step.op)
        for step in drawn.lesson.steps
        if step.op is not None
        and (not ops or isinstance(step.op, ops))
        and array_formula(drawn.lesson, step, drawn.refs) is None
        and drawn.values[step.key].size > 2
        and step.role != "KT"
    ]


def _any_cell(values: Floats, generator: random.Random) -> Cell:
    """A cell that holds neither an exact 0 nor a mask, so that a slip in it shows."""
    rows, columns = np.nonzero((np.abs(values) > 1e-3) & (values > -1e6))
    if not rows.size:
        return (0, 0)
    at = generator.randrange(rows.size)
    return int(rows[at]), int(columns[at])


def _typed(drawn: Drawn, generator: random.Random, kind: str, wrong: Callable[[float], float | str]) -> list[Mistake]:
    """A constant over a formula, for every step of which a cell changes by it."""
    found = []
    for step, _ in _cell_steps(drawn):
        cell = _any_cell(drawn.values[step.key], generator)
        number = float(drawn.values[step.key][cell])
        if wrong(number) != number:
            found.append(Mistake(kind, step.key, cell, {}, Typed(cell, wrong)))
    return found


def _misread(number: float) -> float:
    """Another number with two decimals, such as a person would have typed."""
    return round(number + (0.3 if number < 0.5 else -0.3), 2)


def pasted(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """A wrong number typed over the formula."""
    return _typed(drawn, generator, "pasted-value", _misread)


def rounded(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """The right number at two decimals typed over the formula."""
    return _typed(drawn, generator, "rounded-value", lambda number: round(number, 2))


def text(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """In the last step only: what a text does to the steps that read it is another story in every one."""
    read = {key for step in drawn.lesson.steps if step.op is not None for key in step.op.inputs}
    found = _typed(drawn, generator, "text-for-a-number", lambda number: f"{number:.2f}")
    return [mistake for mistake in found if mistake.key not in read]


def stale(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """The formula is right, the stored number is from before."""
    found = []
    for step, op in _cell_steps(drawn):
        cell = _any_cell(drawn.values[step.key], generator)

        def before(env: Env, numbers: Floats, cell: Cell = cell) -> float:
            return float(numbers[cell]) * 1.25 + 0.1

        change = Written(_formula(op, drawn.refs, cell), before)
        found.append(Mistake("stale-cache", step.key, cell, {}, change))
    return found


def _formula(op: Op, refs: Refs, cell: Cell) -> str:
    return op.cell(refs, *laid_cell(cell, refs))


def dollar(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """The ``$`` of one cell's formula are gone; where it stands the number is still right."""
    found = []
    for step, op in _cell_steps(drawn):
        cell = _any_cell(drawn.values[step.key], generator)
        formula = _formula(op, drawn.refs, cell)

        def same(env: Env, numbers: Floats, cell: Cell = cell) -> float:
            return float(numbers[cell])

        if "$" in formula:
            found.append(Mistake("missing-dollar", step.key, cell, {}, Written(formula.replace("$", ""), same)))
    return found


def wrong_range(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """The first term is left out of a sum, a maximum or a product."""
    found = []
    for step, op in _cell_steps(drawn, Product, AlongKeys):
        cell = _any_cell(drawn.values[step.key], generator)
        change = _shorter(op, drawn, cell)
        if change is not None and change.number(drawn.values, drawn.values[step.key]) != drawn.values[step.key][cell]:
            found.append(Mistake("wrong-range", step.key, cell, {}, change))
    return found


def _shorter(op: Op, drawn: Drawn, cell: Cell) -> Written | None:
    """The formula over ranges that lack their first cell; ``None`` where they have but one."""
    rects = dict(drawn.refs.rects)
    sources = (op.left, op.right) if isinstance(op, Product) else op.inputs[:1]
    if drawn.values[sources[0]].shape[1] < 2:
        return None
    # The terms lie along the columns of the left factor and of a summed block, and along the rows of the right factor.
    for number, key in enumerate(sources):
        rect = rects[key]
        down = (number == 1) != drawn.refs.columns
        rects[key] = replace(rect, top=rect.top + 1) if down else replace(rect, left=rect.left + 1)

    def number_of(env: Env, numbers: Floats) -> float:
        cut = {key: env[key][1:, :] if number else env[key][:, 1:] for number, key in enumerate(sources)}
        return float(op.compute({**env, **cut})[cell])

    return Written(_formula(op, Refs(rects, drawn.refs.columns), cell), number_of)


def unlike(drawn: Drawn, generator: random.Random) -> list[Mistake]:
    """One cell multiplies by √d_k where its block divides by it, or adds the maximum where its block takes it off."""
    found = []
    for step, op in _cell_steps(drawn, Scaled, Exp):
        cell = _any_cell(drawn.values[step.key], generator)
        change = _unscaled(op, drawn.refs, cell) if isinstance(op, Scaled) else _added(op, drawn, cell)
        if change is not None:
            found.append(Mistake("formula-unlike-its-block", step.key, cell, {}, change))
    return found


def _unscaled(op: Scaled, refs: Refs, cell: Cell) -> Written | None:
    def number_of(env: Env, numbers: Floats) -> float:
        return float(env[op.scores][cell]) * math.sqrt(op.width)

    at = laid_cell(cell, refs)
    return None if op.width == 1 else Written(f"{refs.at(op.scores, *at)}*SQRT({op.name})", number_of)


def _added(op: Op, drawn: Drawn, cell: Cell) -> Written | None:
    source, maximum = op.inputs
    largest = float(drawn.values[maximum][cell[0], 0])
    if not 1e-6 < abs(largest) < 300.0:  # nothing would change, or the exponential would overflow
        return None

    def number_of(env: Env, numbers: Floats) -> float:
        return math.exp(env[source][cell] + env[maximum][cell[0], 0])

    at = laid_cell(cell, drawn.refs)
    return Written(f"EXP({drawn.refs.at(source, *at)}+{drawn.refs.at(maximum, *at)})", number_of)
