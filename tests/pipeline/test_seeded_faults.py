"""One change in a real workbook, at its XML: that cell is accused, what it spoils is inherited and names it, nothing
else.

The values of the dependants of a pasted number are what the changed workbook gives when it is calculated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.seeding import StoredCell, edit, sheet_parts, unshare, write
from xlsx_attention import parsing, reading
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.model.address import cell_name
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.values import NUMBER
from xlsx_attention.pipeline import Options, parse_names, verify_file
from xlsx_attention.running import run

WORKBOOKS = ["course", "ai-by-hand/Self-Attention.xlsx", "ai-by-hand/Softmax.xlsx", "backprop-class/backprop.xlsx"]
Change = Callable[[StoredCell], StoredCell]


@pytest.fixture(scope="module")
def corpus_or_course(project: Path, corpus: Path) -> Callable[[str], Path]:
    return lambda name: project / "workbooks" / "course-self-attention.xlsx" if name == "course" else corpus / name


class Lesson:
    """A workbook whose cells can be changed one at a time; ``targets`` are first and last cells of its blocks."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.data = unshare(path.read_bytes())
        self.parts = sheet_parts(self.data)
        self.file = folder / "changed.xlsx"
        self.before = self.verify(self.data)
        assert self.before.ok
        assert self.before.plan is not None
        every = [
            (step, cell)
            for step in self.before.plan.steps
            if step.block.spill is None and step.block.rect.size >= 3
            for cell in sorted(
                {(step.block.rect.top, step.block.rect.left), (step.block.rect.bottom - 1, step.block.rect.right - 1)}
            )
            if self.before.grid is not None and self.before.grid.value(step.block.sheet, *cell).kind == NUMBER
        ]
        # A dozen, spread over the workbook, keep the suite quick.
        self.targets = every[:: max(1, len(every) // 12)]

    def verify(self, data: bytes) -> FileReport:
        return verify_file(write(self.file, data), Options(recognise=False))

    def place(self, sheet: int, cell: tuple[int, int]) -> tuple[str, str]:
        assert self.before.grid is not None
        return self.parts[self.before.grid.sheets[sheet].name], cell_name(*cell)

    def changed(self, sheet: int, cell: tuple[int, int], change: Change) -> bytes:
        return edit(self.data, {self.place(sheet, cell): change})

    def calculated(self, data: bytes) -> tuple[bytes, set[tuple[int, int, int]]]:
        """With every stored result what the formulas give, and which cells that changed by more than rounding."""
        grid = reading.read_workbook(data)
        plan = compile_plan(grid, parsing.find_blocks(grid), parse_names(grid))
        plan.tasks, plan.repairs = _without_repairs(plan)
        planes = run.from_inputs(grid, plan, parse=parsing.parse)
        edits: dict[tuple[str, str], Change] = {}
        changed = set()
        for step in plan.steps:
            for cell in step.block.cells.cells():
                old, new = grid.sheets[step.block.sheet].cached.get(*cell), planes[step.block.sheet].get(*cell)
                if old != new:
                    edits[self.place(step.block.sheet, cell)] = _value(new[0])
                    if abs(old[0] - new[0]) > 1e-12 * max(abs(old[0]), abs(new[0])):
                        changed.add((step.block.sheet, *cell))
        return edit(data, edits), changed


def _without_repairs(plan):  # type: ignore[no-untyped-def]
    """The plan of the workbook as it now is: a pasted number is an input to it."""
    pasted = {(r.step, r.row, r.column) for r in plan.repairs}
    return tuple(t for t in plan.tasks if (t.step, t.rect.top, t.rect.left) not in pasted or t.rect.size > 1), ()


def _value(number: float) -> Change:
    return lambda cell: replace(cell, value=repr(number))


def accused(report: FileReport) -> set[tuple[int, int, int]]:
    return {(c.sheet, c.row, c.column) for c in report.cells if c.verdict in ("origin", "overridden")}


def found(report: FileReport) -> set[tuple[int, int, int]]:
    return {(f.sheet, *cell) for f in report.findings for cell in f.rect.cells()}


@pytest.fixture(scope="module", params=WORKBOOKS)
def lesson(
    request: pytest.FixtureRequest, corpus_or_course: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Lesson:
    return Lesson(corpus_or_course(request.param), tmp_path_factory.mktemp("seeded"))


def test_a_changed_stored_value_is_a_stale_cache_and_spoils_nothing(lesson: Lesson) -> None:
    for step, cell in lesson.targets:
        assert lesson.before.grid is not None
        old = lesson.before.grid.value(step.block.sheet, *cell).number
        report = lesson.verify(lesson.changed(step.block.sheet, cell, _value(old * 1.001 + 0.0137)))
        assert accused(report) == {(step.block.sheet, *cell)}
        assert report.counts["inherited"] == 0
        assert not report.findings


def test_a_pasted_number_is_accused_and_its_dependants_inherit_and_name_it(lesson: Lesson) -> None:
    for step, cell in lesson.targets:
        assert lesson.before.grid is not None
        old = lesson.before.grid.value(step.block.sheet, *cell).number
        pasted = lesson.changed(
            step.block.sheet,
            cell,
            lambda c, old=old: replace(  # type: ignore[misc]
                c, formula=None, value=repr(old + 0.01), attributes=re.sub(r' cm="\d+"', "", c.attributes)
            ),
        )
        data, dependants = lesson.calculated(pasted)
        report = lesson.verify(data)
        assert accused(report) == {(step.block.sheet, *cell)}
        inherited = {(c.sheet, c.row, c.column): c for c in report.cells if c.verdict == "inherited"}
        assert set(inherited) == dependants
        assert report.grid is not None
        sheet = report.grid.sheets[step.block.sheet].name
        for place, result in inherited.items():
            origin = cell_name(*cell) if place[0] == step.block.sheet else f"{sheet}!{cell_name(*cell)}"
            assert result.origins == (origin,)


def test_a_formula_that_is_not_its_blocks_is_accused_or_found(lesson: Lesson) -> None:
    """A ``$`` dropped, a range one row longer; the stored values stay, so that no dependant is to blame."""
    tried = 0
    for step, cell in lesson.targets:
        text = parsing.formula_at(step.block.form, *cell)
        longer = re.sub(r"(:\$?[A-Z]+\$?)(\d+)", lambda m: m[1] + str(int(m[2]) + 1), text, count=1)
        for slip in {text.replace("$", "", 1), longer} - {text}:
            report = lesson.verify(
                lesson.changed(step.block.sheet, cell, lambda c, slip=slip: replace(c, formula=slip))  # type: ignore[misc]
            )
            here = {(step.block.sheet, *cell)}
            assert accused(report) == here or (not accused(report) and found(report) == here)
            assert report.counts["inherited"] == 0
            assert not report.ok
            tried += 1
    assert tried or "Softmax" not in lesson.before.path
