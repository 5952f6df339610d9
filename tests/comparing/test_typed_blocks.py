"""A whole projection typed as numbers, from an older version of the lesson: the weights that it should come from are
unread.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.seeding import StoredCell, edit, sheet_parts, write
from xlsx_attention import parsing, reading
from xlsx_attention.compiling.plan import compile_plan
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.pipeline import parse_names, verify_file
from xlsx_attention.running import run

Change = Callable[[StoredCell], StoredCell]


def _value(number: float, formula: bool) -> Change:
    def change(cell: StoredCell) -> StoredCell:
        if formula:
            return replace(cell, value=repr(number))
        attributes = re.sub(r' cm="\d+"', "", cell.attributes)
        return replace(cell, formula=None, value=repr(number), attributes=attributes)

    return change


def typed(data: bytes, sheet: str, rect: Rect, spread: float) -> bytes:
    """``rect``'s formulas replaced by numbers ``spread`` away from theirs, and what follows calculated from them."""
    part = sheet_parts(data)[sheet]
    grid = reading.read_workbook(data)
    index = grid.sheet_index(sheet)
    assert index is not None
    generator = random.Random(1)
    edits: dict[tuple[str, str], Change] = {}
    for row, column in rect.cells():
        number = grid.number(index, row, column)
        assert number is not None
        moved = round(number + generator.gauss(0, spread), 4) if spread else number
        edits[part, cell_name(row, column)] = _value(moved, False)
    data = edit(data, edits)
    grid = reading.read_workbook(data)
    plan = compile_plan(grid, parsing.find_blocks(grid), parse_names(grid))
    planes = run.from_inputs(grid, plan, parse=parsing.parse)
    edits = {}
    for step in plan.steps:
        for cell in step.block.cells.cells():
            old, new = grid.sheets[step.block.sheet].cached.get(*cell), planes[step.block.sheet].get(*cell)
            if old != new:
                edits[part, cell_name(*cell)] = _value(new[0], True)
    return edit(data, edits) if edits else data


@pytest.mark.parametrize(("role", "cells", "weights"), [("Q", "L24:S28", "L10:S17"), ("V", "AF24:AM28", "AF10:AM17")])
def test_a_projection_from_an_older_version_is_found(
    project: Path, tmp_path: Path, role: str, cells: str, weights: str
) -> None:
    data = (project / "workbooks" / "course-self-attention.xlsx").read_bytes()
    report = verify_file(write(tmp_path / "typed.xlsx", typed(data, "self-attention", Rect.parse(cells), 0.2)))
    [finding] = report.findings
    assert (finding.rect.a1, finding.cause, finding.role) == (cells, "pasted-value", role)
    assert weights in finding.message.en
    assert "no formula reads" in finding.message.en
    assert finding.mended is not None
    # The course's own numbers are what X·W gives.
    before = reading.read_workbook(data)
    stored, _ = before.sheets[0].cached.read(finding.rect)
    np.testing.assert_allclose(finding.mended, stored, rtol=1e-12)
    assert not report.ok


def test_a_projection_pasted_with_its_right_values_agrees(project: Path, tmp_path: Path) -> None:
    """On a sheet that is filled in by numbers in part, numbers that follow from the inputs are right."""
    data = (project / "workbooks" / "course-self-attention.xlsx").read_bytes()
    report = verify_file(write(tmp_path / "pasted.xlsx", typed(data, "self-attention", Rect.parse("L24:S28"), 0.0)))
    assert report.counts["agrees"] == report.computed == 335
    assert report.ok


def test_a_lesson_that_gives_q_as_an_input_is_no_finding(project: Path, tmp_path: Path) -> None:
    """Without W_q on the sheet there is nothing that Q should come from."""
    data = (project / "workbooks" / "course-self-attention.xlsx").read_bytes()
    part = sheet_parts(data)["self-attention"]
    data = typed(data, "self-attention", Rect.parse("L24:S28"), 0.2)
    gone = {(part, cell_name(*cell)): (lambda c: replace(c, value=None)) for cell in Rect.parse("L10:S17").cells()}
    report = verify_file(write(tmp_path / "given.xlsx", edit(data, gone)))
    assert report.findings == ()
