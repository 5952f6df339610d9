"""One cell as an element of a softmax, however it is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.chain import MaskUse, Walk, descend
from xlsx_attention.recognising.terms import (
    ROUNDINGS,
    Cell,
    Exp,
    Expr,
    Func,
    If,
    Num,
    Sum,
    Term,
    pack,
    terms,
    unpack,
)

#: A softmax over more than this many is no attention that anyone wrote down cell by cell.
MOST_KEYS: Final = 1_024


@dataclass(frozen=True, slots=True)
class Link:
    """One weight: its normaliser and exponential (``None`` where they have no cell of their own), and the way down."""

    weight: int
    normaliser: int | None
    summed: tuple[Expr, ...]
    exp: int | None
    is_exp: bool
    walk: Walk
    post_masks: tuple[MaskUse, ...] = ()

    @property
    def group(self) -> object:
        """Weights with one normaliser are one softmax."""
        return self.normaliser if self.normaliser is not None else frozenset(self.summed)


def softmax_link(cell: int, cells: Cells) -> Link | None:
    """``cell`` as an element of a softmax over dot products, or ``None``."""
    body = cells.raw(cell)
    while isinstance(body, Func) and body.name in ROUNDINGS:
        body = body.args[0]
    if body is None or isinstance(body, (Num, Cell)):
        # A copy of a weight is no weight of its own.
        return None
    if isinstance(body, If):
        return _blanked(cell, body, cells)
    parts = terms(body)
    if len(parts) != 1:
        return None
    return _fraction(cell, parts[0], cells)


def _blanked(cell: int, body: If, cells: Cells) -> Link | None:
    """``IF(mask, weight, 0)``: a mask after softmax in the weight's own formula."""
    for inner, filler, keeps in ((body.yes, body.no, True), (body.no, body.yes, False)):
        if isinstance(filler, Num) and not isinstance(inner, (Num, Cell)):
            parts = terms(inner)
            link = _fraction(cell, parts[0], cells) if len(parts) == 1 else None
            if link is not None:
                return replace(link, post_masks=(MaskUse("if", body.condition, filler, keeps),))
    return None


def _fraction(cell: int, term: Term, cells: Cells) -> Link | None:
    factors, divisors = list(term.factors), list(term.divisors)
    if not divisors:
        # The normaliser may be stored as its reciprocal.
        for factor in factors:
            body = cells.expand(factor.id) if isinstance(factor, Cell) else None
            parts = [] if body is None else terms(body)
            if len(parts) == 1 and len(parts[0].divisors) == 1 and not parts[0].factors:
                factors.remove(factor)
                divisors.append(parts[0].divisors[0])
                break
    if len(divisors) != 1 or not factors or term.number != 1.0:
        return None
    normaliser, summed = _summed(divisors[0], cells)
    if len(summed) < 2:
        normaliser, summed = _meant(cell, cells)
    if len(summed) < 2:
        return None
    exps = [factor for factor in factors if _exponent(factor, cells) is not None]
    if len(exps) == 1:
        main = exps[0]
    elif len(factors) == 1 and factors[0] in summed:
        main = factors[0]
    else:
        return None
    exponent = _exponent(main, cells)
    walk = Walk()
    descend(main if exponent is None else exponent, cells, walk)
    if walk.pair is None and walk.leaf is None:
        return None
    if walk.pair is None and exponent is None:
        return None
    masks = tuple(MaskUse("multiply", factor) for factor in factors if factor is not main)
    exp_cell = cells.same(main.id) if isinstance(main, Cell) else None
    return Link(cell, normaliser, summed, exp_cell if exponent is not None else None, exponent is not None, walk, masks)


def _meant(cell: int, cells: Cells) -> tuple[int | None, tuple[Expr, ...]]:
    """The normaliser that a block's first row or column names, for a cell whose own has wandered off (no ``$``)."""
    index = cells.step_of(cell)
    if index is None:
        return None, ()
    rect = cells.plan.steps[index].block.rect
    sheet, row, column = unpack(cell)
    for other in (pack(sheet, row, rect.left), pack(sheet, rect.top, column)):
        body = cells.raw(other) if other != cell else None
        parts = [] if body is None else terms(body)
        if len(parts) == 1 and len(parts[0].divisors) == 1:
            found = _summed(parts[0].divisors[0], cells)
            if len(found[1]) > 1:
                return found
    return None, ()


def _exponent(of: Expr, cells: Cells) -> Expr | None:
    """What is raised: ``EXP(x)`` here or in the cell that is named."""
    if isinstance(of, Exp):
        return of.of
    if isinstance(of, Cell):
        body = cells.expand(of.id)
        while isinstance(body, Func) and body.name in ROUNDINGS:
            body = body.args[0]
        if isinstance(body, Exp):
            return body.of
        parts = terms(body) if body is not None and not isinstance(body, Num) else []
        if len(parts) == 1 and not parts[0].divisors:
            inner = [factor for factor in parts[0].factors if isinstance(factor, Exp)]
            if len(inner) == 1:
                return inner[0].of
    return None


def _summed(of: Expr, cells: Cells) -> tuple[int | None, tuple[Expr, ...]]:
    """The normaliser's cell, if it has one, and what it sums, seen through copies."""
    cell: int | None = None
    body: Expr | None = of
    while isinstance(body, Cell):
        cell = cells.same(body.id)
        body = cells.expand(cell)
        if isinstance(body, Func) and body.name in ROUNDINGS:
            body = body.args[0]
    if not isinstance(body, Sum) or len(body.terms) > MOST_KEYS:
        return cell, ()
    items = tuple(Cell(cells.same(item.id)) if isinstance(item, Cell) else item for item in body.terms)
    return cell, items
