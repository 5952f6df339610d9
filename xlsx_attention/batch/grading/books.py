"""The two workbooks that grading holds against each other, each with what is known of its cells."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from xlsx_attention import parsing, reading
from xlsx_attention.batch.grading.roles import names
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.errors import UnreadableFile, UsageError
from xlsx_attention.model.address import Rect
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.plan import Plan, Step
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.values import EMPTY, NUMBER, TEXT, Plane
from xlsx_attention.pipeline import Options, parse_names, verify_grid
from xlsx_attention.reading import Source
from xlsx_attention.running import run

Place = tuple[int, int]
#: Verdicts of key cells that have no right answer to hold a student against.
_UNGRADED = frozenset({"volatile", "external", "circular", "not-computed"})


class Computed:
    """Cell → step on one sheet: a plane of step numbers, so that a million formulas cost a few megabytes."""

    def __init__(self, rect: Rect, steps: list[Step]) -> None:
        self._rect, self._steps = rect, steps
        self._owner = np.full(rect.shape, -1, np.int32)
        self._far: dict[Place, int] = {}
        for number, step in enumerate(steps):
            cells = step.block.cells
            if rect.covers(cells):
                rows = slice(cells.top - rect.top, cells.bottom - rect.top)
                self._owner[rows, cells.left - rect.left : cells.right - rect.left] = number
            else:
                for place in cells.cells():
                    self._put(place, number)

    def _put(self, place: Place, number: int) -> None:
        if self._rect.contains(*place):
            self._owner[place[0] - self._rect.top, place[1] - self._rect.left] = number
        else:
            self._far[place] = number

    def get(self, place: Place) -> Step | None:
        if self._rect.contains(*place):
            number = int(self._owner[place[0] - self._rect.top, place[1] - self._rect.left])
        else:
            number = self._far.get(place, -1)
        return None if number < 0 else self._steps[number]

    def __contains__(self, place: Place) -> bool:
        return self.get(place) is not None

    def __bool__(self) -> bool:
        return bool(self._steps)


#: Why a step that gives nothing but texts is left out.
TEXTS = "gives texts; name it in a rubric to have it graded"


class Book:
    """A verified workbook, by cell: values, formulas, texts. ``values`` fills what the file does not store."""

    def __init__(self, grid: WorkbookGrid, plan: Plan, values: list[Plane], report: FileReport | None = None) -> None:
        self.grid, self.plan, self.values, self.report = grid, plan, values, report

    @classmethod
    def of(cls, report: FileReport) -> Self:
        """From a report on a file that could be read."""
        assert report.grid is not None
        assert report.plan is not None
        values = [_filled(report.grid, report, index) for index in range(len(report.grid.sheets))]
        return cls(report.grid, report.plan, values, report)

    @classmethod
    def read(cls, path: str | os.PathLike[str], budgets: Budgets) -> Self:
        """From a file, without verdicts; formulas are run only where the file stores no results.

        Raises :class:`~xlsx_attention.errors.UnreadableFile`.
        """
        grid = reading.read_workbook(path, budgets=budgets)
        plan = compile_plan(grid, parsing.find_blocks(grid), parse_names(grid))
        stored = [sheet.cached for sheet in grid.sheets]
        if all((stored[s.block.sheet].read(s.block.cells)[1] != EMPTY).all() for s in plan.steps):
            return cls(grid, plan, stored)
        computed = run.from_inputs(grid, plan, parse=parsing.parse)
        return cls(grid, plan, [plane.filled_from(full) for plane, full in zip(stored, computed, strict=True)])

    @cached_property
    def steps_at(self) -> list[Computed]:
        """For each sheet: which step computes a cell. Members of an array have their anchor's."""
        return [
            Computed(sheet.cached.rect, [step for step in self.plan.steps if step.block.sheet == sheet.index])
            for sheet in self.grid.sheets
        ]

    @cached_property
    def texts(self) -> list[dict[Place, str]]:
        """For each sheet: cell → its label, a typed text, without case and outer spaces."""
        found: list[dict[Place, str]] = []
        for sheet in self.grid.sheets:
            here: dict[Place, str] = {}
            computed = self.steps_at[sheet.index]
            for place, number in _cells_of_kind(sheet.cached, TEXT):
                text = self.grid.texts[number].strip().casefold()
                if text and place not in computed:
                    here[place] = text
            found.append(here)
        return found

    @cached_property
    def roles(self) -> dict[tuple[int, Rect], str]:
        return {} if self.report is None else names(self.report.attention)


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
        assert self.report is not None
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
    key = KeyBook.of(verify_grid(grid, Options()))
    if not key.graded:
        raise UsageError(
            "bad-key", "holds no formula to grade against; name the workbook with the solution", where=name
        )
    return key


def _filled(grid: WorkbookGrid, report: FileReport, index: int) -> Plane:
    """The stored values, and where a formula has none stored the recomputed one."""
    plane = grid.sheets[index].cached
    sheet = next((s for s in report.sheets if s.index == index), None)
    return plane if sheet is None or not report.counts.get("no-cached-value") else plane.filled_from(sheet.from_inputs)


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
        computed = key.steps_at[sheet.index]
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
