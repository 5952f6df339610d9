"""Grading: an early slip costs once, moved blocks are found, values count and not how they came about."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from xlsx_attention.batch import run_batch
from xlsx_attention.batch.grade_table import students
from xlsx_attention.batch.grading.books import load_key
from xlsx_attention.batch.grading.marks import Grader
from xlsx_attention.batch.grading.rubric import parse_rubric
from xlsx_attention.batch.settings import make_settings
from xlsx_attention.batch.supervisor import LocalWorkers
from xlsx_attention.errors import UsageError
from xlsx_attention.generating import generate
from xlsx_attention.model.address import cell_name, parse_cell
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.pipeline import verify_file
from xlsx_attention.writing import open_workbook

# The exercise, worked by hand: inputs 3, 5, 7; doubled 6, 10, 14; plus one 7, 11, 15; total 33.
Cell = tuple[str | None, float | str | None]
KEY: dict[str, Cell] = {
    "B1": (None, "inputs"),
    "B2": (None, 3),
    "B3": (None, 5),
    "B4": (None, 7),
    "D1": (None, "doubled"),
    "D2": ("B2*2", 6),
    "D3": ("B3*2", 10),
    "D4": ("B4*2", 14),
    "F1": (None, "plus one"),
    "F2": ("D2+1", 7),
    "F3": ("D3+1", 11),
    "F4": ("D4+1", 15),
    "E6": (None, "total"),
    "F6": ("SUM(F2:F4)", 33),
}
#: The second number doubled wrongly, and all that follows worked out rightly from it: 5·3 = 15, 16, 7 + 16 + 15 = 38.
EARLY: dict[str, Cell] = {"D3": ("B3*3", 15), "F3": ("D3+1", 16), "F6": ("SUM(F2:F4)", 38)}


def book(
    path: Path, changes: dict[str, Cell] | None = None, move: Callable[[int, int], tuple[int, int]] | None = None
) -> Path:
    """The exercise with changes, its cells moved; a formula is written as given, so a mover gives formulas that fit."""
    with open_workbook(path) as workbook:
        sheet = workbook.add_worksheet("work")
        for name, (formula, value) in {**KEY, **(changes or {})}.items():
            row, column = parse_cell(name)
            if move is not None:
                row, column = move(row, column)
            if formula is not None:
                sheet.write_formula_cached(row, column, formula, None, value)
            elif isinstance(value, str):
                sheet.write_text(row, column, value)
            elif value is not None:
                sheet.write_number17(row, column, value)
    return path


@pytest.fixture
def grade(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    key = load_key(book(tmp_path / "key.xlsx").read_bytes())

    def graded(changes: dict[str, Cell] | None = None, rubric: str = "", **options: Any) -> dict[str, Any]:
        path = book(tmp_path / "student.xlsx", changes, **options)
        return Grader(key, parse_rubric(rubric)).grade(verify_file(path))

    return graded


def steps(grade: dict[str, Any]) -> dict[str, float]:
    return {step["name"]: step["points"] for step in grade["steps"]}


def test_the_key_itself_has_full_marks(grade: Callable[..., dict[str, Any]]) -> None:
    found = grade()
    assert (found["points"], found["out_of"], found["right"]) == (3, 3, True)
    assert steps(found) == {"doubled D2:D4": 1, "plus one F2:F4": 1, "total F6": 1}


def test_an_early_slip_costs_once(grade: Callable[..., dict[str, Any]]) -> None:
    found = grade(EARLY)
    assert steps(found) == {"doubled D2:D4": pytest.approx(2 / 3), "plus one F2:F4": 1, "total F6": 1}
    [step] = [step for step in found["steps"] if step["reasons"]]
    [reason] = step["reasons"]
    assert (reason["cell"], reason["value"], reason["expected"], reason["key"]) == ("D3", 15, 10, 10)
    assert (reason["formula"], reason["key_formula"], reason["why"]) == ("=B3*3", "=B3*2", "wrong formula")
    assert [step["carried"] for step in found["steps"]] == [0, 1, 1]


def test_without_carrying_forward_every_cell_that_differs_costs(grade: Callable[..., dict[str, Any]]) -> None:
    found = grade(EARLY, "carried_forward = false")
    assert steps(found) == {
        "doubled D2:D4": pytest.approx(2 / 3),
        "plus one F2:F4": pytest.approx(2 / 3),
        "total F6": 0,
    }


def test_typed_values_and_other_formulas_are_told_and_judged_by_value(grade: Callable[..., dict[str, Any]]) -> None:
    found = grade({"D2": (None, 6), "D3": ("B3+B3", 10), "D4": (None, 13)})
    step = found["steps"][0]
    assert (step["right"], step["wrong"], step["typed"], step["other_formula"]) == (2, 1, 2, 1)
    assert step["reasons"][0]["why"] == "wrong number typed"
    # 13 was typed, but 15 stands where 14 would follow from it: the key's own value is right all the same.
    assert found["steps"][1]["right"] == 3


def test_a_stored_value_that_its_formula_does_not_give(grade: Callable[..., dict[str, Any]]) -> None:
    [reason] = grade({"D3": ("B3*2", 11)})["steps"][0]["reasons"]
    assert reason["why"] == "value is not what its formula gives"


def test_empty_cells_are_missing(grade: Callable[..., dict[str, Any]]) -> None:
    found = grade({"F2": (None, None), "F3": (None, None), "F4": (None, None), "F6": (None, None)})
    assert [(step["missing"], step["points"]) for step in found["steps"]] == [(0, 1), (3, 0), (1, 0)]


def test_changed_inputs_are_named_and_count_as_the_rubric_says(grade: Callable[..., dict[str, Any]]) -> None:
    # 6 for 5: doubled 12, plus one 13, total 7 + 13 + 15 = 35.
    changed: dict[str, Cell] = {"B3": (None, 6), "D3": ("B3*2", 12), "F3": ("D3+1", 13), "F6": ("SUM(F2:F4)", 35)}
    own = grade(changed)
    assert own["points"] == 3
    assert own["inputs"] == [{"sheet": "work", "cell": "B3", "value": 6, "key": 5}]
    strict = grade(changed, 'inputs = "key"')
    assert steps(strict) == {"doubled D2:D4": pytest.approx(2 / 3), "plus one F2:F4": 1, "total F6": 1}
    priced = grade(changed, 'others = 1\n[[step]]\nname = "inputs"\ncells = "work!B2:B4"\npoints = 3')
    assert steps(priced)["inputs"] == 2


def test_points_tolerance_and_all_or_nothing(grade: Callable[..., dict[str, Any]]) -> None:
    rubric = '[[step]]\nname = "doubling"\ncells = "work!D2:D4"\npoints = 4\npartial = false\n'
    assert steps(grade(EARLY, rubric)) == {"doubling": 0}
    assert steps(grade({"D3": ("B3*2", 10.01)}, rubric + "tolerance = 0.01")) == {"doubling": 4}
    assert steps(grade({"D3": ("B3*2", 10.01)}, rubric)) == {"doubling": 0}


def shifted(formula: str, rows: int, columns: int) -> str:
    """A formula of the exercise with every reference moved."""
    import re

    def move(match: re.Match[str]) -> str:
        row, column = parse_cell(match[0])
        return cell_name(row + rows, column + columns)

    return re.sub(r"[A-Z]+\d+", move, formula)


def moved_all(rows: int, columns: int, changes: dict[str, Cell] | None = None) -> dict[str, Cell]:
    cells = {**KEY, **(changes or {})}
    return {name: (shifted(f, rows, columns) if f else None, value) for name, (f, value) in cells.items()}


def test_inserted_rows_and_columns(grade: Callable[..., dict[str, Any]]) -> None:
    found = grade(moved_all(2, 1, EARLY), move=lambda row, column: (row + 2, column + 1))
    assert steps(found) == {"doubled D2:D4": pytest.approx(2 / 3), "plus one F2:F4": 1, "total F6": 1}
    assert found["matched"] == {"inserted": 3}
    assert found["moved"][0]["found"] == "work!E4:E6"
    assert found["moved"][0]["detail"] == "2 rows inserted before it and 1 column inserted before it"
    assert [reason["cell"] for step in found["steps"] for reason in step["reasons"]] == ["E5"]


def test_a_moved_block_is_found_by_its_header(grade: Callable[..., dict[str, Any]]) -> None:
    # "plus one" and its three cells stand far below; the total reads them there.
    def move(row: int, column: int) -> tuple[int, int]:
        return (row + 20, column - 3) if column == 5 and row < 4 else (row, column)

    moved: dict[str, Cell] = {"F6": ("SUM(C22:C24)", 33)}
    found = grade(moved, move=move)
    assert found["points"] == 3
    assert found["matched"] == {"header": 1, "place": 2}
    assert found["moved"] == [
        {"key": "work!F2:F4", "found": "work!C22:C24", "how": "header", "detail": "header 'plus one'"}
    ]


def test_a_renamed_sheet_is_found(tmp_path: Path, grade: Callable[..., dict[str, Any]]) -> None:
    key = load_key(book(tmp_path / "k.xlsx").read_bytes())
    path = tmp_path / "renamed.xlsx"
    workbook = openpyxl.load_workbook(book(tmp_path / "s.xlsx"))
    workbook["work"].title = "my answers"
    workbook.save(path)
    found = Grader(key, parse_rubric("")).grade(verify_file(path))
    # openpyxl stores no results, so the values are what the formulas give.
    assert (found["points"], found["missing_sheets"]) == (3, [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("points = [", "no TOML"),
        ("tolerence = 1", "'tolerence' is not known"),
        ("tolerance = -1", "not below 0"),
        ('inputs = "mine"', "inputs must be"),
        ("carried_forward = 1", "true or false"),
        ("[[step]]\npoints = 1", "needs either cells"),
        ('[[step]]\ncells = "A1:B2"', "must name the sheet"),
        ('[[step]]\ncells = "work!A1:2"', "is not a cell"),
    ],
)
def test_a_rubric_that_is_wrong_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_rubric(text)


@pytest.mark.parametrize("step", ['cells = "other!A1"', 'cells = "work!Z9"', 'role = "scores"'])
def test_a_rubric_for_another_key_is_refused(tmp_path: Path, step: str) -> None:
    key = load_key(book(tmp_path / "key.xlsx").read_bytes())
    with pytest.raises(UsageError, match="key"):
        Grader(key, parse_rubric(f"[[step]]\n{step}"))


# What the grader that this key was made for expects stands in its sheets "…_CheckOrder". Its rubrics ask for more in
# some cells, in comments: prerequisites, another cell as alternative, an absolute delta, negative points, no typed
# numbers.
GRADER_ONLY = {
    "RRelative": {"C15", "C17", "B23"},
    "XLFormula": {"C15", "C17", "B23", "B38", "B40"},
    "RConstant": {"C19", "B21", "B22"},
}


@pytest.mark.parametrize("sheet", sorted(GRADER_ONLY))
def test_a_public_graders_key_and_submission(corpus: Path, sheet: str) -> None:
    folder = corpus / "pysheetgrader"
    expected = {
        row[1]: row[3]
        for row in openpyxl.load_workbook(folder / "TestModeKey.xlsx")[f"{sheet}_CheckOrder"].iter_rows(
            min_row=2, values_only=True
        )
        if row[3] in ("correct", "incorrect")
    }
    key = load_key((folder / "TestModeKey.xlsx").read_bytes())
    found = Grader(key, parse_rubric("")).grade(verify_file(folder / "TestModeSubmission.xlsx"))
    ours = {
        step["cells"].split("!")[1]: "correct" if step["points"] == step["out_of"] else "incorrect"
        for step in found["steps"]
        if step["sheet"] == sheet
    }
    compared = {cell for cell in ours if cell in expected} - GRADER_ONLY[sheet]
    assert len(compared) >= 10
    assert {cell: ours[cell] for cell in compared} == {cell: expected[cell] for cell in compared}


#: Planted mistake → the step that it spoils, and no other.
PLANTED = {"wrong-scale": "scaled", "wrong-range": None, "wrong-projection": None, "stale-cache": None}


def test_a_generated_class_loses_only_the_planted_steps(tmp_path: Path) -> None:
    lesson = {"tokens": ("我", "爱", "AI"), "length": 4, "d_model": 4, "seed": 7, "lang": "en"}
    generate(ExampleSpec(**lesson), tmp_path / "key.xlsx")
    folder = tmp_path / "class"
    folder.mkdir()
    planted: dict[str, tuple[str, str]] = {}
    for kind in PLANTED:
        generate(ExampleSpec(**lesson, mistakes=1, kinds=(kind,)), tmp_path / f"{kind}.xlsx")
        (tmp_path / f"{kind}.xlsx").rename(folder / f"{kind}.xlsx")
        answers = openpyxl.load_workbook(tmp_path / f"{kind}-answers.xlsx").worksheets[0]
        *_, last = answers.iter_rows(values_only=True)
        planted[kind] = (str(last[2]), str(last[3]))
    generate(ExampleSpec(**lesson), folder / "honest.xlsx")
    (folder / "key.xlsx").write_bytes((tmp_path / "key.xlsx").read_bytes())
    settings = make_settings(key=str(folder / "key.xlsx"))
    result = run_batch([folder], tmp_path / "out", settings, runner=LocalWorkers(2))
    assert [Path(row.name).stem for row in result.rows] == sorted([*PLANTED, "honest"])
    grades = list(csv.DictReader(io.StringIO((tmp_path / "out" / "grades.csv").read_bytes().decode("utf-8-sig"))))
    fixed = {"student", "file", "points", "out of", "percent", "status", "slips", "changed inputs", "reasons"}
    for grade in grades:
        lost = [step for step, points in grade.items() if step not in fixed and float(points) < 1]
        if grade["student"] == "honest":
            assert (lost, grade["points"], grade["percent"]) == ([], grade["out of"], "100")
            continue
        cells, role = planted[grade["student"]]
        assert len(lost) == 1, grade
        assert lost[0].startswith(role.replace(" ", "_")), (lost, role)
        assert grade["slips"] == "1"
        row, column = parse_cell(cells.split(":")[0])
        sheet_rect = lost[0].split()[-2]
        first, last_cell = sheet_rect.split(":")
        (top, left), (bottom, right) = parse_cell(first), parse_cell(last_cell)
        assert top <= row <= bottom
        assert left <= column <= right
    page = (tmp_path / "out" / result.rows[0].page).read_text(encoding="utf-8")
    assert "points" in page


def test_versions_with_other_numbers_are_judged_on_their_own(tmp_path: Path) -> None:
    """``generate --versions``: every student has other numbers and one planted slip; the key is that of version 1."""
    lesson = {"tokens": ("我", "爱", "AI"), "length": 4, "d_model": 4, "seed": 3, "lang": "en", "versions": 4}
    generate(ExampleSpec(**lesson), tmp_path / "right.xlsx")
    generate(ExampleSpec(**lesson, mistakes=1, kinds=("wrong-range", "wrong-scale")), tmp_path / "class.xlsx")
    grader = Grader(load_key((tmp_path / "right-01.xlsx").read_bytes()), parse_rubric(""))
    for version in range(1, 5):
        honest = grader.grade(verify_file(tmp_path / f"right-{version:02}.xlsx"))
        assert honest["points"] == honest["out_of"], version
        *_, last = openpyxl.load_workbook(tmp_path / f"class-{version:02}-answers.xlsx").worksheets[0].values
        slipped = grader.grade(verify_file(tmp_path / f"class-{version:02}.xlsx"))
        lost = [step for step in slipped["steps"] if step["points"] < step["out_of"]]
        assert [step["name"].split()[0] for step in lost] == [str(last[3]).replace(" ", "_")], version
        assert (slipped["changed_inputs"] > 0) == (version > 1)


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["class/ann.xlsx", "class/ben.xlsx"], ["ann", "ben"]),
        (["ann/work.xlsx", "ben/work.xlsx", "cat.xlsx"], ["ann", "ben", "cat"]),
        (["a/ann/work.xlsx", "b/ann/work.xlsx"], ["a/ann/work.xlsx", "b/ann/work.xlsx"]),
    ],
)
def test_who_handed_in_what(files: list[str], names: list[str]) -> None:
    assert students(files) == names


def test_a_feedback_page_in_chinese(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    book(folder / "ben.xlsx", EARLY)
    settings = make_settings(key=str(book(tmp_path / "key.xlsx")), language="zh")
    [row] = run_batch([folder], tmp_path / "out", settings, runner=LocalWorkers(1)).rows
    page = (tmp_path / "out" / row.page).read_text(encoding="utf-8")
    assert "公式不对：现为 15，按你自己的数值应为 10；你的公式 =B3*3，答案的公式 =B3*2" in page
    assert 'lang="zh"' in page


def test_a_key_that_computes_nothing_is_refused(tmp_path: Path, corpus: Path) -> None:
    path = book(tmp_path / "numbers.xlsx", {name: (None, value) for name, (_, value) in KEY.items()})
    settings = make_settings(key=str(path))
    with pytest.raises(UsageError, match="no formula to grade against"):
        run_batch([path.parent], tmp_path / "out", settings)
