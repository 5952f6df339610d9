"""Formulas as they are stored: plain, shared, arrays of both kinds, data tables, and the odd ones (ECMA-376 part 1,
18.3.1.40)."""

# ruff: noqa: E501 - a row of XML, and a row of a table, stays on one line

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.reading import packages
from xlsx_attention.model.address import Rect
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.grid import Sheet, WorkbookGrid
from xlsx_attention.reading import read_workbook

METADATA = (
    '<metadataTypes count="2"><metadataType name="OTHER"/><metadataType name="XLDAPR"/></metadataTypes>'
    '<futureMetadata name="OTHER"><bk/></futureMetadata><futureMetadata name="XLDAPR">'
    '<bk><extLst><ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}"><d:dynamicArrayProperties fDynamic="1" fCollapsed="0" '
    'xmlns:d="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray"/></ext></extLst></bk>'
    '<bk><extLst><ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}"><d:dynamicArrayProperties fDynamic="0" '
    'xmlns:d="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray"/></ext></extLst></bk></futureMetadata>'
    '<cellMetadata count="3"><bk><rc t="2" v="0"/></bk><bk><rc t="2" v="1"/></bk><bk><rc t="1" v="0"/></bk></cellMetadata>'
)
both = pytest.mark.parametrize("quote", ['"', "'"], ids=["pattern", "expat"])


def read(rows: str, quote: str = '"', **more: object) -> WorkbookGrid:
    """With ``'`` for quotes no row is regular, so that expat reads it."""
    return read_workbook(packages.book(rows.replace('"', quote), **more))


def formulas(sheet: Sheet) -> dict[tuple[int, int], str]:
    places = zip(sheet.formula_rows.tolist(), sheet.formula_columns.tolist(), strict=True)
    return dict(zip(places, sheet.formula_texts, strict=True))


def test_text_is_kept_as_it_is_stored() -> None:
    cells = (
        '<c r="A1"><f> SUM( B1:C1 )</f></c><c r="B1"><f>IF(A1&lt;&gt;2,&quot;a&amp;lt;&quot;,&apos;x&apos;!A1)&amp;1</f></c>'
        '<c r="C1"><f>_xlfn.XLOOKUP(1,A:A,B:B)</f></c><c r="D1"><f>"_x005F_x0041_"</f></c><c r="E1"><f>A1\n+1</f></c>'
    )
    sheet = read(packages.row(1, cells)).sheets[0]
    assert sheet.formula_texts == [
        " SUM( B1:C1 )",
        "IF(A1<>2,\"a&lt;\",'x'!A1)&1",
        "_xlfn.XLOOKUP(1,A:A,B:B)",
        '"_x0041_"',
        "A1\n+1",
    ]


@both
def test_shared_members_point_to_their_master(quote: str) -> None:
    rows = packages.row(1, '<c r="A1"><f>9</f></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*2</f><v>18</v></c>')
    rows += packages.row(2, '<c r="B2"><f t="shared" si="0"/><v>0</v></c>')
    rows += packages.row(3, '<c r="A3"><f>8</f></c><c r="B3"><f t="shared" si="0">ignored</f><v>0</v></c>')
    sheet = read(rows, quote).sheets[0]
    assert sheet.formula_texts == ["9", "A1*2", "", "8", ""]
    assert sheet.shared == {2: 1, 4: 1}


@both
def test_a_shared_group_may_begin_anew(quote: str) -> None:
    cells = (
        '<c r="A1"><f t="shared" ref="A1:B1" si="0">X1</f></c><c r="B1"><f t="shared" si="0"/></c>'
        '<c r="C1"><f t="shared" ref="C1:D1" si="0">Y1</f></c><c r="D1"><f t="shared" si="0"/></c>'
    )
    assert read(packages.row(1, cells), quote).sheets[0].shared == {1: 0, 3: 2}


@both
def test_shared_members_are_found_after_sorting(quote: str) -> None:
    rows = packages.row(2, '<c r="A2"><f t="shared" ref="A1:A2" si="3">B2</f></c>')
    rows += packages.row(1, '<c r="A1"><f t="shared" si="3"/></c>')
    sheet = read(rows, quote).sheets[0]
    assert sheet.formula_texts == ["", "B2"]
    assert sheet.shared == {0: 1}


@both
def test_shared_member_before_its_master(quote: str) -> None:
    cells = '<c r="A1"><f t="shared" si="0"/></c><c r="B1"><f t="shared" ref="A1:B1" si="0">C1</f></c>'
    grid = read(packages.row(1, cells), quote)
    assert grid.sheets[0].shared == {0: 1}
    assert not grid.notices


@both
def test_shared_member_without_a_master_is_not_computed_by_name(quote: str) -> None:
    grid = read(packages.row(1, '<c r="A1"><f t="shared" si="5"/><v>1</v></c>'), quote)
    assert grid.sheets[0].formula_texts == ["SHARED_FORMULA_MISSING()"]
    assert [(notice.code, notice.where) for notice in grid.notices] == [("shared-master-missing", "S!A1")]


def test_shared_master_that_a_doubled_cell_took_away() -> None:
    rows = packages.row(1, '<c r="A1"><f t="shared" ref="A1:B1" si="0">C1</f></c><c r="B1"><f t="shared" si="0"/></c>')
    rows += packages.row(1, '<c r="A1"><v>1</v></c>')
    sheet = read(rows).sheets[0]
    assert formulas(sheet) == {(0, 1): "SHARED_FORMULA_MISSING()"}
    assert not sheet.shared


@both
@pytest.mark.parametrize(("metadata", "mode"), [(0, "array"), (1, "dynamic"), (2, "array"), (3, "array"), (4, "array")])
def test_dynamic_arrays_are_told_by_the_metadata(metadata: int, mode: str, quote: str) -> None:
    cells = f'<c r="A1" cm="{metadata}"><f t="array" ref="A1:B1">C1:D1</f><v>1</v></c><c r="B1"><v>2</v></c>'
    sheet = read(packages.row(1, cells), quote, metadata=METADATA).sheets[0]
    assert sheet.arrays[0, 0].mode == mode
    assert sheet.arrays[0, 0].rect == Rect.parse("A1:B1")
    assert formulas(sheet) == {(0, 0): "C1:D1"}


def test_without_a_metadata_part_cm_means_dynamic() -> None:
    sheet = read(packages.row(1, '<c r="A1" cm="1"><f t="array" ref="A1">C1</f><v>1</v></c>')).sheets[0]
    assert sheet.arrays[0, 0].mode == "dynamic"


@both
def test_an_empty_formula_in_an_array_is_a_member(quote: str) -> None:
    cells = '<c r="A1"><f t="array" ref="A1:B1">C1:D1</f><v>1</v></c><c r="B1"><f/><v>2</v></c><c r="C1"><f></f><v>3</v></c>'
    grid = read(packages.row(1, cells), quote)
    assert formulas(grid.sheets[0]) == {(0, 0): "C1:D1"}
    assert [(notice.code, notice.where) for notice in grid.notices] == [("empty-formula", "S!C1")]
    assert grid.value(0, 0, 1).python == 2.0


def test_array_range_without_members_is_part_of_the_core() -> None:
    sheet = read(packages.row(1, '<c r="A1"><f t="array" ref="A1:C4">MUNIT(3)</f></c>')).sheets[0]
    assert sheet.cached.rect.a1 == "A1:C4"


def test_giant_array_range_is_cut_to_the_cells_that_exist() -> None:
    rows = packages.row(
        1, '<c r="A1" cm="1"><f t="array" ref="A1:XFD1048576">SEQUENCE(2,2)</f><v>1</v></c><c r="B1"><v>2</v></c>'
    )
    rows += packages.row(2, '<c r="A2"><v>3</v></c><c r="B2"><v>4</v></c>')
    grid = read(rows)
    assert grid.sheets[0].arrays[0, 0].rect.a1 == "A1:B2"
    assert grid.sheets[0].cached.rect.a1 == "A1:B2"
    assert [notice.code for notice in grid.notices] == ["array-range"]


@pytest.mark.parametrize("reference", ["", "nonsense", "B2:C3", "A0", "A1:XFE1"])
def test_array_range_that_is_none(reference: str) -> None:
    grid = read(packages.row(1, f'<c r="A1"><f t="array" ref="{reference}">B1</f><v>1</v></c>'))
    assert grid.sheets[0].arrays[0, 0].rect.a1 == "A1"
    assert [notice.code for notice in grid.notices] == ["array-range"]


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ('dt2D="1" dtr="1" r1="A1" r2="B1"', "TABLE(A1,B1)"),
        ('dt2D="0" dtr="1" r1="A1"', "TABLE(A1,)"),
        ('dt2D="0" dtr="0" r1="A1"', "TABLE(,A1)"),
        ('r1="A1" del1="1"', "TABLE(,#REF!)"),
    ],
)
def test_data_table_keeps_its_name(attributes: str, text: str) -> None:
    """As Excel shows it: {=TABLE(row input, column input)}."""
    cells = f'<c r="B2"><f t="dataTable" ref="B2:C3" {attributes}/><v>1</v></c>'
    grid = read(packages.row(2, cells))
    assert formulas(grid.sheets[0]) == {(1, 1): text}
    assert grid.sheets[0].arrays[1, 1].rect.a1 == "B2:C3"
    assert [notice.code for notice in grid.notices] == ["data-table"]


@both
def test_formula_that_is_too_long_is_not_computed_by_name(quote: str) -> None:
    rows = packages.row(1, f'<c r="A1"><f>{"1+" * 4096}1</f><v>1</v></c><c r="B1"><f>{"1+" * 4095}1</f><v>1</v></c>')
    grid = read(rows, quote)
    assert grid.sheets[0].formula_texts[0] == "FORMULA_TOO_LONG()"
    assert len(grid.sheets[0].formula_texts[1]) == 8191
    assert [notice.code for notice in grid.notices] == ["formula-too-long"]
    assert "--max-formula-length" in grid.notices[0].message
    raised = read_workbook(packages.book(rows), budgets=replace(Budgets(), formula_length=10_000))
    assert not raised.notices


def test_unknown_formula_type_is_read_as_plain() -> None:
    grid = read(packages.row(1, '<c r="A1"><f t="new">B1</f><v>1</v></c>'))
    assert grid.sheets[0].formula_texts == ["B1"]
    assert [notice.code for notice in grid.notices] == ["unknown-formula-type"]


@pytest.mark.parametrize(
    "text", ["__import__('os')", "{0.__class__}", "%s%n", "cmd|'/c calc'!A1", 'WEBSERVICE("http://x")']
)
def test_text_from_the_file_is_only_text(text: str) -> None:
    escaped = text.replace('"', "&quot;")
    book = packages.workbook(f'<sheet name="{escaped}" sheetId="1" r:id="rId1"/>')
    rows = packages.row(1, f'<c r="A1"><f>{text}</f><v>{text}</v></c>')
    grid = read_workbook(packages.pack({**packages.parts(rows), "xl/workbook.xml": book}))
    assert grid.sheets[0].name == text
    assert grid.sheets[0].formula_texts == [text]
    assert text[:10] in grid.notices[0].message
