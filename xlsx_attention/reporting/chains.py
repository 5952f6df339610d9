"""The way from a cell back to where its difference begins."""

from __future__ import annotations

from collections.abc import Iterator

from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Located, Tree, nodes
from xlsx_attention.model.report import CellResult, FileReport
from xlsx_attention.reporting.facts import ACCUSED, BAD, SheetFacts

Cell = tuple[int, int, int]


class Chains:
    """For each diverging cell the next one towards its origin: a precedent that is accused, else one that inherits."""

    def __init__(self, report: FileReport, facts: dict[int, SheetFacts]) -> None:
        self.facts = facts
        self.bad: dict[Cell, CellResult] = {(c.sheet, c.row, c.column): c for c in report.cells if c.verdict in BAD}
        self.by_sheet: dict[int, list[tuple[int, int]]] = {}
        for sheet, row, column in sorted(self.bad):
            self.by_sheet.setdefault(sheet, []).append((row, column))
        self._next: dict[Cell, Cell | None] = {}

    def next(self, cell: Cell) -> Cell | None:
        """``None`` at an origin, and where a precedent is reached only through text (INDIRECT)."""
        if cell not in self._next:
            self._next[cell] = self._find(cell)
        return self._next[cell]

    def way(self, cell: Cell) -> list[Cell]:
        """From the cell to the origin, both ends included."""
        way = [cell]
        while (after := self.next(way[-1])) is not None and after not in way:
            way.append(after)
        return way

    def _find(self, cell: Cell) -> Cell | None:
        sheet, row, column = cell
        result = self.bad.get(cell)
        if result is None or result.verdict in ACCUSED:
            return None
        step = self.facts[sheet].step(row, column) if sheet in self.facts else None
        if step is None:
            return None
        if step.block.spill is not None:
            row, column = step.block.rect.top, step.block.rect.left
        inherited: Cell | None = None
        for place, rect in _read(step.tree, row, column):
            for found in self._bad_in(place, rect):
                if self.bad[found].verdict in ACCUSED:
                    return found
                inherited = inherited or (found if found != cell else None)
        return inherited

    def _bad_in(self, sheet: int, rect: Rect) -> Iterator[Cell]:
        here = self.by_sheet.get(sheet, [])
        if rect.size <= len(here):
            for row, column in rect.cells():
                if (sheet, row, column) in self.bad:
                    yield sheet, row, column
        else:
            for row, column in here:
                if rect.contains(row, column):
                    yield sheet, row, column


def _read(tree: Tree, row: int, column: int) -> Iterator[tuple[int, Rect]]:
    """Sheets and rectangles that a formula names, as seen from a cell."""
    for node in nodes(tree):
        if isinstance(node, Located):
            rect = node.reference.at(row, column)
            if rect is not None:
                for sheet in node.sheets:
                    yield sheet, rect
