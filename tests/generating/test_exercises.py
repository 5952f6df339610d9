"""The student's copy: what is open, what is not, and what the check cells say, as LibreOffice recalculates them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from tests.generating.reading_back import by_libreoffice
from xlsx_attention.generating import generate
from xlsx_attention.generating.drawing import Drawn
from xlsx_attention.generating.workbooks import as_exercise, lessons
from xlsx_attention.model.example import LAYOUTS, ExampleSpec

SPEC = ExampleSpec(exercise=True, length=4, d_model=4, mask="pad", lang="en", tokens="I love AI", seed=2)
VARIANTS = {
    "rows": SPEC,
    "columns": ExampleSpec(
        exercise=True, length=4, d_model=4, layout="columns", mask="both", heads=2, w_o=True, bias=True
    ),
    "mmult": ExampleSpec(
        exercise=True, length=4, d_model=4, style="mmult", blanks=("Q", "scores", "weights", "output")
    ),
}


def laid_out(spec: ExampleSpec) -> Drawn:
    [drawn] = as_exercise(lessons(spec), spec, student=True)
    return drawn


def filled(student: Path, drawn: Drawn, number: Callable[[str, int, int, float], float]) -> bytes:
    """The copy with ``number(block, token, other axis, right number)`` in every blank, as a script would fill it in."""
    book = openpyxl.load_workbook(student)
    sheet = book[drawn.lesson.sheet]
    assert drawn.exercise is not None
    for key in drawn.exercise.blanks:
        rect = drawn.page.rects[key]
        for row, column in rect.cells():
            i, j = row - rect.top, column - rect.left
            token, other = (j, i) if drawn.refs.columns else (i, j)
            right = float(drawn.values[key][token, other])
            sheet.cell(row + 1, column + 1).value = number(key, token, other, right)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def checks(sheet: Worksheet, drawn: Drawn) -> dict[str, list[str]]:
    """Block → what its check cells say, one a token."""
    return {
        panel.step.key: [sheet.cell(row + 1, column + 1).value for row, column in panel.check.cells()]
        for panel in drawn.page.panels
        if panel.check is not None
    }


@pytest.mark.parametrize("variant", VARIANTS)
def test_filled_in_right_every_row_is_right(soffice: str, tmp_path: Path, variant: str) -> None:
    """A student who writes two decimals down and computes on with them."""
    spec = VARIANTS[variant]
    student, _ = generate(spec, tmp_path / "lesson.xlsx")
    drawn = laid_out(spec)
    assert drawn.exercise is not None
    own = drawn.lesson.computed(dict.fromkeys(drawn.exercise.blanks, lambda env, numbers: np.round(numbers, 2)))
    data = filled(student, drawn, lambda key, i, j, right: float(own[key][i, j]))
    sheet = by_libreoffice(soffice, data, tmp_path)[drawn.lesson.sheet]
    found = checks(sheet, drawn)
    assert {sign for signs in found.values() for sign in signs} == {"✓"}
    total = sum(map(len, found.values()))
    assert f"{total} / {total}" in {cell.value for cell in sheet[4]}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_wrong_number_shows_in_its_row_and_in_what_was_computed_from_other_numbers(
    soffice: str, tmp_path: Path, layout: str
) -> None:
    spec = ExampleSpec(exercise=True, length=4, d_model=4, layout=layout)
    student, _ = generate(spec, tmp_path / "lesson.xlsx")
    drawn = laid_out(spec)

    def number(key: str, token: int, other: int, right: float) -> float:
        return right + 0.05 * (1 + abs(right)) if (key, token, other) == ("scaled", 1, 2) else right

    sheet = by_libreoffice(soffice, filled(student, drawn, number), tmp_path)[drawn.lesson.sheet]
    found = checks(sheet, drawn)
    assert found["scaled"] == ["✓", "✗", "✓", "✓"]
    # what follows was filled in from the right number, so it does not fit the wrong one
    assert found["masked"] == ["✓", "✗", "✓", "✓"]
    assert all(set(signs) == {"✓"} for key, signs in found.items() if key not in ("scaled", "masked"))


def test_an_empty_copy_says_that_something_is_missing(soffice: str, tmp_path: Path) -> None:
    student, _ = generate(SPEC, tmp_path / "lesson.xlsx")
    drawn = laid_out(SPEC)
    sheet = by_libreoffice(soffice, student.read_bytes(), tmp_path)[drawn.lesson.sheet]
    found = checks(sheet, drawn)
    assert set(found) == drawn.exercise.blanks if drawn.exercise else False
    assert {sign for signs in found.values() for sign in signs} == {"…"}


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_the_blanks_are_open_and_the_answers_are_not_in_the_file(tmp_path: Path, variant: str) -> None:
    spec = VARIANTS[variant]
    student, key = generate(spec, tmp_path / "lesson.xlsx")
    drawn = laid_out(spec)
    assert drawn.exercise is not None
    sheet = openpyxl.load_workbook(student)[drawn.lesson.sheet]
    assert sheet.protection.sheet
    blanks = {cell for name in drawn.exercise.blanks for cell in drawn.page.rects[name].cells()}
    for row in sheet.iter_rows():
        for cell in row:
            is_blank = (cell.row - 1, cell.column - 1) in blanks
            assert cell.protection.locked != is_blank, cell.coordinate
            assert not (is_blank and cell.value is not None), cell.coordinate
    validated = {
        (row - 1, column - 1)
        for rule in sheet.data_validations.dataValidation
        if rule.type == "decimal"  # a mask takes whole numbers
        for area in rule.sqref.ranges
        for row, column in area.cells
    }
    assert validated == blanks
    checked = [sheet.cell(r + 1, c + 1) for p in drawn.page.panels if p.check is not None for r, c in p.check.cells()]
    assert checked
    assert all(cell.protection.hidden for cell in checked)
    # what is computed from blanks stores no number: it would give them away
    stored = openpyxl.load_workbook(student, data_only=True)[drawn.lesson.sheet]
    for name in drawn.exercise.unknown:
        assert all(stored.cell(r + 1, c + 1).value is None for r, c in drawn.page.rects[name].cells()), name
    answers = openpyxl.load_workbook(key, data_only=True)[drawn.lesson.sheet]
    for name in drawn.exercise.blanks:
        rect = drawn.page.rects[name]
        values = drawn.values[name].T if drawn.refs.columns else drawn.values[name]
        for row, column in rect.cells():
            assert answers.cell(row + 1, column + 1).value == values[row - rect.top, column - rect.left]


def test_versions_have_other_numbers_and_one_layout(tmp_path: Path) -> None:
    spec = ExampleSpec(exercise=True, versions=3, length=3, d_model=2)
    paths = generate(spec, tmp_path / "lesson.xlsx")
    assert [path.name for path in paths] == [
        "lesson-01.xlsx", "lesson-01-key.xlsx", "lesson-02.xlsx", "lesson-02-key.xlsx", "lesson-03.xlsx",
        "lesson-03-key.xlsx",
    ]  # fmt: skip
    books = [openpyxl.load_workbook(path)["self-attention"] for path in paths]
    assert len({sheet["B10"].value for sheet in books[::2]}) == 3
    for student, key in zip(books[::2], books[1::2], strict=True):
        assert [[c.value for c in row] for row in student["B10:C12"]] == [
            [c.value for c in row] for row in key["B10:C12"]
        ]
        assert student.dimensions == key.dimensions
