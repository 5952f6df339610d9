"""Sheets of bare numbers: each number on a recognised step is judged within the interval that its digits leave."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from xlsx_attention import reading
from xlsx_attention.comparing import intervals
from xlsx_attention.comparing.intervals import Interval
from xlsx_attention.comparing.reach import reached
from xlsx_attention.generating import generate
from xlsx_attention.model.address import cell_name
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.report import FileReport
from xlsx_attention.model.values import NUMBER
from xlsx_attention.pipeline import verify_file, verify_grid


def bare(path: Path, decimals: int | None) -> WorkbookGrid:
    """The workbook with its formulas replaced by their values, rounded."""
    grid = reading.read_workbook(path)
    for sheet in grid.sheets:
        if decimals is not None:
            number = sheet.cached.kind == NUMBER
            sheet.cached.number[number] = np.round(sheet.cached.number[number], decimals)
        sheet.formula_rows, sheet.formula_columns = sheet.formula_rows[:0], sheet.formula_columns[:0]
        sheet.formula_texts, sheet.shared, sheet.arrays = [], {}, {}
    return grid


LESSONS = ["course-self-attention.xlsx", "tokens-in-columns.xlsx", "multi-head.xlsx", "causal.xlsx"]


@pytest.mark.parametrize("decimals", [None, 4, 2])
@pytest.mark.parametrize("name", LESSONS)
def test_every_number_that_a_formula_gave_is_a_computed_cell_and_agrees(
    project: Path, name: str, decimals: int | None
) -> None:
    path = project / "workbooks" / name
    report = verify_grid(bare(path, decimals))
    # As many cells as the same workbook has formulas.
    assert report.counts["agrees"] == report.computed == verify_file(path).computed
    assert report.ok


@pytest.mark.parametrize("decimals", [None, 3, 2])
def test_a_public_lesson_without_its_formulas(corpus: Path, decimals: int | None) -> None:
    report = verify_grid(bare(corpus / "ai-by-hand" / "Self-Attention.xlsx", decimals))
    assert report.counts["agrees"] == report.computed == 1552
    assert report.ok


def slipped(path: Path, decimals: int | None, role: str, at: tuple[int, int], by: float) -> tuple[FileReport, str]:
    """One number of a role typed wrong, everything else as it was."""
    grid = bare(path, decimals)
    attention = verify_grid(bare(path, decimals)).attention.attentions[0]
    place = attention.heads[0].roles[role]
    row, column = place.lines[at[0]][at[1]]
    number, kind = grid.sheets[place.sheet].cached.get(row, column)
    grid.sheets[place.sheet].cached.set(row, column, round(number + by, decimals or 9), kind)
    return verify_grid(grid), cell_name(row, column)


@pytest.mark.parametrize("decimals", [4, 2])
@pytest.mark.parametrize("role", ["V", "exp", "masked", "output"])
def test_a_number_typed_wrong_is_where_the_difference_begins(project: Path, role: str, decimals: int) -> None:
    path = project / "workbooks" / "course-self-attention.xlsx"
    report, cell = slipped(path, decimals, role, (1, 1), 0.3)
    assert [(c.cell, c.verdict) for c in report.cells] == [(cell, "origin")]
    [found] = report.cells
    assert found.role.startswith(role)
    # What belongs there is the step on the sheet's own numbers; the right number was 0.3 less.
    assert found.from_precedents.number == pytest.approx(found.cached.number - 0.3, abs=0.02)


def test_what_is_computed_from_a_wrong_number_inherits_it(project: Path) -> None:
    """A learner who slips in one value and goes on from it: rows of the output are right for what they are made of."""
    path = project / "workbooks" / "course-self-attention.xlsx"
    grid = bare(path, 4)
    head = verify_grid(bare(path, 4)).attention.attentions[0].heads[0]
    plane = grid.sheets[0].cached
    row, column = head.roles["V"].lines[1][2]
    plane.set(row, column, plane.get(row, column)[0] + 0.5, NUMBER)

    def matrix(role: str) -> np.ndarray:
        return np.array([[plane.get(*at)[0] for at in line] for line in head.roles[role].lines])

    made = np.round(matrix("weights") @ matrix("V"), 4)
    for line, numbers in zip(head.roles["output"].lines, made, strict=True):
        for at, number in zip(line, numbers, strict=True):
            plane.set(*at, float(number), NUMBER)
    report = verify_grid(grid)
    verdicts = {c.cell: c.verdict for c in report.cells}
    spoilt = {cell_name(*line[2]) for line in head.roles["output"].lines}
    assert verdicts == {cell_name(row, column): "origin"} | dict.fromkeys(spoilt, "inherited")
    assert {c.origins for c in report.cells if c.verdict == "inherited"} == {(cell_name(row, column),)}


# Arithmetic by hand.
def test_an_interval_is_what_rounds_to_the_number() -> None:
    printed = intervals.printed(np.array([[0.25, 0.5], [1.75, 3.0]]))  # 0.50 and 3.00
    assert np.allclose(printed.low, [[0.245, 0.495], [1.745, 2.995]])
    assert np.allclose(printed.high, [[0.255, 0.505], [1.755, 3.005]])


def test_a_product_of_intervals_takes_the_smallest_and_largest_corners() -> None:
    a = Interval(np.array([[-1.0, 2.0]]), np.array([[1.0, 3.0]]))
    b = Interval(np.array([[4.0], [-1.0]]), np.array([[5.0], [2.0]]))
    made = intervals.product(a, b)
    # [−1, 1]·[4, 5] = [−5, 5]; [2, 3]·[−1, 2] = [−3, 6].
    assert made.low == pytest.approx(-8.0)
    assert made.high == pytest.approx(11.0)


def test_a_weight_is_largest_where_its_own_score_is_high_and_the_others_low() -> None:
    scores = Interval(np.array([[0.0, 0.0]]), np.array([[1.0, 0.0]]))
    made = intervals.softmax(scores, np.exp)
    assert made.low[0, 0] == pytest.approx(0.5)
    assert made.high[0, 0] == pytest.approx(np.e / (np.e + 1))


@pytest.mark.parametrize(
    ("origin", "role", "at", "expected"),
    [
        (("Q", 1, 0), "scores", (1, 3), True),
        (("Q", 1, 0), "scores", (2, 3), False),
        (("K", 1, 0), "scores", (3, 1), True),
        (("K", 1, 0), "scores", (3, 2), False),
        (("K", 1, 0), "weights", (3, 2), True),
        (("V", 1, 0), "output", (3, 0), True),
        (("V", 1, 0), "output", (3, 1), False),
        (("V", 1, 0), "weights", (3, 0), False),
        (("normaliser", 2, 0), "weights", (2, 1), True),
        (("weights", 2, 0), "exp", (2, 0), False),
    ],
)
def test_what_a_wrong_cell_reaches(
    origin: tuple[str, int, int], role: str, at: tuple[int, int], expected: bool
) -> None:
    assert reached(origin, role, *at) is expected


@pytest.mark.parametrize("decimals", [None, 2])
@pytest.mark.parametrize("kind", ["wrong-scale", "mask-on-rows"])
def test_a_mistake_of_method_is_one_finding_without_formulas_as_well(
    tmp_path: Path, kind: str, decimals: int | None
) -> None:
    spec = ExampleSpec(tokens=("a", "b", "c"), length=5, d_model=5, d_k=5, seed=3, mistakes=1, kinds=(kind,), lang="en")
    lesson, _ = generate(spec, tmp_path / "lesson.xlsx")
    [finding] = verify_file(lesson).findings
    report = verify_grid(bare(lesson, decimals))
    assert [(f.rect, f.cause) for f in report.findings] == [(finding.rect, kind)]
    assert report.counts["agrees"] == report.computed > 0
