"""The answer sheet of a find-the-mistake lesson: what is wrong, where, and what belongs there."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from xlsx_attention.generating.answer_texts import EXPLANATIONS, HEADERS
from xlsx_attention.generating.drawing import Change, Drawn, array_formula
from xlsx_attention.generating.planting import Mistake, laid_cell
from xlsx_attention.generating.styles import Looks
from xlsx_attention.generating.texts import symbol
from xlsx_attention.model.address import cell_name
from xlsx_attention.writing import open_workbook

#: Widths of the columns, in characters.
_WIDTHS = (4, 15, 10, 12, 24, 34, 34, 13, 13, 50)


def answer_rows(right: Drawn, wrong: Drawn, mistakes: Sequence[Mistake], lang: str) -> list[tuple[str | float, ...]]:
    """One row a mistake: sheet, cells, step, kind, what stands there, what belongs there, both numbers, why."""
    return [_row(right, wrong, mistake, lang) for mistake in mistakes]


def _row(right: Drawn, wrong: Drawn, mistake: Mistake, lang: str) -> tuple[str | float, ...]:
    refs, key = right.refs, mistake.key
    rect = refs.rects[key]
    at = mistake.cell or (0, 0)
    i, j = laid_cell(at, refs)
    change = wrong.changes.get(key, {}).get((i, j))
    there = _formula(wrong, key, i, j) if change is None else _stands(change)
    where = rect.a1 if mistake.cell is None else cell_name(rect.top + i, rect.left + j)
    numbers: tuple[str | float, str | float] = (
        change.value if change is not None else float(wrong.values[key][at]),
        float(right.values[key][at]),
    )
    why = EXPLANATIONS[lang][mistake.kind]
    shown = symbol(key, refs.columns)
    return (right.lesson.sheet, where, shown, mistake.kind, there, _formula(right, key, i, j), *numbers, why)


def _stands(change: Change) -> str:
    return f"={change.formula}" if change.formula is not None else str(change.value)


def _formula(drawn: Drawn, key: str, i: int, j: int) -> str:
    step = drawn.lesson.by_key[key]
    assert step.op is not None
    return "=" + (array_formula(drawn.lesson, step, drawn.refs) or step.op.cell(drawn.refs, i, j))


def answers_bytes(rows: Sequence[tuple[str | float, ...]], title: str, lang: str) -> bytes:
    """The answer sheet as a workbook."""
    stream = io.BytesIO()
    with open_workbook(stream, properties={"title": title}) as book:
        looks = Looks(book, {})
        sheet = book.add_worksheet("answers")
        sheet.set_row(0, 24)
        sheet.write_text(0, 0, title, looks("heading"))
        for column, (name, width) in enumerate(zip(HEADERS[lang], _WIDTHS, strict=True)):
            sheet.set_column(column, column, width)
            sheet.write_text(2, column, name, looks("label"))
        for number, row in enumerate(rows, 1):
            values: tuple[Any, ...] = (float(number), *row)
            for column, value in enumerate(values):
                if isinstance(value, str):
                    sheet.write_text(2 + number, column, value, looks("wrapped"))
                else:
                    sheet.write_number17(2 + number, column, value, looks("wrapped", "General"))
        sheet.freeze_panes(3, 0)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
    return stream.getvalue()
