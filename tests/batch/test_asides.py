"""What an exercise gives earns nothing: a copy that is filled in, and a slip in one is a slip in what reads it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from xlsx_attention.batch import run_batch
from xlsx_attention.batch.grading.books import load_key
from xlsx_attention.batch.grading.marks import Grader
from xlsx_attention.batch.grading.rubric import parse_rubric
from xlsx_attention.batch.settings import make_settings
from xlsx_attention.batch.supervisor import LocalWorkers
from xlsx_attention.generating import generate
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.pipeline import verify_file
from xlsx_attention.writing import open_workbook

PLAIN = ExampleSpec(tokens=("the", "cat"), length=3, seed=4, lang="en", d_model=4, exercise=True)
#: The steps of the lesson of one head, as `generate --blank` lists them.
STEPS = ["Q", "K", "V", "scores", "scaled", "masked", "row_max", "exp", "normaliser", "weights", "output"]


@pytest.mark.parametrize(
    ("options", "steps", "asides"),
    [
        ({}, 11, ["Kᵀ"]),
        ({"style": "mmult"}, 11, []),
        ({"layout": "columns"}, 11, ["Kᵀ"]),
        ({"embedding": True}, 11, ["look-up", "positional encoding", "X", "Kᵀ"]),
        # Two heads of eleven steps and their projection; the heads' outputs side by side are copies.
        ({"heads": 2, "w_o": True}, 23, ["Kᵀ 1", "Kᵀ 2", "output (copied) 1", "output (copied) 2"]),
    ],
)
def test_a_blank_exercise_has_no_points_and_a_full_one_has_all(
    tmp_path: Path, options: dict[str, Any], steps: int, asides: list[str]
) -> None:
    blank, key = generate(replace(PLAIN, **options), tmp_path / "ex.xlsx")
    grader = Grader(load_key(key.read_bytes()), parse_rubric(""))
    nothing, all_right = grader.grade(verify_file(blank)), grader.grade(verify_file(key))
    assert (nothing["points"], nothing["out_of"], nothing["right"]) == (0, steps, False)
    assert (all_right["points"], all_right["out_of"], all_right["right"]) == (steps, steps, True)
    names = [step["name"].rpartition(" ")[0] for step in all_right["steps"]]
    assert [name for name, step in zip(names, all_right["steps"], strict=True) if step["aside"]] == asides
    assert len(set(names)) == len(names)


def test_the_role_k_is_k_alone(tmp_path: Path) -> None:
    blank, key = generate(PLAIN, tmp_path / "ex.xlsx")
    rubric = parse_rubric('[[step]]\nrole = "K"\npoints = 4\n[[step]]\nrole = "Kᵀ"\npoints = 1')
    grader = Grader(load_key(key.read_bytes()), rubric)
    assert [(step["name"], step["points"]) for step in grader.grade(verify_file(key))["steps"]] == [("K", 4), ("Kᵀ", 1)]
    # 3 × 4 cells; Kᵀ of a blank K is what its formulas give, and a rubric that names it pays for it.
    assert [step["missing"] for step in grader.grade(verify_file(blank))["steps"]] == [12, 0]


def test_the_gradebook_has_the_steps_that_earn_points(tmp_path: Path) -> None:
    blank, key = generate(PLAIN, tmp_path / "ex.xlsx")
    folder = tmp_path / "class"
    folder.mkdir()
    blank.rename(folder / "ann.xlsx")
    settings = make_settings(key=str(key))
    [row] = run_batch([folder], tmp_path / "out", settings, runner=LocalWorkers(1)).rows
    [grade] = csv.DictReader(io.StringIO((tmp_path / "out" / "grades.csv").read_bytes().decode("utf-8-sig")))
    assert (grade["points"], grade["out of"], grade["percent"], grade["slips"]) == ("0", "11", "0", "11")
    assert [name.split()[0] for name in grade if name.endswith("(1)")] == STEPS
    assert "no points of its own" in (tmp_path / "out" / row.page).read_text(encoding="utf-8")


def book(path: Path, copied: float | None = None) -> Path:
    """3, 5, 7, doubled in D, repeated in F, plus one in H; ``copied`` is typed over the second number of F and what
    follows from it is worked out rightly.
    """
    with open_workbook(path) as workbook:
        sheet = workbook.add_worksheet("work")
        for column, label in ((1, "inputs"), (3, "doubled"), (5, "again"), (7, "plus one")):
            sheet.write_text(0, column, label)
        for row, number in enumerate((3.0, 5.0, 7.0), 1):
            sheet.write_number17(row, 1, number)
            sheet.write_formula_cached(row, 3, f"B{row + 1}*2", None, 2 * number)
            shown = 2 * number
            if copied is not None and row == 2:
                shown = copied
                sheet.write_number17(row, 5, shown)
            else:
                sheet.write_formula_cached(row, 5, f"D{row + 1}", None, shown)
            sheet.write_formula_cached(row, 7, f"F{row + 1}+1", None, shown + 1)
    return path


@pytest.mark.parametrize(
    ("rubric", "copied", "points"),
    [
        ("", None, {"doubled": 1, "again": 0, "plus one": 1}),
        # 11 is no copy of 10: 11 + 1 does not follow from the student's own 10.
        ("", 11.0, {"doubled": 1, "again": 0, "plus one": pytest.approx(2 / 3)}),
        # Copied by hand, but rightly.
        ("", 10.0, {"doubled": 1, "again": 0, "plus one": 1}),
        # A rubric that pays for the copy charges the slip there, and once.
        (
            'others = 1\n[[step]]\nname = "again F"\ncells = "work!F2:F4"',
            11.0,
            {"again": pytest.approx(2 / 3), "doubled": 1, "plus one": 1},
        ),
    ],
)
def test_a_slip_in_a_copy_is_a_slip_in_what_reads_it(
    tmp_path: Path, rubric: str, copied: float | None, points: dict[str, float]
) -> None:
    grader = Grader(load_key(book(tmp_path / "key.xlsx").read_bytes()), parse_rubric(rubric))
    found = grader.grade(verify_file(book(tmp_path / "own.xlsx", copied)))
    assert {step["name"].rpartition(" ")[0]: step["points"] for step in found["steps"]} == points


def test_a_copy_of_an_input_is_a_step_where_there_is_no_attention(tmp_path: Path) -> None:
    path = tmp_path / "key.xlsx"
    with open_workbook(path) as workbook:
        sheet = workbook.add_worksheet("work")
        sheet.write_number17(0, 0, 3)
        sheet.write_formula_cached(0, 2, "A1", None, 3)
    assert Grader(load_key(path.read_bytes()), parse_rubric("")).grade(verify_file(path))["out_of"] == 1
