"""Typed numbers on a recognised step among its formulas: a row, a column or more that was pasted as values.

A whole row of numbers beside formulas says nothing by itself (past months beside a forecast are typed so). On the
rectangle of a step of attention it is known what belongs there.
"""

from __future__ import annotations

from collections.abc import Iterator

from xlsx_attention.compiling.meant import FILLER
from xlsx_attention.compiling.owners import Owners
from xlsx_attention.compiling.repairs import has_precedents
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Repair, Step
from xlsx_attention.model.role import AttentionMap, Place
from xlsx_attention.model.values import NUMBER

#: Steps of which a cell may be typed with good reason, and the number that it then holds: 0 where a key is hidden.
HIDDEN_AS_ZERO = frozenset({"exp", "weights", "masked"})
#: Inputs of attention, which hold typed numbers.
INPUTS = frozenset({"X", "X_kv", "W_q", "W_k", "W_v", "b_q", "b_k", "b_v", "W_o", "b_o", "mask"})


def role_holes(grid: WorkbookGrid, plan: Plan, attention: AttentionMap) -> tuple[Repair, ...]:
    """Repairs for numbers on the rectangles of recognised steps, of which at least half of the cells are formulas."""
    owners = Owners(grid, plan.steps)
    known = {(repair.sheet, repair.row, repair.column) for repair in plan.repairs}
    found: dict[tuple[int, int, int], Repair] = {}
    for group in attention.attentions:
        places = [*group.shared.items(), *(item for head in group.heads for item in head.roles.items())]
        for role, place in places:
            if place.steps and role not in INPUTS:
                for repair in _of_place(grid, plan, owners, role, place):
                    cell = (repair.sheet, repair.row, repair.column)
                    if cell not in known:
                        found.setdefault(cell, repair)
    return tuple(found[cell] for cell in sorted(found))


def _of_place(grid: WorkbookGrid, plan: Plan, owners: Owners, role: str, place: Place) -> Iterator[Repair]:
    plane = grid.sheets[place.sheet].cached
    bare = [cell for cell in place.cells() if owners.of(place.sheet, *cell) < 0 and plane.get(*cell)[1] == NUMBER]
    size = sum(rect.size for rect in place.rects)
    if not bare or len(bare) * 2 > size:
        return
    steps = [plan.steps[index] for index in place.steps if plan.steps[index].block.spill is None]
    forms = {step.block.form.r1c1 for step in steps}
    for row, column in bare:
        value = plane.get(row, column)[0]
        if value < FILLER or (value == 0.0 and role in HIDDEN_AS_ZERO):
            continue
        step = _fitting(steps, row, column, alone=len(forms) == 1)
        if step is not None and has_precedents(grid, owners, step, row, column):
            yield Repair(place.sheet, row, column, step.index, None)


def _fitting(steps: list[Step], row: int, column: int, alone: bool) -> Step | None:
    """The largest block whose formula belongs into a cell: any where all are of one form, else one that runs there."""
    fitting = [
        step
        for step in steps
        if alone
        or (step.block.rect.left <= column < step.block.rect.right and step.block.rect.height > 1)
        or (step.block.rect.top <= row < step.block.rect.bottom and step.block.rect.width > 1)
    ]
    return max(fitting, key=lambda step: step.block.rect.size, default=None)
