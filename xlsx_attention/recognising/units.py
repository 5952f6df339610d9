"""What is computed together: steps of the plan, and rectangles of numbers that seem to be computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xlsx_attention.model.address import Rect
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.chain import Vector
from xlsx_attention.recognising.terms import Cell, Expr, Num, Sum, Term, cells_of, leaves, pack, pairs_of, terms
from xlsx_attention.recognising.thinning import END, kept

#: A step with more cells than this is no worked example; it is not followed cell by cell.
LARGEST_STEP = 60_000
#: Nor are more holes in its block than this.
MOST_HOLES = 5_000


@dataclass(frozen=True, slots=True)
class Unit:
    sheet: int
    rect: Rect
    more: tuple[int, ...] = ()
    thin: bool = False

    def cells(self) -> Iterator[int]:
        """All cells (or those that stand for them), with those in which the step's formula is missing."""
        if self.thin and max(self.rect.shape) > 2 * END:
            columns = kept(self.rect.width)
            for i in kept(self.rect.height):
                yield from (pack(self.sheet, self.rect.top + i, self.rect.left + j) for j in columns)
        else:
            yield from cells_of(self.sheet, self.rect)
        yield from self.more

    @property
    def first(self) -> int:
        return pack(self.sheet, self.rect.top, self.rect.left)


@dataclass(frozen=True, slots=True)
class DotCell:
    """A cell that is a dot product of two vectors of cells, with what is added to it."""

    cell: int
    left: Vector
    right: Vector
    added: tuple[Expr, ...] = ()


def dot_cell(cell: int, cells: Cells) -> DotCell | None:
    """``cell`` as a sum of products of two cells, perhaps with a bias."""
    body = cells.raw(cell)
    if body is None or isinstance(body, (Cell, Num)):
        return None
    return dot_in(cell, body, cells)


def dot_in(cell: int, body: Expr, cells: Cells) -> DotCell | None:
    plain = pairs_of(body)
    if plain is not None:
        return DotCell(cell, tuple(map(cells.same, plain[0])), tuple(map(cells.same, plain[1])))
    left: list[int] = []
    right: list[int] = []
    added: list[Expr] = []
    for term in terms(body):
        pair = _pair(term)
        if pair is not None:
            left.append(cells.same(pair[0]))
            right.append(cells.same(pair[1]))
        elif (
            not term.divisors and term.number == 1.0 and len(term.factors) == 1 and not isinstance(term.factors[0], Sum)
        ):
            added.append(term.factors[0])
        else:
            return None
    return DotCell(cell, tuple(left), tuple(right), tuple(added)) if left and len(added) < 2 else None


def _is_alone(term: Term) -> bool:
    plain = not term.divisors and term.number == 1.0 and len(term.factors) == 1
    return plain and not isinstance(term.factors[0], Sum)


def _pair(term: Term) -> tuple[int, int] | None:
    if len(term.factors) != 2 or term.divisors or term.number != 1.0:
        return None
    a, b = term.factors
    return (a.id, b.id) if isinstance(a, Cell) and isinstance(b, Cell) else None


@dataclass(slots=True)
class Units:
    """All units of a workbook. By their first cells: ``dots`` are dot products, ``copies`` copies, ``laid`` things
    made of few cells, as a mask laid on weights is."""

    cells: Cells
    all: list[Unit] = field(default_factory=list)
    dots: list[tuple[Unit, frozenset[int]]] = field(default_factory=list)
    copies: list[Unit] = field(default_factory=list)
    laid: list[tuple[Unit, frozenset[int]]] = field(default_factory=list)
    shown: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, cells: Cells, supposed: list[tuple[int, Rect]]) -> Units:
        holes: dict[int, list[int]] = {}
        for repair in cells.plan.repairs:
            holes.setdefault(repair.step, []).append(pack(repair.sheet, repair.row, repair.column))
        units = cls(cells)
        for step in cells.plan.steps:
            if cells.thin or step.block.cells.size <= LARGEST_STEP:
                more = tuple(holes.get(step.index, ()))
                units.all.append(Unit(step.block.sheet, step.block.cells, more[:MOST_HOLES], cells.thin))
        units.all += [Unit(sheet, rect, thin=cells.thin) for sheet, rect in supposed]
        for unit in units.all:
            cells.raw(unit.first)
        # Reading formulas shows the matrices inside them.
        first = cells.inside.first
        units.all += [Unit(first + number, rect) for number, rect in enumerate(cells.inside.rects)]
        for unit in units.all:
            body = cells.raw(unit.first)
            if isinstance(body, Cell):
                units.copies.append(unit)
                for cell in unit.cells():
                    units.shown.setdefault(cells.same(cell), []).append(cell)
            elif body is not None:
                dot = dot_cell(unit.first, cells)
                if dot is not None:
                    units.dots.append((unit, frozenset((*dot.left, *dot.right))))
                if dot is None or len(dot.left) == 1:
                    used = leaves(body)
                    if len(used) < 6:
                        units.laid.append((unit, frozenset(map(cells.same, used))))
        return units

    def dots_with(self, wanted: set[int]) -> Iterator[DotCell]:
        """Every dot product of the units whose first cell uses one of these cells."""
        for unit, used in self.dots:
            if not used.isdisjoint(wanted):
                for cell in unit.cells():
                    dot = dot_cell(cell, self.cells)
                    if dot is not None:
                        yield dot
