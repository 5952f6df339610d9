"""The lessons of a spec as one workbook."""

from __future__ import annotations

import io

from xlsx_attention.generating.drawing import Drawn, Progress, define_names, draw, refs_of
from xlsx_attention.generating.embedding import Copied
from xlsx_attention.generating.inputs import Inputs, prepare
from xlsx_attention.generating.lesson import Lesson, attention_lesson
from xlsx_attention.generating.placing import place
from xlsx_attention.generating.styles import Looks
from xlsx_attention.generating.texts import SHEETS, TITLES
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.writing import open_workbook

#: SOFTMAX by rows (tokens in rows) and by columns, as files store it.
_SOFTMAX = (
    "=_xlfn.LAMBDA(_xlpm.z,_xlfn.LET(_xlpm.e,EXP(_xlpm.z-_xlfn.{by}(_xlpm.z,_xlfn.LAMBDA(_xlpm.v,MAX(_xlpm.v)))),"
    "_xlpm.e/_xlfn.{by}(_xlpm.e,_xlfn.LAMBDA(_xlpm.v,SUM(_xlpm.v)))))"
)


def lay_out(lesson: Lesson, spec: ExampleSpec) -> Drawn:
    """Compute the lesson's numbers and find its blocks their places."""
    values = lesson.computed()
    shapes = {key: (array.shape[0], array.shape[1]) for key, array in values.items()}
    columns = spec.layout == "columns"
    page = place(lesson, shapes, columns=columns, lang=spec.lang)
    return Drawn(lesson, page, refs_of(lesson, page, columns), values)


def lessons(spec: ExampleSpec) -> list[Drawn]:
    """All lessons of the spec, laid out. Raises :class:`UsageError` for what does not fit."""
    found: list[Drawn] = []
    first: Inputs | None = None
    for number, kind in enumerate(spec.lessons):
        heads = spec.heads if spec.heads > 1 or kind != "multihead" else 2
        inputs = prepare(spec, heads=heads if kind in ("multihead", spec.lessons[0]) else 1, shared=first, stream=kind)
        sheet = spec.name if spec.name and number == 0 else SHEETS[kind]
        copied = None
        if found:
            origin = found[0]
            rect, numbers = origin.page.rects["X"], origin.values["X"]
            copied = Copied(origin.lesson.sheet, rect, numbers)
        lesson = attention_lesson(sheet, kind, inputs, style=spec.style, mask=_mask(spec, kind), copied=copied)
        found.append(lay_out(lesson, spec))
        first = first or inputs
    return found


def _mask(spec: ExampleSpec, kind: str) -> str:
    if kind != "causal":
        return spec.mask
    return {"pad": "both", "none": "causal"}.get(spec.mask, spec.mask)


def workbook_bytes(spec: ExampleSpec, found: list[Drawn], progress: Progress | None = None) -> bytes:
    """The workbook of these lessons; the same spec gives the same bytes."""
    stream = io.BytesIO()
    title = spec.title or TITLES[spec.lang][found[0].lesson.kind]
    with open_workbook(stream, properties={"title": title}) as book:
        looks = Looks(book, {})
        for drawn in found:
            sheet = book.add_worksheet(drawn.lesson.sheet)
            draw(sheet, drawn, spec, looks, progress)
            define_names(book, drawn, local=len(found) > 1)
        if spec.style == "lambda":
            book.define_name("SOFTMAX", _SOFTMAX.format(by="BYCOL" if spec.layout == "columns" else "BYROW"))
    return stream.getvalue()
