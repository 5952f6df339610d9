"""Matrices inside one formula: cells of their own, on sheets that the workbook does not have.

``MMULT(EXP(S)/…, V)`` multiplies weights that no cell shows. Each element of such an operand is given a number as a
cell has one, so that what multiplies it is a product of cells like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from xlsx_attention.model.address import Rect
from xlsx_attention.recognising.terms import Cell, Exp, Expr, Func, If, Inverse, Max, Num, Power, Product, Sum, pack

#: Matrices inside formulas are followed up to this size, and up to this many of them.
LARGEST_INSIDE: Final = 4_096
MOST: Final = 64


@dataclass(slots=True)
class Inside:
    """Sheets from ``first`` on hold the operands, ``rects`` their shapes, ``raw`` what each cell computes."""

    first: int
    rects: list[Rect] = field(default_factory=list)
    raw: dict[int, Expr] = field(default_factory=dict)

    def given(self, elements: list[list[Expr]]) -> list[list[Expr]] | None:
        """The operand with a cell for each element; ``None`` for one that is cells already, or too large."""
        size = len(elements) * len(elements[0])
        if len(self.rects) >= MOST or size > LARGEST_INSIDE:
            return None
        if not any(made(item) for line in elements for item in line):
            return None
        sheet = self.first + len(self.rects)
        self.rects.append(Rect(0, 0, len(elements), len(elements[0])))
        cells: list[list[Expr]] = []
        for i, line in enumerate(elements):
            cells.append([Cell(pack(sheet, i, j)) for j in range(len(line))])
            self.raw.update({pack(sheet, i, j): item for j, item in enumerate(line)})
        return cells


def made(of: Expr, depth: int = 0) -> bool:
    """Whether an element is made of products or exponentials, as a query or a weight is."""
    if isinstance(of, (Cell, Num)) or depth > 8:
        return False
    if isinstance(of, Exp):
        return True
    if isinstance(of, Sum):
        products = [part for part in of.terms if isinstance(part, Product) and len(part.factors) == 2]
        return len(products) > 1 or any(made(part, depth + 1) for part in of.terms[:2])
    if isinstance(of, Product):
        return any(made(factor, depth + 1) for factor in of.factors)
    if isinstance(of, Inverse):
        return made(of.of, depth + 1)
    if isinstance(of, If):
        return made(of.yes, depth + 1) or made(of.no, depth + 1)
    if isinstance(of, Max):
        return made(of.items[0], depth + 1)
    if isinstance(of, Func):
        return bool(of.args) and made(of.args[0], depth + 1)
    return isinstance(of, Power) and made(of.base, depth + 1)
