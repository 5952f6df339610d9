"""What every renderer asks of a report, cell by cell: formula, step, role, result."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

import numpy as np
import numpy.typing as npt

from xlsx_attention.model.address import MAX_COLUMNS, Rect
from xlsx_attention.model.plan import Step
from xlsx_attention.model.report import CellResult, FileReport, SheetResult
from xlsx_attention.model.values import EMPTY, LOGICAL, NUMBER, Plane, Scalar
from xlsx_attention.reporting.formula_text import FormulaTemplate, FormulaWriter

#: Verdicts that accuse, or pass an accusation on.
BAD = ("origin", "inherited", "overridden")
ACCUSED = ("origin", "overridden")

_PREFIX = re.compile(r"_xlfn\.(?:_xlws\.)?|_xlpm\.|_xleta\.|_xlws\.")
_DISPLAY = FormulaWriter(stored=False)


def shown_formula(text: str) -> str:
    """A stored formula as Excel's formula bar has it: without the prefixes of the file format."""
    return _PREFIX.sub("", text) if "_xl" in text else text


def show(value: Scalar, digits: int = 17) -> str:
    """A value as a person reads it; ``""`` for an empty cell, numbers as short as they read back."""
    python = value.python
    if python is None:
        return ""
    if isinstance(python, bool):
        return "TRUE" if python else "FALSE"
    if isinstance(python, float):
        if digits < 17:
            return f"{python:.{digits}g}"
        return str(int(python)) if python == int(python) and abs(python) < 1e15 else repr(python)
    return python


def difference(a: Scalar, b: Scalar) -> float | None:
    """``a − b`` where both are numbers (TRUE and FALSE are none)."""
    return a.number - b.number if a.kind == b.kind == NUMBER else None


def numbers_of(plane: Plane, rect: Rect) -> npt.NDArray[np.float64]:
    """The numbers of a rectangle, NaN where a cell holds something else."""
    number, kind = plane.read(rect)
    return np.where((kind == NUMBER) | (kind == LOGICAL), number, np.nan)


class SheetFacts:
    """One sheet of a report. Building it costs a pass over its blocks, asking it next to nothing."""

    def __init__(self, report: FileReport, sheet: SheetResult) -> None:
        assert report.grid is not None
        assert report.plan is not None
        self.report = report
        self.grid = report.grid
        self.plan = report.plan
        self.sheet = sheet
        self.source = report.grid.sheets[sheet.index]
        self.special: dict[tuple[int, int], CellResult] = {
            (c.row, c.column): c for c in report.cells if c.sheet == sheet.index
        }
        self.repairs = {(r.row, r.column): r for r in report.plan.repairs if r.sheet == sheet.index}
        self.steps = [s for s in report.plan.steps if s.block.sheet == sheet.index]
        self.roles = sorted(
            ((rect, role) for (at, rect), role in report.attention.labels().items() if at == sheet.index),
            key=lambda item: item[0].size,
        )
        self._templates: dict[int, FormulaTemplate] = {}

    @cached_property
    def _owners(self) -> npt.NDArray[np.int32]:
        """Position in ``steps`` over the sheet's rectangle, −1 where no formula computes the cell."""
        rect = self.sheet.rect
        owners = np.full(rect.shape, -1, np.int32)
        for position, step in enumerate(self.steps):
            inside = rect.intersection(step.block.cells)
            if inside is not None:
                owners[
                    inside.top - rect.top : inside.bottom - rect.top, inside.left - rect.left : inside.right - rect.left
                ] = position
        return owners

    @cached_property
    def _text_keys(self) -> npt.NDArray[np.int64]:
        rows, columns = self.source.formula_rows, self.source.formula_columns
        return rows.astype(np.int64) * MAX_COLUMNS + columns

    def step(self, row: int, column: int) -> Step | None:
        """The step whose formula (or array) the cell holds."""
        rect = self.sheet.rect
        if rect.contains(row, column):
            position = int(self._owners[row - rect.top, column - rect.left])
            return self.steps[position] if position >= 0 else None
        return next((s for s in self.steps if s.block.cells.contains(row, column)), None)

    def formula(self, row: int, column: int) -> str:
        """The formula that gives the cell its value, with ``=``, as the sheet has it; ``""`` for a constant.

        A member of an array shows its anchor's formula, a member of a shared formula its master's, moved to it.
        """
        step = self.step(row, column)
        if step is None:
            return ""
        block = step.block
        if block.spill is not None:
            row, column = block.rect.top, block.rect.left
        place = int(np.searchsorted(self._text_keys, row * MAX_COLUMNS + column))
        if place < len(self._text_keys) and self._text_keys[place] == row * MAX_COLUMNS + column:
            text = self.source.formula_texts[place]
            if text:
                return "=" + shown_formula(text)
        return "=" + self._template(step).at(row, column)

    def _template(self, step: Step) -> FormulaTemplate:
        template = self._templates.get(step.index)
        if template is None:
            tree = step.block.form.tree
            assert tree is not None  # a formula without a tree stands in the file as text
            template = self._templates[step.index] = _DISPLAY.template(tree)
        return template

    def role(self, row: int, column: int) -> str:
        """``scores[0,2]``, or ``""``."""
        for rect, role in self._roles_by_row.get(row, ()):
            if rect.left <= column < rect.right:
                return f"{role}[{row - rect.top},{column - rect.left}]"
        return ""

    @cached_property
    def _roles_by_row(self) -> dict[int, list[tuple[Rect, str]]]:
        """A sheet may hold a thousand roles: each row knows its own, the smallest rectangle first."""
        found: dict[int, list[tuple[Rect, str]]] = {}
        for rect, role in self.roles:
            for row in range(rect.top, rect.bottom):
                found.setdefault(row, []).append((rect, role))
        return found

    def steps_in(self, rect: Rect) -> dict[int, int]:
        """The steps that compute cells of a rectangle of the sheet's core → how many of them."""
        inside = self.sheet.rect.intersection(rect)
        if inside is None:
            return {}
        top, left = inside.top - self.sheet.rect.top, inside.left - self.sheet.rect.left
        part = self._owners[top : top + inside.height, left : left + inside.width]
        positions, counts = np.unique(part[part >= 0], return_counts=True)
        return {self.steps[at].index: count for at, count in zip(positions.tolist(), counts.tolist(), strict=True)}

    def numpy_of(self, step: int) -> str:
        """The step as one NumPy expression, or ``""``."""
        return self._numpy.get(step, "")

    @cached_property
    def _numpy(self) -> dict[int, str]:
        return {block.step: block.numpy for block in self.sheet.blocks if block.numpy}

    def from_precedents(self, row: int, column: int) -> Scalar:
        return self.grid.scalar(*self.sheet.from_precedents.get(row, column))

    def from_inputs(self, row: int, column: int) -> Scalar:
        return self.grid.scalar(*self.sheet.from_inputs.get(row, column))

    def cached(self, row: int, column: int) -> Scalar:
        return self.grid.value(self.sheet.index, row, column)

    def number_format(self, row: int, column: int) -> str:
        """The cell's number format code."""
        rect = self.source.cached.rect
        if self.source.styles is None or not rect.contains(row, column):
            return "General"
        return self.grid.number_formats[int(self.source.styles[row - rect.top, column - rect.left])]

    def filled(self) -> list[tuple[int, int]]:
        """Every cell that holds anything or is computed, far ones included, row by row."""
        rect = self.sheet.rect
        kinds = self.source.cached.kind
        places = np.argwhere((kinds != EMPTY) | (self.sheet.verdicts != 255))
        cells = [(rect.top + i, rect.left + j) for i, j in places.tolist()]
        far = {at for at, (_, kind) in self.source.cached.outliers.items() if kind != EMPTY} | set(self.sheet.far)
        return cells if not far else sorted({*cells, *far})


def bad_count(counts: Counter[str] | dict[str, int]) -> int:
    """How many of the cells diverge."""
    return sum(counts.get(verdict, 0) for verdict in BAD)


def status_key(report: FileReport) -> str:
    """The word for what came of a file: nothing that can be held against stored results is no agreement."""
    unjudged = report.ok and (not report.computed or report.counts.get("no-cached-value", 0) > 0)
    return "status-not-judged" if unjudged else f"status-{report.status}"
