"""The course workbook as it is, and as bare numbers: unlabelled, turned, moved, at full precision and at two
decimals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from tests.recognising.lessons import ranges, recognised
from xlsx_attention.model.address import Rect
from xlsx_attention.model.role import AttentionMap

#: Read off the sheet: its titles say "X  输入", "W_q  查询权重", …, "weights  注意力权重", "output  输出".
ROLES = {
    "X": "B10:I14",
    "W_q": "L10:S17",
    "W_k": "V10:AC17",
    "W_v": "AF10:AM17",
    "Q": "L24:S28",
    "K": "V24:AC28",
    "V": "AF24:AM28",
    "scores": "I36:M40",
    "scaled": "P36:T40",
    "mask": "W34:AA34",
    "masked": "W36:AA40",
    "row_max": "B50:B54",
    "exp": "I50:M54",
    "normaliser": "P50:P54",
    "weights": "W50:AA54",
    "output": "AD50:AK54",
}
ACROSS = "B36:F43"

Place = Callable[[int, int], tuple[int, int]]


def stays(row: int, column: int) -> tuple[int, int]:
    return row, column


def turned(row: int, column: int) -> tuple[int, int]:
    return column, row


#: Every block of the sheet (with its headings) to another corner, none above or beside what it was.
MOVES = {
    "X": (60, 40),
    "W_q": (2, 60),
    "W_k": (40, 2),
    "W_v": (20, 20),
    "Q": (80, 4),
    "K": (60, 60),
    "V": (2, 2),
    "scores": (100, 30),
    "scaled": (2, 30),
    "mask": (120, 3),
    "masked": (40, 40),
    "row_max": (80, 40),
    "exp": (60, 20),
    "normaliser": (100, 60),
    "weights": (20, 40),
    "output": (120, 30),
}


def moved(row: int, column: int) -> tuple[int, int]:
    for role, place in ROLES.items():
        rect = Rect.parse(place)
        if rect.contains(row, column):
            top, left = MOVES[role]
            return top + row - rect.top, left + column - rect.left
    rect = Rect.parse(ACROSS)
    if rect.contains(row, column):
        return 140 + row - rect.top, 2 + column - rect.left
    return row + 200, column


def bare(source: Path, target: Path, where: Place, decimals: int | None, *, labels: bool) -> None:
    """The stored values of a workbook alone, rounded, each cell at ``where(row, column)``."""
    book = openpyxl.load_workbook(source, data_only=True)
    out = openpyxl.Workbook()
    out.remove(out.active)
    for sheet in book:
        page = out.create_sheet(sheet.title)
        for line in sheet.iter_rows():
            for cell in line:
                value = cell.value
                if value is None or (isinstance(value, str) and not labels):
                    continue
                if isinstance(value, float) and decimals is not None:
                    value = round(value, decimals)
                row, column = where(cell.row - 1, cell.column - 1)
                page.cell(row + 1, column + 1, value)
    out.save(target)


def check(found: AttentionMap, where: Place, orientation: str) -> None:
    [attention] = found.attentions
    [head] = attention.heads
    expected = {}
    for role, place in ROLES.items():
        corners = [where(row, column) for row, column in Rect.parse(place).cells()]
        rows, columns = zip(*corners, strict=True)
        expected[role] = Rect(min(rows), min(columns), max(rows) + 1, max(columns) + 1).a1
    assert ranges(found) == expected
    assert (attention.orientation, attention.kind) == (orientation, "self")
    assert (head.d_k, head.scale) == (8, pytest.approx(8**0.5))
    assert (head.mask, head.masked_columns, head.mask_axis, head.mask_place) == ("padding", (3, 4), "keys", "before")
    assert (head.softmax_axis, head.exp_from, head.values_from) == ("keys", "masked", "V")
    assert head.labelled == {}


def test_with_formulas(project: Path) -> None:
    found = recognised(project / "workbooks" / "course-self-attention.xlsx")
    check(found, stays, "rows")
    assert [place.rect.a1 for place in found.attentions[0].heads[0].copies["K"]] == [ACROSS]
    assert found.others == found.unrecognised == ()


def test_with_formulas_and_no_labels(project: Path, tmp_path: Path) -> None:
    book = openpyxl.load_workbook(project / "workbooks" / "course-self-attention.xlsx")
    for sheet in book:
        for line in sheet.iter_rows():
            for cell in line:
                if cell.data_type == "s":
                    cell.value = None
    book.save(tmp_path / "bare.xlsx")
    check(recognised(tmp_path / "bare.xlsx"), stays, "rows")


@pytest.mark.parametrize("labels", [True, False], ids=["labels", "no labels"])
@pytest.mark.parametrize("decimals", [None, 4, 3, 2], ids=["full", "four", "three", "two"])
@pytest.mark.parametrize("where", [stays, turned, moved], ids=["stays", "turned", "moved"])
def test_from_bare_numbers(project: Path, tmp_path: Path, where: Place, decimals: int | None, labels: bool) -> None:
    path = tmp_path / "bare.xlsx"
    bare(project / "workbooks" / "course-self-attention.xlsx", path, where, decimals, labels=labels)
    found = recognised(path)
    check(found, where, "columns" if where is turned else "rows")


@pytest.mark.parametrize(
    "pasted", ["Q", "K", "V", "scores", "scaled", "masked", "exp", "normaliser", "weights", "output"]
)
def test_with_one_block_pasted_as_numbers(project: Path, tmp_path: Path, pasted: str) -> None:
    source = project / "workbooks" / "course-self-attention.xlsx"
    book, values = openpyxl.load_workbook(source), openpyxl.load_workbook(source, data_only=True)
    for row, column in Rect.parse(ROLES[pasted]).cells():
        cell = book.worksheets[0].cell(row + 1, column + 1)
        cell.value = values.worksheets[0].cell(row + 1, column + 1).value
    # Stored values again: the library drops them where formulas stay.
    book.save(tmp_path / "pasted.xlsx")
    found = recognised(tmp_path / "pasted.xlsx")
    assert {role: place for role, place in ranges(found).items() if role in ROLES} == ROLES


@pytest.mark.parametrize("decimals", [None, 2], ids=["full", "two"])
def test_public_sheets_from_bare_numbers(corpus: Path, tmp_path: Path, decimals: int | None) -> None:
    source = corpus / "ai-by-hand" / "Self-Attention.xlsx"
    bare(source, tmp_path / "bare.xlsx", stays, decimals, labels=True)
    expected = recognised(source)
    found = recognised(tmp_path / "bare.xlsx")
    for number in range(3):
        assert ranges(found, number) == ranges(expected, number)
        assert found.attentions[number].heads[0].scale == pytest.approx(expected.attentions[number].heads[0].scale)
