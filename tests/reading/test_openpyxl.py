"""Against openpyxl, on every public workbook that both can open, and on workbooks that openpyxl makes."""

from __future__ import annotations

import datetime
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table, TableColumn

from tests.reading import packages
from xlsx_attention.model.grid import Sheet, WorkbookGrid
from xlsx_attention.model.values import EMPTY, TEXT
from xlsx_attention.reading import from_openpyxl, read_workbook
from xlsx_attention.reading.google import restore_errors

#: openpyxl refuses this file for a text box, which holds no cell.
REFUSED_BY_OPENPYXL = {"W3_Linear-Layer.xlsx"}


def load_pair(path: Path) -> tuple[Any, Any] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of extensions that openpyxl drops
        try:
            return openpyxl.load_workbook(path), openpyxl.load_workbook(path, data_only=True)
        except ValueError:
            return None


def formulas_of(sheet: Sheet) -> dict[tuple[int, int], str | None]:
    """Text of each formula; ``None`` for a member of a shared formula, whose text openpyxl makes up itself."""
    places = zip(sheet.formula_rows.tolist(), sheet.formula_columns.tolist(), strict=True)
    return {
        place: None if index in sheet.shared else text
        for index, (place, text) in enumerate(zip(places, sheet.formula_texts, strict=True))
    }


#: Plain formulas, array formulas and values that openpyxl finds in each folder of the public workbooks.
COMPARED = {
    "ai-by-hand": (2208, 1550, 15625),
    "backprop-class": (856, 0, 1075),
    "excel-transformer": (1841, 6903, 49230),
    "google-style": (9, 3, 62),
    "ironcalc": (4675, 135, 11086),
    "pysheetgrader": (257, 0, 2063),
}


@pytest.mark.parametrize("folder", COMPARED)
def test_public_workbooks_as_openpyxl_reads_them(corpus: Path, folder: str) -> None:
    cells: Counter[str] = Counter()
    refused = set()
    for path in sorted((corpus / folder).rglob("*.xlsx")):
        pair = load_pair(path)
        grid = read_workbook(path)
        if pair is None:
            refused.add(path.name)
            continue
        for sheet in grid.sheets:
            compare_cells(path.name, grid, sheet, pair[0][sheet.name], pair[1][sheet.name], cells)
        theirs = from_openpyxl(*pair)
        if grid.provenance.application == "Google Sheets":
            restore_errors(theirs)  # openpyxl does not tell who wrote a file, so that its reader cannot know
        compare_grids(path.name, grid, theirs)
    assert refused <= REFUSED_BY_OPENPYXL
    assert (cells["formula"], cells["array"], cells["value"]) == COMPARED[folder]


def compare_cells(name: str, grid: WorkbookGrid, sheet: Sheet, formulas: Any, values: Any, cells: Counter[str]) -> None:
    ours = formulas_of(sheet)
    for (row, column), cell in formulas._cells.items():
        place = row - 1, column - 1
        where = (name, sheet.name, cell.coordinate)
        if cell.data_type == "f" and cell.value != "=":  # "=" alone is how openpyxl shows an empty formula
            array = isinstance(cell.value, ArrayFormula)
            text = ours.pop(place)
            expected = cell.value.text if array else cell.value
            assert text is None or f"={text}" == expected, where
            if array:
                assert sheet.arrays[place].rect.a1 == cell.value.ref, where
            cells["array" if array else "formula"] += 1
        theirs = values.cell(row, column).value
        value = grid.value(sheet.index, *place).python
        if isinstance(theirs, datetime.date | datetime.time | datetime.timedelta):
            assert isinstance(value, float), where
        elif theirs is None:
            assert value in (None, ""), where  # openpyxl has no empty text
        else:
            assert value == theirs, where
            assert isinstance(value, bool) == isinstance(theirs, bool), where
            cells["value"] += 1
    assert not ours, (name, sheet.name)


def compare_grids(name: str, ours: WorkbookGrid, theirs: WorkbookGrid) -> None:
    assert set(ours.names) == set(theirs.names), name
    assert (ours.tables, ours.external, ours.calc) == (theirs.tables, theirs.external, theirs.calc), name
    for mine, other in zip(ours.sheets, theirs.sheets, strict=True):
        where = (name, mine.name)
        assert mine.name == other.name
        assert mine.cached.rect == other.cached.rect, where
        empty_text = (mine.cached.kind == TEXT) & (other.cached.kind == EMPTY)
        assert {ours.texts[index] for index in mine.cached.number[empty_text]} <= {""}, where
        assert np.array_equal(mine.cached.kind[~empty_text], other.cached.kind[~empty_text]), where
        assert mine.formula_rows.tolist() == other.formula_rows.tolist(), where
        assert mine.formula_columns.tolist() == other.formula_columns.tolist(), where
        assert {k: v.rect for k, v in mine.arrays.items()} == {k: v.rect for k, v in other.arrays.items()}, where
        assert mine.styles is not None
        assert other.styles is not None
        formats = np.array(ours.number_formats, object)[mine.styles]
        assert np.array_equal(formats, np.array(theirs.number_formats, object)[other.styles]), where
        assert mine.column_widths == other.column_widths, where
        assert set(mine.merged) == set(other.merged), where
        assert mine.hidden == other.hidden, where


def test_a_workbook_that_was_never_saved() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "S"
    sheet["A1"] = 1
    sheet["A2"] = True
    sheet["A3"] = "text"
    sheet["A4"] = datetime.datetime(2024, 1, 31)
    sheet["A5"] = "#N/A"
    sheet["B1"] = "=A1*2"
    sheet["B2"] = ArrayFormula("B2:B3", "=TRANSPOSE(A1:B1)")
    sheet["A1"].number_format = "0.00"
    sheet.merge_cells("D1:E2")
    book.defined_names["scale"] = DefinedName("scale", attr_text="S!$A$1")
    book.create_sheet("hidden").sheet_state = "hidden"
    grid = from_openpyxl(book, None)
    assert [grid.value(0, row, 0).python for row in range(5)] == [1.0, True, "text", 45322.0, "#N/A"]
    assert grid.sheets[0].formula_texts == ["A1*2", "TRANSPOSE(A1:B1)"]
    assert grid.sheets[0].arrays[1, 1].rect.a1 == "B2:B3"
    assert grid.value(0, 0, 1).kind == EMPTY
    assert grid.number_formats[int(grid.sheets[0].styles[0, 0])] == "0.00"  # type: ignore[index]
    assert [(name.name, name.formula, name.sheet) for name in grid.names] == [("scale", "S!$A$1", None)]
    assert [rect.a1 for rect in grid.sheets[0].merged] == ["D1:E2"]
    assert [sheet.hidden for sheet in grid.sheets] == [False, True]


def test_tables_of_openpyxl() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    table = Table(displayName="Data", ref="A1:B3", totalsRowCount=1)
    table.tableColumns = [TableColumn(1, name="a"), TableColumn(2, name="b")]
    sheet.add_table(table)
    found = from_openpyxl(book, None).tables
    assert [(t.name, t.rect.a1, t.columns, t.header_rows, t.totals_rows) for t in found] == [
        ("Data", "A1:B3", ("a", "b"), 1, 1)
    ]


def test_a_far_cell_of_openpyxl_costs_nothing() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.cell(1, 1, 5.0)
    sheet.cell(1_048_576, 16_384, 6.0)
    grid = from_openpyxl(book, None)
    assert [grid.value(0, 0, 0).python, grid.value(0, 1_048_575, 16_383).python] == [5.0, 6.0]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_excel_does_not_have(value: float) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"] = value
    grid = from_openpyxl(book, None)
    assert [notice.code for notice in grid.notices] == ["bad-number"]


def test_data_tables_come_out_alike(tmp_path: Path) -> None:
    rows = packages.row(2, '<c r="B2"><f t="dataTable" ref="B2:C3" dt2D="1" dtr="1" r1="A1" r2="B1"/><v>1</v></c>')
    path = tmp_path / "table.xlsx"
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>'
    )
    path.write_bytes(packages.pack({**packages.parts(rows), "[Content_Types].xml": types}))
    pair = load_pair(path)
    assert pair is not None
    assert (
        from_openpyxl(*pair).sheets[0].formula_texts == read_workbook(path).sheets[0].formula_texts == ["TABLE(A1,B1)"]
    )
