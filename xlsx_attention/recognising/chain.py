"""From one attention weight down to the dot product that it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from xlsx_attention.recognising.cells import DEEPEST, Cells
from xlsx_attention.recognising.terms import (
    ROUNDINGS,
    Cell,
    Exp,
    Expr,
    Func,
    If,
    Max,
    Num,
    Sum,
    Term,
    inverse,
    pairs_of,
    terms,
    times,
)

Vector: TypeAlias = tuple[int, ...]
How: TypeAlias = Literal["add", "if", "multiply"]


@dataclass(frozen=True, slots=True)
class MaskUse:
    """How one score is masked: by adding, by choosing (IF) or by multiplying; ``of`` is what decides it."""

    how: How
    of: Expr
    filler: Expr = field(default_factory=lambda: Num(0.0))
    keeps_if_true: bool = True


@dataclass(frozen=True, slots=True)
class Stage:
    """A cell on the way and what its own formula did: ``dot``, ``scale``, ``mask``, ``shift``, ``round``."""

    cell: int
    did: frozenset[str]


@dataclass(slots=True)
class Walk:
    """What was met on the way down, nearest to the weight first."""

    stages: list[Stage] = field(default_factory=list)
    number: float = 1.0
    scales: list[Expr] = field(default_factory=list)
    masks: list[MaskUse] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    maximum: int | None = None
    max_items: tuple[Expr, ...] = ()
    pair: tuple[Vector, Vector] | None = None
    leaf: int | None = None


def dot_of(parts: list[Term], cells: Cells) -> tuple[Vector, Vector] | None:
    """Two vectors of cells if the terms are a sum of products of two cells each."""
    left: list[int] = []
    right: list[int] = []
    for term in parts:
        if len(term.factors) != 2 or term.number != 1.0 or term.divisors:
            return None
        a, b = term.factors
        if not (isinstance(a, Cell) and isinstance(b, Cell)):
            return None
        left.append(cells.same(a.id))
        right.append(cells.same(b.id))
    return (tuple(left), tuple(right)) if left else None


def is_dot(parts: list[Term], cells: Cells) -> bool:
    """A single product counts where neither or both of its cells are parameters: else it is a scale."""
    if dot_of(parts, cells) is None:
        return False
    if len(parts) > 1:
        return True
    kinds = {cells.is_parameter(factor) for factor in parts[0].factors}
    return len(kinds) == 1


def descend(of: Expr, cells: Cells, walk: Walk, depth: int = 0) -> bool:
    """Walk from ``of`` to its dot product, noting all on the way; false where there is none."""
    if depth > DEEPEST:
        return False
    if isinstance(of, Cell):
        cell = cells.same(of.id)
        body = cells.expand(cell)
        if body is None:
            walk.leaf = cell
            return False
        did: set[str] = set()
        stages = walk.stages
        walk.stages = []
        found = _through(body, cells, walk, did, depth)
        walk.stages = [*stages, Stage(cell, frozenset(did)), *walk.stages]
        return found
    return _through(of, cells, walk, set(), depth)


def _through(body: Expr, cells: Cells, walk: Walk, did: set[str], depth: int) -> bool:
    for _ in range(DEEPEST):
        if isinstance(body, Cell):
            return descend(body, cells, walk, depth + 1)
        if isinstance(body, Func) and body.name in ROUNDINGS:
            did.add("round")
            body = body.args[0]
            continue
        if isinstance(body, If):
            inner = _choice(body, cells, walk)
        elif isinstance(body, (Exp, Max, Func)):
            return False
        else:
            plain = pairs_of(body)
            if plain is not None and len(plain[0]) > 1:
                did.add("dot")
                walk.pair = tuple(map(cells.same, plain[0])), tuple(map(cells.same, plain[1]))
                return True
            parts = terms(body)
            if is_dot(parts, cells):
                did.add("dot")
                walk.pair = dot_of(parts, cells)
                return True
            inner = _sum(parts, cells, walk, did)
        if inner is None:
            return False
        if isinstance(body, If):
            did.add("mask")
            walk.order.append("mask")
        body = inner
    return False


def _choice(body: If, cells: Cells, walk: Walk) -> Expr | None:
    """``IF(keep, score, filler)`` in either order; the filler is a number, a text or a cell of input."""

    def fills(branch: Expr) -> bool:
        return isinstance(branch, Num) or (isinstance(branch, Func) and not branch.args) or cells.is_parameter(branch)

    if fills(body.no) and not fills(body.yes):
        walk.masks.append(MaskUse("if", body.condition, body.no))
        return body.yes
    if fills(body.yes) and not fills(body.no):
        walk.masks.append(MaskUse("if", body.condition, body.yes, keeps_if_true=False))
        return body.no
    return None


def reaches_dot(of: Expr, cells: Cells, depth: int) -> bool:
    return descend(of, cells, Walk(), depth + 1)


def is_maximum(of: Expr, cells: Cells) -> tuple[int | None, tuple[Expr, ...]] | None:
    """The cell (if it has one) and the items of a maximum."""
    if isinstance(of, Max):
        return None, of.items
    if isinstance(of, Cell):
        body = cells.expand(of.id)
        if isinstance(body, Max):
            return cells.same(of.id), body.items
    return None


def _sum(parts: list[Term], cells: Cells, walk: Walk, did: set[str]) -> Expr | None:
    """The part of a sum that leads on; the rest is a maximum subtracted, or a mask added."""
    rest: list[Term] = []
    for term in parts:
        peak = is_maximum(term.factors[0], cells) if len(term.factors) == 1 and term.number < 0 else None
        if peak is None:
            rest.append(term)
        else:
            walk.maximum, walk.max_items = peak
            did.add("shift")
    if not rest:
        return None
    main = _main(rest, cells)
    if main is None:
        return None
    chosen, others = main
    for term in others:
        if term.number == -1.0 and len(term.factors) == 1 and isinstance(term.factors[0], Cell):
            # Something is subtracted that is no maximum (it may have wandered off it): no mask.
            did.add("shift")
            continue
        walk.masks.append(MaskUse("add", _expression(term)))
        did.add("mask")
        walk.order.append("mask")
    return _scaled(chosen, cells, walk, did)


def _expression(term: Term) -> Expr:
    from_divisors = tuple(inverse(divisor) for divisor in term.divisors)
    return times(Num(term.number), *term.factors, *from_divisors)


def _main(parts: list[Term], cells: Cells) -> tuple[Term | list[Term], list[Term]] | None:
    """The term (or the products of a dot product) that the score is in, and what is added to it."""
    if len(parts) == 1:
        return parts[0], []
    products = [term for term in parts if len(term.factors) == 2 and not term.divisors]
    if len(products) > 1 and dot_of(products, cells) is not None:
        return products, [term for term in parts if term not in products]
    leading = [term for term in parts if any(reaches_dot(factor, cells, 0) for factor in term.factors)]
    if len(leading) != 1:
        return None
    return leading[0], [term for term in parts if term is not leading[0]]


def _scaled(chosen: Term | list[Term], cells: Cells, walk: Walk, did: set[str]) -> Expr | None:
    if isinstance(chosen, list):
        return Sum(tuple(_expression(term) for term in chosen))
    if not all(cells.is_parameter(divisor) for divisor in chosen.divisors):
        return None
    others = [factor for factor in chosen.factors if not cells.is_parameter(factor)]
    scales = [factor for factor in chosen.factors if cells.is_parameter(factor)]
    if not others and scales:
        # A score that is itself an input: its only cell is the score.
        others, scales = [scales[0]], scales[1:]
    if len(others) == 2:
        leading = [factor for factor in others if reaches_dot(factor, cells, 0)]
        if len(leading) != 1:
            return None
        walk.masks.append(MaskUse("multiply", others[0] if leading[0] is others[1] else others[1]))
        did.add("mask")
        walk.order.append("mask")
        others = leading
    if len(others) != 1:
        return None
    if scales or chosen.divisors or chosen.number != 1.0:
        did.add("scale")
        walk.order.append("scale")
        walk.number *= chosen.number
        walk.scales += [*scales, *map(inverse, chosen.divisors)]
    return others[0]
