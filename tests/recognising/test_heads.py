"""Several heads, several examples, appended ones, single cells gone wrong; all written here, so the places are
known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xlsxwriter
from xlsxwriter.utility import xl_range, xl_range_abs, xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from tests.recognising.lessons import Notation, ranges, recognised, written
from xlsx_attention.model.address import Rect


def numbers(sheet: Worksheet, rect: str, seed: int) -> None:
    place = Rect.parse(rect)
    values = np.random.default_rng(seed).normal(size=place.shape).round(2)
    for row, column in place.cells():
        sheet.write_number(row, column, float(values[row - place.top, column - place.left]))


def spill(sheet: Worksheet, rect: str, formula: str) -> None:
    sheet.write_dynamic_array_formula(rect, formula)


def head(sheet: Worksheet, q: str, k: str, v: str, at: tuple[int, int], tokens: int, width: int) -> dict[str, str]:
    """Scaled scores, weights by one formula a row, output; all below each other from ``at``. Ranges by role."""
    top, left = at
    scaled = xl_range(top, left, top + tokens - 1, left + tokens - 1)
    spill(sheet, scaled, f"=MMULT({q},TRANSPOSE({k}))/SQRT({width})")
    first = top + tokens + 1
    for i in range(tokens):
        line = xl_range(top + i, left, top + i, left + tokens - 1)
        target = xl_range(first + i, left, first + i, left + tokens - 1)
        spill(sheet, target, f"=EXP({line})/SUM(EXP({line}))")
    weights = xl_range(first, left, first + tokens - 1, left + tokens - 1)
    below = first + tokens + 1
    output = xl_range(below, left, below + tokens - 1, left + width - 1)
    spill(sheet, output, f"=MMULT({weights},{v})")
    return {"scaled": scaled, "weights": weights, "output": output}


@pytest.fixture
def two_heads(tmp_path: Path) -> tuple[Path, list[dict[str, str]]]:
    """Q, K, V of width 4, cut into two heads of 2; the outputs side by side at N2:Q4; W_o and the projection beside."""
    path = tmp_path / "heads.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("heads")
    numbers(sheet, "A2:C4", 1)
    for letter, rect, seed in (("q", "A7:D9", 2), ("k", "A12:D14", 3), ("v", "A17:D19", 4)):
        numbers(sheet, rect, seed)
        target = {"q": "F7:I9", "k": "F12:I14", "v": "F17:I19"}[letter]
        spill(sheet, target, f"=MMULT(A2:C4,{rect})")
    expected = [
        {"W_q": "A7:B9", "W_k": "A12:B14", "W_v": "A17:B19", "Q": "F7:G9", "K": "F12:G14", "V": "F17:G19"},
        {"W_q": "C7:D9", "W_k": "C12:D14", "W_v": "C17:D19", "Q": "H7:I9", "K": "H12:I14", "V": "H17:I19"},
    ]
    for number, roles in enumerate(expected):
        roles.update(head(sheet, roles["Q"], roles["K"], roles["V"], (24, 1 + 8 * number), 3, 2))
    spill(sheet, "N2:O4", f"={expected[0]['output']}")
    spill(sheet, "P2:Q4", f"={expected[1]['output']}")
    numbers(sheet, "N7:P10", 5)
    spill(sheet, "N13:P15", "=MMULT(N2:Q4,N7:P10)")
    book.close()
    return path, expected


def test_two_heads_joined(two_heads: tuple[Path, list[dict[str, str]]]) -> None:
    path, expected = two_heads
    found = recognised(path)
    [attention] = found.attentions
    assert len(attention.heads) == 2
    shared = {"X": "A2:C4", "concat": "N2:Q4", "W_o": "N7:P10", "projected": "N13:P15"}
    for number, roles in enumerate(expected):
        assert ranges(found, 0, number) == {**shared, **roles}
        assert attention.heads[number].d_k == 2
    assert (attention.orientation, attention.kind) == ("rows", "self")
    names = {rect.a1: name for (_, rect), name in found.labels().items()}
    assert (names["F7:G9"], names["H7:I9"], names["N7:P10"]) == ("Q 1", "Q 2", "W_o")


def test_a_line_of_ones_is_a_bias(tmp_path: Path) -> None:
    """X with a column of ones after it: the last row of each W is the bias."""
    path = tmp_path / "ones.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("ones")
    numbers(sheet, "A2:C5", 1)
    for row in range(2, 6):
        sheet.write_number(row - 1, 3, 1)
    for rect, target, seed in (("F2:G5", "I2:J5", 2), ("F8:G11", "I8:J11", 3), ("F14:G17", "I14:J17", 4)):
        numbers(sheet, rect, seed)
        spill(sheet, target, f"=MMULT(A2:D5,{rect})")
    head(sheet, "I2:J5", "I8:J11", "I14:J17", (20, 1), 4, 2)
    book.close()
    found = ranges(recognised(path))
    expected = {"X": "A2:C5", "W_q": "F2:G4", "b_q": "F5:G5", "W_k": "F8:G10", "b_k": "F11:G11", "b_v": "F17:G17"}
    assert {role: found[role] for role in expected} == expected


def test_several_examples_on_one_sheet(tmp_path: Path) -> None:
    path = tmp_path / "two.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("two")
    for left in (0, 20):
        at = lambda rect, left=left: xl_range(*_moved(rect, left))  # noqa: E731
        numbers(sheet, at("A2:C4"), 1 + left)
        for rect, target, seed in (("E2:F4", "H2:I4", 2), ("E7:F9", "H7:I9", 3), ("E12:F14", "H12:I14", 4)):
            numbers(sheet, at(rect), seed + left)
            spill(sheet, at(target), f"=MMULT({at('A2:C4')},{at(rect)})")
        head(sheet, at("H2:I4"), at("H7:I9"), at("H12:I14"), (16, left), 3, 2)
    book.close()
    found = recognised(path)
    assert [ranges(found, number)["X"] for number in range(2)] == ["A2:C4", "U2:W4"]
    assert all(len(attention.heads) == 1 for attention in found.attentions)


def _moved(rect: str, left: int) -> tuple[int, int, int, int]:
    place = Rect.parse(rect)
    return place.top, place.left + left, place.bottom - 1, place.right - 1 + left


@pytest.mark.parametrize("role", ["Q", "K", "V", "scores", "scaled", "exp", "weights", "output"])
@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
def test_one_cell_gone_wrong_changes_no_role(tmp_path: Path, role: str, columns: bool) -> None:
    """A number typed over a formula in the middle of each block."""
    import openpyxl

    lesson = written(tmp_path / "lesson.xlsx", Notation(columns=columns, product="written"))
    book = openpyxl.load_workbook(tmp_path / "lesson.xlsx")
    place = lesson.places[role]
    book.worksheets[0].cell(place.top + 2, place.left + 2, 0.123)
    book.save(tmp_path / "typed.xlsx")
    assert ranges(recognised(tmp_path / "typed.xlsx")) == lesson.roles


def test_logits_are_no_attention(tmp_path: Path) -> None:
    """softmax(X·W) is a classifier: its scores have no keys and its weights meet no values."""
    path = tmp_path / "logits.xlsx"
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("logits")
    numbers(sheet, "A2:C5", 1)
    numbers(sheet, "E2:H4", 2)
    spill(sheet, "J2:M5", "=MMULT(A2:C5,E2:H4)")
    for row in range(1, 5):
        line = xl_range_abs(row, 9, row, 12)
        for column in range(9, 13):
            cell = xl_rowcol_to_cell(row, column)
            sheet.write_formula(row + 7, column, f"=EXP({cell})/SUMPRODUCT(EXP({line}))")
    book.close()
    found = recognised(path)
    assert found.attentions == ()
    assert {other.kind for other in found.others} == {"linear", "softmax"}
