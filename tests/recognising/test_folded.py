"""Steps folded into one another, and masks of every kind; the ranges are those that the sheets here are written to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from tests.recognising.lessons import ranges, recognised
from tests.recognising.test_heads import numbers, spill
from xlsx_attention.model.address import Rect
from xlsx_attention.model.role import Head

PROJECTIONS = {
    "X": "A2:C5",
    "W_q": "F2:G4",
    "W_k": "F8:G10",
    "W_v": "F14:G16",
    "Q": "I2:J5",
    "K": "I8:J11",
    "V": "I14:J17",
    "weights": "L12:O15",
    "output": "L17:M20",
}
SCORES = "MMULT(I2:J5,TRANSPOSE(I8:J11))"


def softmax(sheet: Worksheet) -> None:
    """Rows of L7:O10 → L12:O15, and the output below."""
    for i in range(4):
        for j, letter in enumerate("LMNO"):
            row = f"$L{7 + i}:$O{7 + i}"
            sheet.write_formula(11 + i, 11 + j, f"=EXP({letter}{7 + i})/SUMPRODUCT(EXP({row}))")
    spill(sheet, "L17:M20", "=MMULT(L12:O15,I14:J17)")


def read(path: Path, write: Callable[[Worksheet], None]) -> tuple[dict[str, str], Head]:
    """Four tokens of width 3, projected to width 2, and what ``write`` makes of them: ranges and the head."""
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("folded")
    numbers(sheet, "A2:C5", 1)
    for seed, (weights, target) in enumerate((("F2:G4", "I2:J5"), ("F8:G10", "I8:J11"), ("F14:G16", "I14:J17")), 2):
        numbers(sheet, weights, seed)
        spill(sheet, target, f"=MMULT(A2:C5,{weights})")
    write(sheet)
    book.close()
    found = recognised(path)
    [attention] = found.attentions
    [head] = attention.heads
    assert head.scale == pytest.approx(2**0.5)
    return ranges(found), head


def masked(sheet: Worksheet, formula: str) -> None:
    """Scaled scores in L2:O5, a mask of 1, 1, 1, 0 above them, and ``formula`` (``{x}``, ``{m}``) in L7:O10."""
    spill(sheet, "L2:O5", f"={SCORES}/SQRT(2)")
    for j in range(4):
        sheet.write_number(0, 11 + j, float(j < 3))
    for i in range(4):
        for j, letter in enumerate("LMNO"):
            sheet.write_formula(6 + i, 11 + j, "=" + formula.format(x=f"{letter}{2 + i}", m=f"{letter}$1"))
    softmax(sheet)


def test_mask_by_multiplying(tmp_path: Path) -> None:
    """A 0 hides nothing from a softmax, but a mask it is meant to be."""
    found, head = read(tmp_path / "a.xlsx", lambda sheet: masked(sheet, "{x}*{m}"))
    assert found == {**PROJECTIONS, "scaled": "L2:O5", "mask": "L1:O1", "masked": "L7:O10"}
    assert (head.mask, head.masked_columns, head.mask_how) == ("padding", (3,), "multiply")


def test_padding_and_causal_at_once(tmp_path: Path) -> None:
    formula = "IF(AND({m}=1,COLUMN()-11<=ROW()-6),{x},-1E9)"
    found, head = read(tmp_path / "a.xlsx", lambda sheet: masked(sheet, formula))
    assert found == {**PROJECTIONS, "scaled": "L2:O5", "mask": "L1:O1", "masked": "L7:O10"}
    assert (head.mask, head.masked_columns, head.mask_axis) == ("both", (3,), "keys")


def test_mask_typed_over_scores(tmp_path: Path) -> None:
    """Formulas where a score is seen, −1e9 where it is not."""

    def write(sheet: Worksheet) -> None:
        masked(sheet, "{x}")
        for i in range(4):
            for j in range(i + 1, 4):
                sheet.write_number(6 + i, 11 + j, -1e9)

    found, head = read(tmp_path / "a.xlsx", write)
    # Of the scaled scores only those that something uses are known as such.
    # The triangle L2, L3:M3, L4:N4, L5:O5, as rectangles; N4:O4 is not wholly in it.
    triangle = {(row, column) for row in range(1, 5) for column in range(11, 11 + row)}
    scaled = {place for rect in found.pop("scaled").split() for place in Rect.parse(rect).cells()}
    assert triangle <= scaled
    assert found == {**PROJECTIONS, "masked": "L7:O10"}
    assert (head.mask, head.mask_axis, head.mask_place) == ("causal", "keys", "before")


def test_queries_scaled_before_the_product(tmp_path: Path) -> None:
    def write(sheet: Worksheet) -> None:
        spill(sheet, "R2:S5", "=I2:J5/SQRT(2)")
        spill(sheet, "L7:O10", "=MMULT(R2:S5,TRANSPOSE(I8:J11))")
        softmax(sheet)

    found, _ = read(tmp_path / "a.xlsx", write)
    assert found == {**PROJECTIONS, "scores": "L7:O10"}


def test_rounded_on_the_way(tmp_path: Path) -> None:
    def write(sheet: Worksheet) -> None:
        spill(sheet, "L7:O10", f"=ROUND({SCORES}/SQRT(2),2)")
        softmax(sheet)

    found, _ = read(tmp_path / "a.xlsx", write)
    assert found == {**PROJECTIONS, "scaled": "L7:O10"}


def test_softmax_by_rows_in_one_spill(tmp_path: Path) -> None:
    def write(sheet: Worksheet) -> None:
        spill(sheet, "L7:O10", f"={SCORES}/SQRT(2)")
        line = "_xlfn.LAMBDA(_xlpm.r,{0}(_xlpm.r))"
        raised = f"EXP(L7:O10-_xlfn.BYROW(L7:O10,{line.format('MAX')}))"
        spill(sheet, "L12:O15", f"={raised}/_xlfn.BYROW({raised},{line.format('SUM')})")
        spill(sheet, "L17:M20", "=MMULT(L12:O15,I14:J17)")

    found, head = read(tmp_path / "a.xlsx", write)
    assert found == {**PROJECTIONS, "scaled": "L7:O10"}
    assert head.row_max_axis == "keys"
