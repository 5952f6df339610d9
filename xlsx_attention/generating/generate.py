"""From a spec to files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from xlsx_attention.generating.answer_texts import TITLES
from xlsx_attention.generating.answers import answer_rows, answers_bytes
from xlsx_attention.generating.checking import check_choices, refuse
from xlsx_attention.generating.drawing import Drawn
from xlsx_attention.generating.mistakes import check_kinds, choose, planted
from xlsx_attention.generating.texts import PHRASES
from xlsx_attention.generating.workbooks import Progress, as_exercise, lessons, remarked, workbook_bytes
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.writing import atomic_write, refuse_overwriting

PathLike = str | os.PathLike[str]
#: Matrices without which numbers are drawn, so that versions differ.
_DRAWN = ("W_q", "W_k", "W_v")


def outputs(spec: ExampleSpec, path: PathLike) -> list[tuple[Path, Path | None]]:
    """The files of each version: the lesson, and the key or the answers beside it."""
    path = Path(path)
    beside = "key" if spec.exercise else "answers" if spec.mistakes else ""
    digits = max(2, len(str(spec.versions)))
    found = []
    for version in range(1, spec.versions + 1):
        stem = path.stem if spec.versions == 1 else f"{path.stem}-{version:0{digits}}"
        suffix = path.suffix or ".xlsx"
        other = path.with_name(f"{stem}-{beside}{suffix}") if beside else None
        found.append((path.with_name(f"{stem}{suffix}"), other))
    return found


def generate(
    spec: ExampleSpec, path: PathLike, *, protect: Iterable[PathLike] = (), progress: Progress | None = None
) -> tuple[Path, ...]:
    """Write what ``spec`` asks for to ``path`` and beside it; the files written, in order.

    ``lesson.xlsx`` alone, with ``lesson-key.xlsx`` (exercise) or ``lesson-answers.xlsx`` (mistakes); with several
    versions ``lesson-01.xlsx`` and so on. ``protect``: the call's input files, never overwritten.
    ``progress(done, total)`` is told of the work done.
    Raises :class:`~xlsx_attention.errors.UsageError` for a spec that cannot be met, before anything is written.
    """
    check_choices(spec)
    check_kinds(spec.kinds)
    if spec.versions > 1 and all(name in spec.tensors for name in _DRAWN):
        refuse("versions", "all matrices are given, so that every version would be the same; leave one to be drawn")
    if Path(path).suffix.lower() not in ("", ".xlsx"):
        refuse("output-name", f"the output is {os.fspath(path)}; a lesson is a workbook, so name it .xlsx")
    protected = tuple(protect)
    places = outputs(spec, path)
    for place in (place for pair in places for place in pair if place):
        refuse_overwriting(place, protected)
    made: list[tuple[Path, bytes]] = []
    for number, pair in enumerate(places):
        part = _share(progress, number, len(places))
        targets = [place for place in pair if place is not None]
        made += zip(targets, _files(spec, number + 1 if spec.versions > 1 else 0, part), strict=True)
    # All are made before the first is written: where one cannot be, nothing is.
    for target, data in made:
        atomic_write(target, data, protect=protected)
    return tuple(target for target, _ in made)


def _share(progress: Progress | None, done: int, parts: int) -> Progress | None:
    """The progress of one part of several alike."""
    if progress is None:
        return None
    return lambda cells, total: progress(done * total + cells, parts * total)


def _files(spec: ExampleSpec, version: int, progress: Progress | None) -> Iterator[bytes]:
    """The workbook of one version and what belongs beside it."""
    found = lessons(spec, version)
    if version:
        found = remarked(found, PHRASES[spec.lang]["number"].format(n=version))
    if spec.exercise:
        yield workbook_bytes(spec, as_exercise(found, spec, student=True), progress)
        yield workbook_bytes(spec, as_exercise(found, spec, student=False))
    elif spec.mistakes:
        wrong, rows = _with_mistakes(spec, found, version)
        yield workbook_bytes(spec, wrong, progress)
        yield answers_bytes(rows, TITLES[spec.lang], spec.lang)
    else:
        yield workbook_bytes(spec, found, progress)


def _with_mistakes(
    spec: ExampleSpec, found: list[Drawn], version: int
) -> tuple[list[Drawn], list[tuple[str | float, ...]]]:
    """The mistakes in the first lesson, and the rows of the answer sheet."""
    right = found[0]
    mistakes = choose(right, spec.mistakes, spec.kinds, f"{spec.seed}/{version}")
    wrong = planted(right, mistakes)
    rows = answer_rows(right, wrong, mistakes, spec.lang)
    [wrong] = remarked([wrong], PHRASES[spec.lang]["find"].format(n=spec.mistakes))
    return [wrong, *found[1:]], rows
