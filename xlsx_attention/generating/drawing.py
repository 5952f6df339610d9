"""A lesson onto its sheet: labels, inputs, formulas with their results, and how the page prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xlsx_attention.generating.lesson import Lesson, Step
from xlsx_attention.generating.placing import COLUMN_WIDTH, LINES, Page, Panel
from xlsx_attention.generating.refs import Refs, quoted
from xlsx_attention.generating.styles import Looks, number_format
from xlsx_attention.generating.texts import NAMES, PHRASES, symbol
from xlsx_attention.model.address import cell_name
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.model.values import Floats
from xlsx_attention.writing import AttentionSheet, AttentionWorkbook

Progress = Callable[[int, int], None]
#: Up to this many columns and rows a lesson is printed on one page.
_ONE_PAGE = (60, 120)
#: Steps whose block is one formula in each style of arrays; the others stay cells.
_LEGACY = ("Product",)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A lesson as it was laid out, for what is written about it afterwards."""

    lesson: Lesson
    page: Page
    refs: Refs
    values: Mapping[str, Floats]  # tokens in rows


def refs_of(lesson: Lesson, page: Page, columns: bool) -> Refs:
    spilled: set[str] = set()
    refs = Refs(page.rects, columns)
    if lesson.arrays == "dynamic":
        spilled = {step.key for step in lesson.steps if step.op is not None and step.op.array(refs) is not None}
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
    sheet: AttentionSheet, drawn: Drawn, spec: ExampleSpec, looks: Looks, progress: Progress | None = None
) -> None:
    """Write one lesson."""
    page = drawn.page
    sheet.set_column(0, page.right, COLUMN_WIDTH)
    _heading(sheet, drawn, spec, looks)
    done, total = 0, sum(panel.rect.size for panel in page.panels)
    for panel in page.panels:
        _labels(sheet, panel, drawn, spec, looks)
        for key, rect in (strip for strip in (panel.above, panel.beside) if strip):
            numbers = laid(drawn.values[key], drawn.refs.columns)
            sheet.write_numbers(rect.top, rect.left, numbers, looks("input", number_format("mask", 0)))
        _body(sheet, panel, drawn, spec, looks)
        done += panel.rect.size
        if progress is not None:
            progress(done, total)
    _arrows(sheet, drawn, looks)
    _page_set_up(sheet, page, spec)


def _heading(sheet: AttentionSheet, drawn: Drawn, spec: ExampleSpec, looks: Looks) -> None:
    from xlsx_attention.generating.texts import TITLES

    phrases = PHRASES[spec.lang]
    title = spec.title or TITLES[spec.lang][drawn.lesson.kind]
    sheet.set_row(0, 24)
    sheet.write_text(0, 0, title, looks("heading"))
    remarks = [phrases["legend"], phrases[f"tokens in {spec.layout}"]]
    if "mask" in drawn.values and spec.mask in ("pad", "both"):
        remarks.append(phrases["hidden"])
    sheet.write_text(1, 0, " ".join(remarks) if spec.lang == "en" else "".join(remarks), looks("remark"))
    for name, (row, column) in drawn.page.names.items():
        sheet.write_text(row, column - 1, f"{name} =", looks("name"))
        sheet.write_number17(row, column, drawn.lesson.names[name], looks("input", "0"))
    for head, row in drawn.page.heads.items():
        for column in range(drawn.page.right):
            sheet.write_text(row, column, phrases["head"].format(n=head) if column == 0 else "", looks("head"))


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
    step, rect, refs = panel.step, panel.rect, drawn.refs
    values = laid(drawn.values[step.key], refs.columns)
    number = number_format(step.role, spec.decimals)
    if step.op is None:
        sheet.write_numbers(rect.top, rect.left, values, looks("input", number))
        return
    look = looks("result" if step.role in ("weights", "output", "projected") else "formula", number)
    formula = array_formula(drawn.lesson, step, refs)
    if formula is not None:
        sheet.write_array_cached(rect, formula, look, values, dynamic=drawn.lesson.arrays == "dynamic")
    else:
        op = step.op
        sheet.write_block_cached(rect.top, rect.left, lambda i, j: op.cell(refs, i, j), values, look)
    if step.role == "weights":
        sheet.conditional_format(
            rect.top, rect.left, rect.bottom - 1, rect.right - 1,
            {"type": "2_color_scale", "min_type": "num", "min_value": 0, "max_type": "num", "max_value": 1,
             "min_color": "#FFFFFF", "max_color": "#5B9BD5"},
        )  # fmt: skip


def _arrows(sheet: AttentionSheet, drawn: Drawn, looks: Looks) -> None:
    """An arrow in the gap where the panel on the right reads the one on the left, and one below what goes on below."""
    panels = drawn.page.panels
    for left, right in zip(panels, panels[1:], strict=False):
        if left.top == right.top and right.step.op is not None and left.step.key in right.step.op.inputs:
            row = left.rect.top + (min(left.rect.height, right.rect.height) - 1) // 2
            sheet.write_text(row, right.left - 1, "→", looks("arrow"))
    for upper in panels:
        below = [p for p in panels if p.left == upper.left and p.top > upper.top]
        if below and (step := below[0].step).op is not None and upper.step.key in step.op.inputs:
            sheet.write_text(below[0].top - 1, upper.rect.left, "↓", looks("arrow"))


def _page_set_up(sheet: AttentionSheet, page: Page, spec: ExampleSpec) -> None:
    sheet.freeze_panes(2, 0)
    sheet.hide_gridlines(2)
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    sheet.fit_to_pages(1, 1 if page.right <= _ONE_PAGE[0] and page.bottom <= _ONE_PAGE[1] else 0)
    sheet.repeat_rows(0, 1)
    sheet.print_area(0, 0, page.bottom - 1, page.right)
    sheet.set_footer(f"&L&A&R{PHRASES[spec.lang]['page']}")


def define_names(book: AttentionWorkbook, drawn: Drawn, *, local: bool) -> None:
    """d_k and its like, for this sheet alone where several sheets have their own."""
    sheet = quoted(drawn.lesson.sheet)
    for name, (row, column) in drawn.page.names.items():
        absolute = f"{sheet}!{_absolute(row, column)}"
        book.define_name(f"{sheet}!{name}" if local else name, f"={absolute}")


def _absolute(row: int, column: int) -> str:
    plain = cell_name(row, column)
    letters = plain.rstrip("0123456789")
    return f"${letters}${plain[len(letters) :]}"


__all__ = ["LINES", "Drawn", "Progress", "array_formula", "define_names", "draw", "laid", "refs_of"]
