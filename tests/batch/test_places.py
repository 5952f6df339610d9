"""Where a block stands: its formula and role in their place are stronger than labels, and a label that stands in
several places points to none.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from xlsx_attention.batch.grading.books import load_key
from xlsx_attention.batch.grading.marks import Grader
from xlsx_attention.batch.grading.rubric import parse_rubric
from xlsx_attention.generating import generate
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.pipeline import verify_file
from xlsx_attention.writing import open_workbook

KEY = ExampleSpec(tokens=("the", "cat", "sat", "down"), length=5, seed=4, lang="en")


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory) -> Grader:
    path = tmp_path_factory.mktemp("key") / "key.xlsx"
    generate(KEY, path)
    return Grader(load_key(path.read_bytes()), parse_rubric(""))


@pytest.mark.parametrize("tokens", [("我", "爱", "AI"), ("the",), ("the", "the", "cat"), ("down", "sat", "cat", "the")])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_another_sentence_moves_no_block(grader: Grader, tmp_path: Path, tokens: tuple[str, ...], lang: str) -> None:
    generate(ExampleSpec(tokens=tokens, length=5, seed=4, lang=lang), tmp_path / "own.xlsx")
    found = grader.grade(verify_file(tmp_path / "own.xlsx"))
    assert (found["points"], found["moved"], set(found["matched"])) == (found["out_of"], [], {"place"})


@pytest.mark.parametrize("kind", ["wrong-range", "wrong-scale", "stale-cache"])
def test_a_slip_under_another_sentence_costs_its_step_alone(grader: Grader, tmp_path: Path, kind: str) -> None:
    generate(
        ExampleSpec(tokens=("我", "爱"), length=5, seed=4, mistakes=1, kinds=(kind,)),
        tmp_path / "own.xlsx",
    )
    found = grader.grade(verify_file(tmp_path / "own.xlsx"))
    assert found["moved"] == []
    assert sum(step["points"] < step["out_of"] for step in found["steps"]) == 1


def test_the_workbook_of_the_course_against_a_key_with_another_sentence(grader: Grader, project: Path) -> None:
    found = grader.grade(verify_file(project / "workbooks" / "course-self-attention.xlsx"))
    assert (found["points"], found["moved"]) == (found["out_of"], [])


def stack(path: Path, first: int) -> Path:
    """Three blocks alike, four rows apart, the first at row ``first`` (from 0): 2·n under a label of its own."""
    with open_workbook(path) as workbook:
        sheet = workbook.add_worksheet("work")
        for number, name in enumerate(("ants", "bees", "cats")):
            top = first + 4 * number
            sheet.write_text(top, 2, name)
            for row in range(top + 1, top + 4):
                sheet.write_number17(row, 1, 10 * number + row - top)
                sheet.write_formula_cached(row, 2, f"B{row + 1}*2", None, 2 * (10 * number + row - top))
    return path


def test_of_blocks_alike_the_labels_say_which_is_which(tmp_path: Path) -> None:
    # Four rows inserted on top: where the key has its second block the submission has its first.
    grader = Grader(load_key(stack(tmp_path / "key.xlsx", 0).read_bytes()), parse_rubric(""))
    found = grader.grade(verify_file(stack(tmp_path / "own.xlsx", 4)))
    assert [move["found"] for move in found["moved"]] == ["work!C6:C8", "work!C10:C12", "work!C14:C16"]
    assert (found["points"], found["out_of"], found["changed_inputs"]) == (3, 3, 0)
