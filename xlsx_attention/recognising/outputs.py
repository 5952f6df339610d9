"""From the weights upwards: masks laid on them, the product with V, the heads put side by side, W_o."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.chain import MaskUse, Vector
from xlsx_attention.recognising.terms import ROUNDINGS, Cell, Func, If, Num, terms
from xlsx_attention.recognising.units import DotCell, Units

#: (position on the first side, position on the second side) of a family's score.
Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Output:
    """Weights times values. ``axis`` is the side (0 or 1) of the vectors that the sum runs over.

    ``cells[i][j]``: feature j for vector i of the other side. ``values[s][j]``: the values' cells, s along ``axis``.
    """

    axis: int
    cells: tuple[Vector, ...]
    values: tuple[Vector, ...]


@dataclass(slots=True)
class Laid:
    """Weights with those that a mask or a rounding has made of them."""

    at: dict[int, Position]
    masked: dict[int, Position] = field(default_factory=dict)
    masks: dict[Position, MaskUse] = field(default_factory=dict)


def laid_over(weights: Mapping[int, Position], units: Units) -> Laid:
    """Follow weights through a mask that comes after the softmax."""
    cells = units.cells
    laid = Laid(dict(weights))
    for unit, used in units.laid:
        if used.isdisjoint(weights) or _masked(unit.first, weights, cells) is None:
            continue
        for cell in unit.cells():
            found = _masked(cell, weights, cells)
            if found is not None:
                position, mask = found
                laid.masked[cell] = position
                if mask is not None:
                    laid.masks[position] = mask
    laid.at.update(laid.masked)
    return laid


def _masked(cell: int, weights: Mapping[int, Position], cells: Cells) -> tuple[Position, MaskUse | None] | None:
    body = cells.raw(cell)
    if isinstance(body, Func) and body.name in ROUNDINGS and isinstance(body.args[0], Cell):
        position = weights.get(cells.same(body.args[0].id))
        return None if position is None else (position, None)
    if isinstance(body, If):
        for branch, other, keeps in ((body.yes, body.no, True), (body.no, body.yes, False)):
            if isinstance(branch, Cell) and isinstance(other, Num):
                position = weights.get(cells.same(branch.id))
                if position is not None:
                    return position, MaskUse("if", body.condition, other, keeps)
        return None
    if body is None or isinstance(body, (Cell, Num)):
        return None
    parts = terms(body)
    if len(parts) != 1 or len(parts[0].factors) != 2 or parts[0].divisors or parts[0].number != 1.0:
        return None
    a, b = parts[0].factors
    for factor, other_factor in ((a, b), (b, a)):
        if isinstance(factor, Cell) and cells.same(factor.id) in weights and cells.is_parameter(other_factor):
            return weights[cells.same(factor.id)], MaskUse("multiply", other_factor)
    return None


def output_of(weights: Mapping[int, Position], shape: tuple[int, int], units: Units) -> Output | None:
    """The product of the weights with something: the output of a head."""
    lines: dict[tuple[int, int], list[tuple[DotCell, dict[int, int]]]] = defaultdict(list)
    for dot in units.dots_with(set(weights)):
        for mine, other in ((dot.left, dot.right), (dot.right, dot.left)):
            found = _line(mine, other, weights, shape)
            if found is not None:
                axis, index, values = found
                lines[axis, index].append((dot, values))
                break
    if not lines:
        return None
    by_axis = Counter[int]()
    for (axis, _), dots in lines.items():
        by_axis[axis] += len(dots)
    axis = by_axis.most_common(1)[0][0]
    return _gather(axis, {index: dots for (a, index), dots in lines.items() if a == axis}, shape)


def _line(
    mine: Vector, other: Vector, weights: Mapping[int, Position], shape: tuple[int, int]
) -> tuple[int, int, dict[int, int]] | None:
    """Axis summed over, the line's position on the other side, and the cell that each weight is multiplied with."""
    places = [weights.get(cell) for cell in mine]
    known = [(place, cell) for place, cell in zip(places, other, strict=True) if place is not None]
    if len(known) * 2 <= len(mine) or any(cell in weights for _, cell in known):
        return None
    for axis in (1, 0):
        fixed = {place[1 - axis] for place, _ in known}
        if len(fixed) == 1 and (len(known) * 2 > shape[axis]) and (len(known) > 1 or shape[axis] == 1):
            return axis, fixed.pop(), {place[axis]: cell for place, cell in known}
    return None


def _gather(axis: int, lines: dict[int, list[tuple[DotCell, dict[int, int]]]], shape: tuple[int, int]) -> Output:
    def key(values: dict[int, int]) -> Vector:
        return tuple(values[index] for index in sorted(values))

    counted = Counter(key(values) for dots in lines.values() for _, values in dots)
    most = max(counted.values())
    kept = {vector for vector, count in counted.items() if count * 2 > most}
    if most == 1 and len(lines) > 1:
        # Values that wander from line to line: those of the first line are what was meant.
        kept = {key(values) for _, values in lines[min(lines)]}
    columns = sorted(kept)
    samples: dict[Vector, dict[int, int]] = {}
    cells: dict[int, dict[Vector, int]] = defaultdict(dict)
    for index, dots in lines.items():
        ordered = sorted(dots, key=lambda item: item[0].cell)
        for number, (dot, values) in enumerate(ordered):
            vector = key(values)
            if vector not in kept:
                if len(ordered) != len(columns):
                    continue
                vector = columns[number]
            elif vector not in samples or len(samples[vector]) < len(values):
                samples[vector] = values
            cells[index].setdefault(vector, dot.cell)
    columns = [vector for vector in columns if vector in samples]
    length = shape[axis]
    values_at = tuple(
        tuple(cell for vector in columns if (cell := _completed(samples[vector], s)) is not None) for s in range(length)
    )
    lines_out = tuple(
        tuple(cells[index][vector] for vector in columns if vector in cells[index]) for index in sorted(cells)
    )
    return Output(axis, lines_out, values_at)


def _completed(values: dict[int, int], index: int) -> int | None:
    """The value for one position; where a range stops short, the next cell in its line."""
    if index in values:
        return values[index]
    known = sorted(values)
    if len(known) < 2:
        return None
    step = (values[known[-1]] - values[known[0]]) / (known[-1] - known[0])
    guess = values[known[0]] + step * (index - known[0])
    return int(guess) if guess == int(guess) and guess >= 0 else None
