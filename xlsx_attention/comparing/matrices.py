"""Roles → matrices with tokens in rows, whatever way they lie on the sheet, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from xlsx_attention.comparing.verdicts import Recomputed
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan
from xlsx_attention.model.role import Attention, Head, Orientation, Place
from xlsx_attention.model.values import EMPTY, LOGICAL, NUMBER, TEXT, Floats

Cells = tuple[tuple[tuple[int, int], ...], ...]
#: A text that a sheet writes where a score is hidden.
MINUS_INFINITY = frozenset({"-inf", "-∞", "−∞", "-infinity", "−inf"})


def cells_of(role: str, place: Place, orientation: Orientation) -> Cells:
    """The cells of a role as its matrix has them: tokens (queries) in rows, W as D×d; ``()`` where that is unknown."""
    lines = place.lines
    if lines and all(len(line) == len(lines[0]) for line in lines) and lines[0]:
        # A line of W is a feature of the result, that is a column of W.
        return tuple(zip(*lines, strict=True)) if role.startswith("W_") else lines
    if place.parts:
        return ()
    rect = place.rect
    rows = tuple(tuple((r, c) for c in range(rect.left, rect.right)) for r in range(rect.top, rect.bottom))
    if (orientation == "rows") != place.transposed:
        return rows
    return tuple(zip(*rows, strict=True))


def _whole(place: Place, attention: Attention, head: Head, role: str, plan: Plan) -> Place:
    """Q or K with the one feature that a product one short leaves out, where its block has one more than is used.

    Not where the rest of the block is another head's.
    """
    if len(place.steps) != 1 or place.parts:
        return place
    block = plan.steps[place.steps[0]].block.cells
    grown = (block.height - place.rect.height) + (block.width - place.rect.width)
    across = attention.orientation == "columns"
    more = block.height - place.rect.height if across != place.transposed else block.width - place.rect.width
    others = [h.roles[role] for h in attention.heads if h is not head and role in h.roles]
    taken = any(o.sheet == place.sheet and o.rect.intersection(block) for o in others)
    if grown != 1 or more != 1 or taken or not block.covers(place.rect):
        return place
    return Place(place.sheet, block, place.steps, place.transposed)


@dataclass(slots=True)
class Matrices:
    """One head's matrices by role.

    ``stored`` is what the file holds; ``own`` what each block's own formula makes of the stored cells that it
    reads (the
    stored number itself where there is no formula), so that one stale or typed cell does not blur what a block
    computes.
    """

    cells: dict[str, Cells] = field(default_factory=dict)
    stored: dict[str, Floats] = field(default_factory=dict)
    own: dict[str, Floats] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)

    @classmethod
    def of(cls, attention: Attention, head: Head, sheets: Sheets) -> Matrices:
        made = cls()
        for role, place in [*attention.shared.items(), *head.roles.items()]:
            if role in ("Q", "K"):
                place = _whole(place, attention, head, role, sheets.plan)
            cells = cells_of(role, place, attention.orientation)
            if cells:
                made.cells[role] = cells
                made.places[role] = place
                made.stored[role] = sheets.stored(place.sheet, cells)
                made.own[role] = sheets.own(place.sheet, cells)
        return made

    def laid(self, role: str, matrix: Floats) -> Floats:
        """A role's matrix as it would stand on the sheet: the shape of its rectangle, NaN where it has no cell."""
        rect = self.places[role].rect
        laid = np.full(rect.shape, np.nan)
        for line, numbers in zip(self.cells[role], matrix, strict=True):
            for (row, column), number in zip(line, numbers, strict=True):
                laid[row - rect.top, column - rect.left] = number
        laid.flags.writeable = False
        return laid


@dataclass(frozen=True, slots=True)
class Sheets:
    """Numbers of cells as matrices."""

    grid: WorkbookGrid
    plan: Plan
    values: Recomputed

    def stored(self, sheet: int, cells: Sequence[Sequence[tuple[int, int]]]) -> Floats:
        """What the file stores; what the inputs give where it stores nothing under a formula. NaN for what is no
        number.
        """
        return np.array([[self.number(sheet, row, column) for row, column in line] for line in cells])

    def own(self, sheet: int, cells: Sequence[Sequence[tuple[int, int]]]) -> Floats:
        """What each cell's block computes from the stored cells that it reads."""
        return np.array([[self._own(sheet, row, column) for row, column in line] for line in cells])

    def number(self, sheet: int, row: int, column: int) -> float:
        number, kind = self.grid.sheets[sheet].cached.get(row, column)
        if kind == EMPTY:
            number, kind = self.values.inputs[sheet].get(row, column)
        return self._plain(number, kind)

    def _own(self, sheet: int, row: int, column: int) -> float:
        repaired = self.values.repaired.get((sheet, row, column))
        if repaired is None:
            repaired = self.values.precedents[sheet].get(row, column)
        # A typed number has no formula, and the recomputed plane need not hold it.
        return self.number(sheet, row, column) if repaired[1] == EMPTY else self._plain(*repaired)

    def _plain(self, number: float, kind: int) -> float:
        if kind in (NUMBER, LOGICAL):
            return number
        if kind == TEXT and self.grid.texts[number].strip().lower() in MINUS_INFINITY:
            return -np.inf
        return 0.0 if kind == EMPTY else np.nan
