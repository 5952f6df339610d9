"""The student's copy: blank cells that take numbers, and cells that say whether a row is right but not what is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xlsx_attention.generating.lesson import Lesson, Step
from xlsx_attention.generating.ops import AlongKeys
from xlsx_attention.generating.placing import Page, Panel
from xlsx_attention.generating.refs import OneToken, Refs, absolute
from xlsx_attention.generating.styles import Looks
from xlsx_attention.model.address import Rect
from xlsx_attention.writing import AttentionSheet

RIGHT, WRONG, MISSING = "✓", "✗", "…"
#: How far a number may be off, and the same share of the right one on top: numbers with two decimals are right.
TOLERANCE = 0.01
#: The largest number that a blank takes; −1e9 must fit.
_LIMIT = 1e12


@dataclass(frozen=True, slots=True)
class Exercise:
    """What an exercise leaves open. The key has the same cells, filled in.

    ``blanks``: the open blocks. ``unknown``: blocks of the student's copy whose formulas wait for them.
    """

    blanks: frozenset[str]
    unknown: frozenset[str]
    student: bool


def exercise_of(lesson: Lesson, roles: Iterable[str], *, student: bool) -> Exercise:
    """The exercise that leaves the steps of these roles open."""
    wanted = set(roles)
    blanks = {step.key for step in lesson.steps if step.op is not None and step.role in wanted}
    unknown: set[str] = set()
    for step in lesson.steps if student else ():
        if step.op is not None and step.key not in blanks and not (blanks | unknown).isdisjoint(step.op.inputs):
            unknown.add(step.key)
    return Exercise(frozenset(blanks), frozenset(unknown), student)


def write_blanks(sheet: AttentionSheet, rect: Rect, message: str, look: object) -> None:
    """Open cells that take a number or a formula."""
    for row, column in rect.cells():
        sheet.write_blank(row, column, None, look)
    sheet.data_validation(
        rect.top,
        rect.left,
        rect.bottom - 1,
        rect.right - 1,
        {"validate": "decimal", "criteria": "between", "minimum": -_LIMIT, "maximum": _LIMIT, "error_message": message},
    )


def expected(step: Step, refs: Refs, index: int) -> str:
    """What one token's row (column) of a block is by the cells that it uses, as an array."""
    assert step.op is not None
    if isinstance(step.op, AlongKeys):
        return step.op.cell(refs, 0, index) if refs.columns else step.op.cell(refs, index, 0)
    formula = step.op.array(OneToken(refs.rects, refs.columns, frozenset(), index))
    assert formula is not None
    return formula


def check_formula(step: Step, refs: Refs, index: int) -> str:
    """``✓``, ``✗`` or ``…`` for one token, as an array formula that every Excel since 2007 reads."""
    rect = refs.rects[step.key]
    own = refs.column(step.key, index) if refs.columns else refs.line(step.key, index)
    count = rect.height if refs.columns else rect.width
    right = expected(step, refs, index)
    off = f"SUM(1*(ABS({own}-({right}))>{TOLERANCE:g}*(1+ABS({right}))))"
    return f'IF(COUNT({own})<{count},"{MISSING}",IFERROR(IF({off}=0,"{RIGHT}","{WRONG}"),"{MISSING}"))'


def write_checks(sheet: AttentionSheet, panel: Panel, exercise: Exercise, refs: Refs, looks: Looks) -> None:
    """The check cells along a block, their formulas hidden once the sheet is protected."""
    assert panel.check is not None
    shown = MISSING if exercise.student else RIGHT
    for index, (row, column) in enumerate(panel.check.cells()):
        formula = check_formula(panel.step, refs, index)
        sheet.write_array_cached(Rect.cell(row, column), formula, looks("check"), [[shown]])
    rect = panel.check
    for sign, look in ((RIGHT, "good"), (WRONG, "bad")):
        sheet.conditional_format(
            rect.top, rect.left, rect.bottom - 1, rect.right - 1,
            {"type": "cell", "criteria": "==", "value": f'"{sign}"', "format": looks(look)},
        )  # fmt: skip


def write_score(sheet: AttentionSheet, exercise: Exercise, page: Page, label: str, looks: Looks) -> None:
    """How many rows are right so far, beside the named cells."""
    ranges = [panel.check for panel in page.panels if panel.check is not None]
    total = sum(rect.size for rect in ranges)
    row, column = next(iter(page.names.values()))
    column += 4 * len(page.names)
    top = min(rect.top for rect in ranges)
    region = f"{absolute(top, 0)}:{absolute(max(rect.bottom for rect in ranges) - 1, page.right)}"
    counted = f'COUNTIF({region},"{RIGHT}")'
    sheet.write_text(row, column - 1, f"{label}:", looks("name"))
    shown = f"{0 if exercise.student else total} / {total}"
    sheet.write_formula_cached(row, column, f'{counted}&" / {total}"', looks("score"), shown)
