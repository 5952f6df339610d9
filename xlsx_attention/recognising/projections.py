"""Q, K and V → the X and W (and bias) that they are products of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from xlsx_attention.recognising.cells import DEEPEST, Cells
from xlsx_attention.recognising.chain import Vector, reaches_dot
from xlsx_attention.recognising.places import Matrix
from xlsx_attention.recognising.terms import ROUNDINGS, Cell, Expr, Func, inverse, terms
from xlsx_attention.recognising.units import DotCell, dot_in


@dataclass(frozen=True, slots=True)
class Projection:
    """``X`` a vector for each token, ``W`` a vector for each feature of the result, ``bias`` a cell for each feature.

    ``result`` are the projected cells before a scale of their own; ``scales`` what they are multiplied by afterwards.
    """

    X: tuple[Vector, ...]
    W: tuple[Vector, ...]
    bias: tuple[int, ...]
    result: tuple[Vector, ...]
    linear: tuple[Vector, ...] = ()
    scales: tuple[Expr, ...] = ()
    number: float = 1.0


@dataclass(slots=True)
class _Element:
    cell: int
    dot: DotCell
    bias: int | None
    linear: int
    scales: tuple[Expr, ...]
    number: float


def projection_of(matrix: Matrix, cells: Cells) -> Projection | None:
    """``matrix`` as X·W, lines being tokens; ``None`` where it is an input or something else."""
    found = [[_element(cell, cells) for cell in line] for line in matrix]
    known = [element for line in found for element in line if element is not None]
    if len(known) * 2 <= sum(map(len, matrix)) or not known:
        return None
    left_is_x = _agreement(found, 0) >= _agreement(found, 1)

    def x_of(element: _Element) -> Vector:
        return element.dot.left if left_is_x else element.dot.right

    def w_of(element: _Element) -> Vector:
        return element.dot.right if left_is_x else element.dot.left

    width = max(map(len, matrix))
    columns = [[line[j] for line in found if j < len(line)] for j in range(width)]
    X = tuple(_common(x_of(e) for e in line if e is not None) for line in found)
    W = tuple(_common(w_of(e) for e in column if e is not None) for column in columns)
    biases = [Counter(e.bias for e in column if e is not None and e.bias is not None) for column in columns]
    bias = tuple(counter.most_common(1)[0][0] for counter in biases if counter)
    if not all(X) or not all(W):
        return None
    return Projection(
        X,
        W,
        bias if len(bias) == width else (),
        tuple(
            tuple(cell if element is None else element.cell for cell, element in zip(line, row, strict=True))
            for line, row in zip(matrix, found, strict=True)
        ),
        tuple(tuple(e.linear for e in line if e is not None) for line in found),
        known[0].scales,
        known[0].number,
    )


def _common(vectors: Iterable[Vector]) -> Vector:
    counted = Counter(vectors)
    return counted.most_common(1)[0][0] if counted else ()


def _agreement(found: list[list[_Element | None]], side: int) -> float:
    """How well one side of the dot products is a token's own and the other a feature's own: the share that agrees."""

    def pick(element: _Element, which: int) -> Vector:
        return element.dot.left if which == 0 else element.dot.right

    total = agreeing = 0
    for line in found:
        vectors = Counter(pick(element, side) for element in line if element is not None)
        if vectors:
            agreeing += vectors.most_common(1)[0][1]
            total += vectors.total()
    for j in range(max(map(len, found))):
        vectors = Counter(pick(e, 1 - side) for line in found if j < len(line) and (e := line[j]) is not None)
        if vectors:
            agreeing += vectors.most_common(1)[0][1]
            total += vectors.total()
    return agreeing / total if total else 0.0


def _element(cell: int, cells: Cells) -> _Element | None:
    scales: tuple[Expr, ...] = ()
    number = 1.0
    cell = cells.same(cell)
    for _ in range(DEEPEST):
        body = cells.expand(cell)
        while isinstance(body, Func) and body.name in ROUNDINGS:
            body = body.args[0]
        if body is None:
            return None
        if isinstance(body, Cell):
            cell = cells.same(body.id)
            continue
        parts = terms(body)
        if len(parts) == 1 and not (len(parts[0].factors) == 2 and not parts[0].divisors):
            # One factor with a scale: the projection is what is scaled.
            term = parts[0]
            inner = [f for f in term.factors if not cells.is_parameter(f)]
            if len(inner) != 1 or not isinstance(inner[0], Cell) or not all(map(cells.is_parameter, term.divisors)):
                return None
            scales = (*scales, *(f for f in term.factors if f is not inner[0]), *map(inverse, term.divisors))
            number *= term.number
            cell = cells.same(inner[0].id)
            continue
        dot = dot_in(cell, body, cells)
        if dot is not None:
            bias = _bias(dot.added, cells)
            return _Element(cell, dot, bias, cell, scales, number)
        return _biased(cell, body, cells, scales, number)
    return None


def _bias(added: tuple[Expr, ...], cells: Cells) -> int | None:
    return cells.same(added[0].id) if added and isinstance(added[0], Cell) else None


def _biased(cell: int, body: Expr, cells: Cells, scales: tuple[Expr, ...], number: float) -> _Element | None:
    """A bias added in a step of its own."""
    parts = terms(body)
    plain = [term.factors[0] for term in parts if len(term.factors) == 1 and not term.divisors and term.number == 1.0]
    singles = [factor for factor in plain if isinstance(factor, Cell)]
    if len(parts) != 2 or len(singles) != 2:
        return None
    leading = [factor for factor in singles if reaches_dot(factor, cells, 0)]
    if len(leading) != 1:
        return None
    other = singles[1] if leading[0] is singles[0] else singles[0]
    inner = cells.same(leading[0].id)
    below = cells.expand(inner)
    dot = None if below is None else dot_in(inner, below, cells)
    if dot is None or dot.added or not cells.is_parameter(other):
        return None
    return _Element(cell, dot, cells.same(other.id), inner, scales, number)
