"""A lesson onto its sheet: labels, inputs, formulas with their results, and how the page prints."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xlsx_attention.generating.exercise import Exercise, write_blanks, write_checks, write_score
from xlsx_attention.generating.lesson import Lesson, Step
from xlsx_attention.generating.placing import COLUMN_WIDTH, Page, Panel
from xlsx_attention.generating.refs import Refs, absolute, quoted
from xlsx_attention.generating.styles import Looks, number_format
from xlsx_attention.generating.texts import NAMES, PHRASES, TITLES, symbol
from xlsx_attention.model.address import Rect
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.model.values import Floats
from xlsx_attention.writing import AttentionSheet, AttentionWorkbook

#: Up to this many columns and rows a lesson is printed on one page.
_ONE_PAGE = (60, 120)
#: What is at most this is no score but a mask's −1e9, too wide for a column with decimals.
_FAR = -1_000_000
#: A column is about this many rows wide.
_COLUMN_TO_ROW = 2.6
#: Steps whose block is one formula in the style of array formulas; the others stay cells.
_LEGACY = ("Product",)


@dataclass(frozen=True, slots=True)
class Change:
    """What stands in one cell instead of its block's formula: another formula (or none), and what the file stores."""

    formula: str | None
    value: float | str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A lesson as it is laid out. ``changes``: block → cell in it → what stands there instead."""

    lesson: Lesson
    page: Page
    refs: Refs
    values: Mapping[str, Floats]  # tokens in rows
    changes: Mapping[str, Mapping[tuple[int, int], Change]] = field(default_factory=dict)
    exercise: Exercise | None = None
    remarks: tuple[str, ...] = ()


def refs_of(lesson: Lesson, page: Page, columns: bool) -> Refs:
    """How formulas on this page speak of its blocks."""
    spilled: set[str] = set()
    if lesson.arrays == "dynamic":
        plain = Refs(page.rects, columns)
        spilled = {step.key for step in lesson.steps if step.op is not None and step.op.array(plain) is not None}
    return Refs(page.rects, columns, frozenset(spilled))


def array_formula(lesson: Lesson, step: Step, refs: Refs) -> str | None:
    """The block's one formula, where the lesson's style has one."""
    if step.op is None or not lesson.arrays:
        return None
    if lesson.arrays == "legacy" and type(step.op).__name__ not in _LEGACY:
        return None
    return step.op.array(refs)


def laid(values: Floats, columns: bool) -> Floats:
    """The numbers as they lie on the sheet."""
    return values.T if columns else values


def draw(
    sheet: AttentionSheet, drawn: Drawn, spec: ExampleSpec, looks: Looks, told: Callable[[int], None] | None = None
) -> None:
    """Write one lesson; ``told`` of the cells laid down so far."""
    page = drawn.page
    sheet.set_column(0, page.right, COLUMN_WIDTH)
    _heading(sheet, drawn, spec, looks)
    done = 0
    for panel in page.panels:
        _labels(sheet, panel, drawn, spec, looks)
        for key, rect in (strip for strip in (panel.above, panel.beside) if strip):
            numbers = laid(drawn.values[key], drawn.refs.columns)
            sheet.write_numbers(rect.top, rect.left, numbers, looks("input", number_format("mask", 0)))
            if drawn.lesson.by_key[key].role == "mask":
                _zeros_and_ones(sheet, rect, spec)
        _body(sheet, panel, drawn, spec, looks)
        done += panel.rect.size
        if told is not None:
            told(done)
    _arrows(sheet, drawn, looks)
    _page_set_up(sheet, page, spec)
    if drawn.exercise is not None and drawn.exercise.student:
        sheet.protect("", {"select_locked_cells": True, "format_columns": True})


def _heading(sheet: AttentionSheet, drawn: Drawn, spec: ExampleSpec, looks: Looks) -> None:
    phrases = PHRASES[spec.lang]
    title = spec.title or TITLES[spec.lang][drawn.lesson.kind]
    sheet.set_row(0, 24)
    sheet.write_text(0, 0, title, looks("heading"))
    remarks = [phrases["legend"], phrases[f"tokens in {spec.layout}"]]
    if any(step.role == "mask" and step.strip for step in drawn.lesson.steps) and not _all_kept(drawn):
        remarks.append(phrases["hidden"])
    if drawn.exercise is not None and drawn.exercise.student:
        remarks = []
    sheet.write_text(1, 0, (" " if spec.lang == "en" else "").join([*remarks, *drawn.remarks]), looks("remark"))
    for name, (row, column) in drawn.page.names.items():
        sheet.write_text(row, column - 1, f"{name} =", looks("name"))
        sheet.write_number17(row, column, drawn.lesson.names[name], looks("input", "0"))
    for head, row in drawn.page.heads.items():
        for column in range(drawn.page.right):
            sheet.write_text(row, column, phrases["head"].format(n=head) if column == 0 else "", looks("head"))
    if drawn.exercise is not None:
        write_score(sheet, drawn.exercise, drawn.page, phrases["right"], looks)


def _all_kept(drawn: Drawn) -> bool:
    return all(drawn.values[s.key].all() for s in drawn.lesson.steps if s.role == "mask" and s.strip)


def _axis(names: tuple[str, ...] | str, length: int) -> list[str]:
    if isinstance(names, tuple):
        return list(names)
    return [f"{names}{i}" for i in range(1, length + 1)] if names else [""] * length


def _labels(sheet: AttentionSheet, panel: Panel, drawn: Drawn, spec: ExampleSpec, looks: Looks) -> None:
    text, rect, columns = panel.caption, panel.rect, drawn.refs.columns
    sheet.write_text(panel.top, panel.left, text.title, looks("title"))
    sheet.write_text(panel.top + 1, panel.left, text.mathematics, looks("mathematics"))
    if text.numpy:
        sheet.write_text(panel.top + 2, panel.left, text.numpy, looks("numpy"))
    rows, across = panel.step.rows, panel.step.columns
    if columns:
        rows, across = across, rows
    for i, name in enumerate(_axis(across, rect.width)):
        if name:
            sheet.write_text(rect.top - 1, rect.left + i, name, looks("label"))
    for i, name in enumerate(_axis(rows, rect.height)):
        if name:
            sheet.write_text(rect.top + i, rect.left - 1, name, looks("side label"))
    for strip, place in ((panel.above, (rect.top - 2, rect.left - 1)), (panel.beside, (rect.top - 1, panel.left))):
        if strip:
            key = strip[0]
            shown = NAMES[spec.lang].get(drawn.lesson.by_key[key].role, symbol(key, columns))
            sheet.write_text(*place, shown, looks("side label" if strip is panel.above else "label"))


def _body(sheet: AttentionSheet, panel: Panel, drawn: Drawn, spec: ExampleSpec, looks: Looks) -> None:
    step, rect, refs, exercise = drawn.lesson.by_key[panel.step.key], panel.rect, drawn.refs, drawn.exercise
    values = laid(drawn.values[step.key], refs.columns)
    number = number_format(step.role, spec.decimals)
    if step.op is None:
        sheet.write_numbers(rect.top, rect.left, values, looks("input", number))
        if step.role in ("mask", "causal"):
            _zeros_and_ones(sheet, rect, spec)
        return
    look = looks("result" if step.role in ("weights", "output", "projected") else "formula", number)
    formula = array_formula(drawn.lesson, step, refs)
    known = exercise is None or step.key not in exercise.unknown
    op = step.op
    if exercise is not None and exercise.student and step.key in exercise.blanks:
        write_blanks(sheet, rect, PHRASES[spec.lang]["invalid"], looks("blank", number))
    elif formula is not None:
        stored = values if known else None
        sheet.write_array_cached(rect, formula, look, stored, dynamic=drawn.lesson.arrays == "dynamic")
    elif known:
        sheet.write_block_cached(rect.top, rect.left, lambda i, j: op.cell(refs, i, j), values, look)
    else:
        for row, column in rect.cells():
            sheet.write_formula_cached(row, column, op.cell(refs, row - rect.top, column - rect.left), look)
    for (i, j), change in drawn.changes.get(step.key, {}).items():
        where = (rect.top + i, rect.left + j)
        if change.formula is not None:
            sheet.write_formula_cached(*where, change.formula, look, change.value)
        elif isinstance(change.value, str):
            sheet.write_text(*where, change.value, look)
        else:
            sheet.write_number17(*where, change.value, look)
    if exercise is not None and panel.check is not None:
        write_checks(sheet, panel, exercise, refs, looks)
    if step.role in ("masked", "row_max"):
        # A format of two sections could say this as well, but LibreOffice drops the minus of the second.
        sheet.conditional_format(
            rect.top, rect.left, rect.bottom - 1, rect.right - 1,
            {"type": "cell", "criteria": "<=", "value": _FAR, "format": looks("hidden")},
        )  # fmt: skip
    if step.role == "weights":
        sheet.conditional_format(
            rect.top, rect.left, rect.bottom - 1, rect.right - 1,
            {"type": "2_color_scale", "min_type": "num", "min_value": 0, "max_type": "num", "max_value": 1,
             "min_color": "#FFFFFF", "max_color": "#5B9BD5"},
        )  # fmt: skip


def _zeros_and_ones(sheet: AttentionSheet, rect: Rect, spec: ExampleSpec) -> None:
    """A mask takes nothing else."""
    sheet.data_validation(
        rect.top, rect.left, rect.bottom - 1, rect.right - 1,
        {"validate": "integer", "criteria": "between", "minimum": 0, "maximum": 1,
         "error_message": PHRASES[spec.lang]["mask"]},
    )  # fmt: skip


def _arrows(sheet: AttentionSheet, drawn: Drawn, looks: Looks) -> None:
    """An arrow in the gap where the panel on the right reads the one on the left, and one below what goes on below."""
    panels = drawn.page.panels
    for left, right in itertools.pairwise(panels):
        if left.top == right.top and right.step.op is not None and left.step.key in right.step.op.inputs:
            row = left.rect.top + (min(left.rect.height, right.rect.height) - 1) // 2
            sheet.write_text(row, right.left - 1, "→", looks("arrow"))
    for upper in panels:
        below = next((p for p in panels if p.left == upper.left and p.top > upper.top), None)
        if below is not None and below.step.op is not None and upper.step.key in below.step.op.inputs:
            sheet.write_text(below.top - 1, upper.rect.left, "↓", looks("arrow"))


def _page_set_up(sheet: AttentionSheet, page: Page, spec: ExampleSpec) -> None:
    sheet.freeze_panes(2, 0)
    sheet.hide_gridlines(2)
    if page.right * _COLUMN_TO_ROW >= page.bottom:
        sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    sheet.fit_to_pages(1, 1 if page.right <= _ONE_PAGE[0] and page.bottom <= _ONE_PAGE[1] else 0)
    sheet.repeat_rows(0, 1)
    sheet.print_area(0, 0, page.bottom - 1, page.right - 1)
    sheet.set_footer(f"&L&A&R{PHRASES[spec.lang]['page']}")


def define_names(book: AttentionWorkbook, drawn: Drawn, *, local: bool) -> None:
    """d_k and its like, for this sheet alone where several sheets have their own."""
    sheet = quoted(drawn.lesson.sheet)
    for name, where in drawn.page.names.items():
        book.define_name(f"{sheet}!{name}" if local else name, f"={sheet}!{absolute(*where)}")
