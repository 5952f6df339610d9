"""The lessons of a spec as one workbook."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from xlsx_attention.generating.checking import check_choices, refuse
from xlsx_attention.generating.drawing import Drawn, define_names, draw, refs_of
from xlsx_attention.generating.embedding import Copied
from xlsx_attention.generating.exercise import TOLERANCE, exercise_of
from xlsx_attention.generating.inputs import Inputs, asking_inputs, prepare
from xlsx_attention.generating.lesson import Lesson, attention_lesson
from xlsx_attention.generating.placing import place
from xlsx_attention.generating.styles import Looks
from xlsx_attention.generating.texts import PHRASES, SHEETS, TITLES
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.writing import open_workbook

Progress = Callable[[int, int], None]
#: SOFTMAX along the keys, as files store it.
_SOFTMAX = (
    "=_xlfn.LAMBDA(_xlpm.z,_xlfn.LET(_xlpm.e,EXP(_xlpm.z-_xlfn.{by}(_xlpm.z,_xlfn.LAMBDA(_xlpm.v,MAX(_xlpm.v)))),"
    "_xlpm.e/_xlfn.{by}(_xlpm.e,_xlfn.LAMBDA(_xlpm.v,SUM(_xlpm.v)))))"
)


def lay_out(lesson: Lesson, spec: ExampleSpec) -> Drawn:
    """Compute the lesson's numbers and find its blocks their places."""
    values = lesson.computed()
    shapes = {key: (array.shape[0], array.shape[1]) for key, array in values.items()}
    columns = spec.layout == "columns"
    # The student's copy and the key have the same cells, checks included.
    checked = exercise_of(lesson, spec.blanks, student=False).blanks if spec.exercise else frozenset[str]()
    page = place(lesson, shapes, columns=columns, lang=spec.lang, checked=checked)
    return Drawn(lesson, page, refs_of(lesson, page, columns), values)


def lessons(spec: ExampleSpec, version: int = 0) -> list[Drawn]:
    """All lessons of the spec, laid out. Raises :class:`UsageError` for what does not fit.

    ``version``: other numbers for each; 0 are those of the seed alone.
    """
    check_choices(spec)
    found: list[Drawn] = []
    first: Inputs | None = None
    for number, kind in enumerate(spec.lessons):
        heads = spec.heads if number == 0 or kind == "multihead" else 1
        heads = 2 if kind == "multihead" and heads == 1 else heads
        stream = f"{kind}/{version}" if version else kind
        inputs = prepare(spec, heads=heads, shared=first, stream=stream)
        sheet = spec.name if spec.name and number == 0 else SHEETS[kind]
        copied = None
        if found:
            source = next(step.key for step in found[0].lesson.steps if step.role == "X")
            copied = Copied(found[0].lesson.sheet, found[0].page.rects[source], found[0].values[source])
        asking = asking_inputs(spec, inputs, stream) if kind == "cross" else None
        mask = _mask(spec, kind, inputs)
        lesson = attention_lesson(sheet, kind, inputs, style=spec.style, mask=mask, copied=copied, asking=asking)
        if spec.exercise and not exercise_of(lesson, spec.blanks, student=False).blanks:
            refuse("exercise", f"none of the steps {', '.join(spec.blanks)} is in the lesson {kind}")
        found.append(lay_out(lesson, spec))
        first = first or inputs
    return found


def _mask(spec: ExampleSpec, kind: str, inputs: Inputs) -> str:
    if kind == "causal":
        return {"pad": "both", "none": "causal"}.get(spec.mask, spec.mask)
    if kind == "cross":  # what comes later in one sentence is not later in the other
        return "pad" if spec.mask in ("pad", "both") or not inputs.keep.all() else "none"
    return spec.mask


def as_exercise(found: list[Drawn], spec: ExampleSpec, *, student: bool) -> list[Drawn]:
    """The student's copy, or the key."""
    marked = [replace(drawn, exercise=exercise_of(drawn.lesson, spec.blanks, student=student)) for drawn in found]
    return remarked(marked, PHRASES[spec.lang]["exercise" if student else "key"].format(tol=TOLERANCE))


def remarked(found: list[Drawn], remark: str) -> list[Drawn]:
    """The same lessons with one more remark below the heading."""
    return [replace(drawn, remarks=(*drawn.remarks, remark)) for drawn in found]


def heading(spec: ExampleSpec, kind: str) -> str:
    """The title of a lesson."""
    return spec.title or TITLES[spec.lang][kind]


def _laid_down(progress: Progress, before: int, total: int, done: int) -> None:
    """Half of the work: every cell is laid down once, then written once."""
    progress(before + done, total)


def _written(progress: Progress, before: int, size: int, total: int, row: int, rows: int) -> None:
    progress(before + size * row // rows, total)


def workbook_bytes(spec: ExampleSpec, found: list[Drawn], progress: Progress | None = None) -> bytes:
    """The workbook of these lessons; the same spec gives the same bytes."""
    stream = io.BytesIO()
    with open_workbook(stream, properties={"title": heading(spec, found[0].lesson.kind)}) as book:
        looks = Looks(book, {})
        sizes = [sum(panel.rect.size for panel in drawn.page.panels) for drawn in found]
        for number, drawn in enumerate(found):
            sheet = book.add_worksheet(drawn.lesson.sheet)
            told = None
            if progress is not None:
                before = sum(sizes[:number])
                told = partial(_laid_down, progress, before, 2 * sum(sizes))
                sheet.on_row = partial(_written, progress, sum(sizes) + before, sizes[number], 2 * sum(sizes))
            draw(sheet, drawn, spec, looks, told)
            define_names(book, drawn, local=len(found) > 1)
        if spec.style == "lambda":
            book.define_name("SOFTMAX", _SOFTMAX.format(by="BYCOL" if spec.layout == "columns" else "BYROW"))
    return stream.getvalue()
