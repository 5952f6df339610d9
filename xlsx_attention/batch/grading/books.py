"""The two workbooks that grading holds against each other, each with what is known of its cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from xlsx_attention import reading
from xlsx_attention.errors import UnreadableFile, UsageError
from xlsx_attention.model.address import Rect
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Step
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.values import EMPTY, NUMBER, TEXT, Plane
from xlsx_attention.pipeline import Options, verify_grid
from xlsx_attention.reading import Source

Place = tuple[int, int]
#: Verdicts of key cells that have no right answer to hold a student against.
_UNGRADED = frozenset({"volatile", "external", "circular", "not-computed"})


#: Why a step that gives nothing but texts is left out.
TEXTS = "gives texts; name it in a rubric to have it graded"


class Book:
    """A verified workbook, by cell: values, formulas, texts. ``values`` fills what the file does not store."""

    def __init__(self, report: FileReport) -> None:
        assert report.grid is not None
        assert report.plan is not None
        self.report = report
        self.grid: WorkbookGrid = report.grid
        self.plan: Plan = report.plan
        self.values: list[Plane] = [_filled(self.grid, report, index) for index in range(len(self.grid.sheets))]

    @cached_property
    def formulas(self) -> list[dict[Place, str]]:
        """For each sheet: cell → its formula in relative form. Members of an array have their anchor's."""
        found: list[dict[Place, str]] = [{} for _ in self.grid.sheets]
        for step in self.plan.steps:
            for cell in step.block.cells.cells():
                found[step.block.sheet][cell] = step.block.form.r1c1
        return found

    @cached_property
    def steps_at(self) -> list[dict[Place, Step]]:
        """For each sheet: cell → the step that computes it."""
        found: list[dict[Place, Step]] = [{} for _ in self.grid.sheets]
        for step in self.plan.steps:
            for cell in step.block.cells.cells():
                found[step.block.sheet][cell] = step
        return found

    @cached_property
    def texts(self) -> list[dict[Place, str]]:
        """For each sheet: cell → its label, a typed text, without case and outer spaces."""
        found: list[dict[Place, str]] = []
        for sheet in self.grid.sheets:
            here: dict[Place, str] = {}
            computed = self.formulas[sheet.index]
            for place, number in _cells_of_kind(sheet.cached, TEXT):
                text = self.grid.texts[number].strip().casefold()
                if text and place not in computed:
                    here[place] = text
            found.append(here)
        return found

    @cached_property
    def roles(self) -> dict[tuple[int, Rect], str]:
        return self.report.attention.labels()


class KeyBook(Book):
    """The key: ``graded`` are the steps that have a right answer, ``others`` says why the rest is left out."""

    @cached_property
    def graded(self) -> tuple[Step, ...]:
        return tuple(step for step in self.plan.steps if self._reason(step) is None)

    @cached_property
    def gradable(self) -> frozenset[int]:
        """Steps that a rubric may name: those that are graded anyhow, and those that give texts."""
        return frozenset(step.index for step in self.plan.steps if self._reason(step) in (None, TEXTS))

    @cached_property
    def others(self) -> dict[str, str]:
        named = {}
        for step in self.plan.steps:
            reason = self._reason(step)
            if reason is not None:
                named[f"{self.grid.sheets[step.block.sheet].name}!{step.block.cells.a1}"] = reason
        return named

    def _reason(self, step: Step) -> str | None:
        sheet = next((s for s in self.report.sheets if s.index == step.block.sheet), None)
        for row, column in step.block.cells.cells():
            verdict = None if sheet is None else sheet.verdict(row, column)
            if verdict in _UNGRADED:
                return verdict
        kinds = self.values[step.block.sheet].read(step.block.cells)[1]
        # Captions and the marks of a self-checking exercise; a rubric's step may still name them.
        return TEXTS if bool((kinds == TEXT).all()) else None


def load_key(data: bytes, name: str = "key") -> KeyBook:
    """The key from its content; :class:`UsageError` where it is no workbook or computes nothing."""
    try:
        grid = reading.read_workbook(Source(name, data), budgets=Budgets())
    except UnreadableFile as error:
        raise UsageError("bad-key", str(error), where=name) from None
    key = KeyBook(verify_grid(grid, Options()))
    if not key.graded:
        raise UsageError(
            "bad-key", "holds no formula to grade against; name the workbook with the solution", where=name
        )
    return key


def _filled(grid: WorkbookGrid, report: FileReport, index: int) -> Plane:
    """The stored values, and where a formula has none stored the recomputed one."""
    plane = grid.sheets[index].cached
    sheet = next((s for s in report.sheets if s.index == index), None)
    if sheet is None or not report.counts.get("no-cached-value"):
        return plane
    plane = plane.copy()
    missing = plane.kind == EMPTY
    plane.number[missing] = sheet.from_inputs.number[missing]
    plane.kind[missing] = sheet.from_inputs.kind[missing]
    for cell, value in sheet.from_inputs.outliers.items():
        plane.outliers.setdefault(cell, value)
    return plane


def _cells_of_kind(plane: Plane, kind: int) -> list[tuple[Place, float]]:
    found = [
        ((plane.rect.top + int(i), plane.rect.left + int(j)), float(plane.number[i, j]))
        for i, j in np.argwhere(plane.kind == kind)
    ]
    return found + [(cell, number) for cell, (number, own) in sorted(plane.outliers.items()) if own == kind]


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Cells of the key that belong together: a step's, or a patch of typed numbers (``step`` is then ``None``)."""

    sheet: int
    rect: Rect
    step: Step | None


def input_regions(key: Book) -> list[Region]:
    """Patches of typed numbers in the key, as rectangles around cells that touch."""
    regions = []
    for sheet in key.grid.sheets:
        computed = key.formulas[sheet.index]
        left = {place for place, _ in _cells_of_kind(sheet.cached, NUMBER) if place not in computed}
        while left:
            stack = [min(left)]
            left.discard(stack[0])
            rect = Rect.cell(*stack[0])
            while stack:
                row, column = stack.pop()
                rect = rect.union(Rect.cell(row, column))
                for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                    if near in left:
                        left.discard(near)
                        stack.append(near)
            regions.append(Region(sheet.index, rect, None))
    return regions
