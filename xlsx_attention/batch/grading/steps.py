"""What is graded: the steps of a rubric and those of the key, each with its cells and points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xlsx_attention.batch.grading.asides import copies, prepared
from xlsx_attention.batch.grading.books import KeyBook, Place, Region
from xlsx_attention.batch.grading.places import headers_of
from xlsx_attention.batch.grading.roles import without_head
from xlsx_attention.batch.grading.rubric import Rubric, RubricStep
from xlsx_attention.errors import UsageError
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Located
from xlsx_attention.model.plan import Step
from xlsx_attention.model.values import NUMBER


@dataclass(frozen=True, slots=True)
class Marked:
    """A step of the grade: what it is called, which cells of the key it has, and what they are worth.

    ``aside``: it is judged and told, but earns nothing (see :mod:`~xlsx_attention.batch.grading.asides`).
    """

    name: str
    sheet: int
    cells: tuple[tuple[Place, Step | None], ...]
    points: float
    carried_forward: bool
    tolerance: float | None
    partial: bool
    where: str
    aside: bool = False


def marked_steps(key: KeyBook, rubric: Rubric) -> list[Marked]:
    """The rubric's steps, and the key's other steps at ``others`` points each, but none for copies and preparation;
    :class:`UsageError` for one that is not there.
    """
    steps = [_named(key, step) for step in rubric.steps]
    taken = {(step.sheet, cell) for step in steps for cell, _ in step.cells}
    unpaid = copies(key) | prepared(key)
    for sheet, found in _groups(key) if rubric.others else ():
        cells = tuple((cell, step) for step in found for cell in step.block.cells.cells() if (sheet, cell) not in taken)
        if cells:
            rect = Rect.cell(*cells[0][0])
            for cell, _ in cells:
                rect = rect.union(Rect.cell(*cell))
            where = f"{key.grid.sheets[sheet].name}!{rect.a1}"
            aside = all(step.index in unpaid for step in found)
            options = (rubric.carried_forward, rubric.tolerance, rubric.partial)
            points = 0.0 if aside else rubric.others
            steps.append(Marked(_step_name(key, sheet, rect), sheet, cells, points, *options, where, aside))
    return steps


def _groups(key: KeyBook) -> Iterator[tuple[int, list[Step]]]:
    """The steps that are graded, each alone; cells that only repeat others (``=N21``) and touch are one step
    together.
    """
    copies = {
        (step.block.sheet, step.block.rect.top, step.block.rect.left): step
        for step in key.graded
        if step.block.cells.size == 1 and isinstance(step.tree, Located)
    }
    for step in key.graded:
        at = (step.block.sheet, step.block.rect.top, step.block.rect.left)
        if step.block.cells.size > 1 or not isinstance(step.tree, Located):
            yield step.block.sheet, [step]
        elif at in copies:
            stack, found = [at], []
            while stack:
                place = stack.pop()
                touching = copies.pop(place, None)
                if touching is not None:
                    found.append(touching)
                    sheet, row, column = place
                    stack += [(sheet, row + down, column + right) for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1))]
            yield step.block.sheet, sorted(found, key=lambda one: one.block.rect)


def _step_name(key: KeyBook, sheet: int, rect: Rect) -> str:
    """Its role, or the label that stands next to it, and where it is."""
    role = key.roles.get((sheet, rect), "")
    name = "" if role == "copy" else role
    if not name:
        labels = headers_of(Region(sheet, rect, None), key)
        name = next((key.grid.value(sheet, row, column).text.strip()[:40] for row, column, _ in labels), role)
    several = len({step.block.sheet for step in key.graded}) > 1
    where = f"{key.grid.sheets[sheet].name}!{rect.a1}" if several or not name else rect.a1
    return f"{name} {where}".strip()


def _named(key: KeyBook, step: RubricStep) -> Marked:
    if step.rect is None:
        rects = [
            place
            for place, role in key.roles.items()
            if step.role in (role, without_head(role))
            and step.sheet.casefold() in ("", key.grid.sheets[place[0]].name.casefold())
        ]
        if not rects:
            raise UsageError("bad-rubric", f"the key has no step with the role {step.role!r}", where=step.name)
        sheet = rects[0][0]
        places = [cell for at, rect in rects if at == sheet for cell in rect.cells()]
        where = f"{key.grid.sheets[sheet].name}!" + ",".join(rect.a1 for at, rect in rects if at == sheet)
    else:
        index = key.grid.sheet_index(step.sheet)
        if index is None:
            raise UsageError("bad-rubric", f"the key has no sheet {step.sheet!r}", where=step.name)
        sheet, places, where = index, list(step.rect.cells()), f"{step.sheet}!{step.rect.a1}"
    found = [(cell, key.steps_at[sheet].get(cell)) for cell in places]
    inputs = key.grid.sheets[sheet].cached
    cells = tuple(
        (cell, computed)
        for cell, computed in found
        if (inputs.get(*cell)[1] == NUMBER if computed is None else computed.index in key.gradable)
    )
    if not cells:
        raise UsageError("bad-rubric", f"the key holds nothing to grade at {where}", where=step.name)
    return Marked(step.name, sheet, cells, step.points, step.carried_forward, step.tolerance, step.partial, where)
