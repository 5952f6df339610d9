"""ROW, COLUMN, ROWS, COLUMNS, AREAS, OFFSET, INDIRECT, ADDRESS."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import Plain, grid_of
from tests.functions.tables import Row, check, ids
from xlsx_attention.compiling.resolve import Resolver
from xlsx_attention.compiling.survey import make_step
from xlsx_attention.model.address import Rect
from xlsx_attention.model.formula import Block, FormulaForm
from xlsx_attention.model.plan import Step
from xlsx_attention.parsing import parse

CELLS: dict[str, Plain] = {
    "A1": 1.0, "A2": 2.0, "A3": 3.0, "B1": 10.0, "B2": 20.0, "B3": 30.0, "C1": "B2", "C2": "R2C2",
    "C3": "nothing here!", "D1": 5.0,
}  # fmt: skip

ROWS: list[Row] = [
    ("=ROW()", 100.0, "R the formula's own row: Z100"),
    ("=COLUMN()", 26.0, "R the formula's own column: Z100"),
    ("=ROW(C10)", 10.0, "M ROW"),
    ("=COLUMN(D10)", 4.0, "M COLUMN"),
    ("=ROW(C4:D6)", [[4.0], [5.0], [6.0]], "M ROW"),
    ("=COLUMN(C4:D6)", [[3.0, 4.0]], "M COLUMN"),
    ("=ROW(OFFSET(A1,4,0))", 5.0, "H"),
    ("=SUMPRODUCT(ROW(1:10))", 55.0, "H 1 + … + 10"),
    ("=ROWS(C1:E4)", 4.0, "M ROWS"),
    ("=ROWS({1,2,3;4,5,6})", 2.0, "M ROWS"),
    ("=COLUMNS(C1:E4)", 3.0, "M COLUMNS"),
    ("=COLUMNS({1,2,3;4,5,6})", 3.0, "M COLUMNS"),
    ("=ROWS(A:A)", 1_048_576.0, "R the sheet's size"),
    ("=COLUMNS(1:1)", 16_384.0, "R the sheet's size"),
    ("=AREAS(B2:D4)", 1.0, "M AREAS"),
    ("=AREAS((B2:D4,E5,F6:I9))", 3.0, "M AREAS"),
    ("=AREAS(B2:D4 B2)", 1.0, "M AREAS"),
    ("=OFFSET(A1,1,1)", 20.0, "R OFFSET"),
    ("=SUM(OFFSET(A1:B1,1,0,2))", 55.0, "R width as it was: 2 + 20 + 3 + 30"),
    ("=SUM(OFFSET(A3,0,0,-2))", 5.0, "R a negative height runs up"),
    ("=OFFSET(A1,-1,0)", "#REF!", "R off the sheet (also a cached value of the corpus)"),
    ("=OFFSET(A1,0,0,0)", "#REF!", "R a size of 0"),
    ("=OFFSET(1,0,0)", "#VALUE!", "R no reference"),
    ('=INDIRECT("B2")', 20.0, "M INDIRECT"),
    ("=INDIRECT(C1)", 20.0, "M INDIRECT"),
    ("=INDIRECT(C2,)", 20.0, "R a1 left empty is FALSE"),
    ("=INDIRECT(C2,FALSE)", 20.0, "R R1C1 style"),
    ('=INDIRECT("R[-99]C[-25]",FALSE)', 1.0, "R seen from Z100"),
    ('=SUM(INDIRECT("A1:A3"))', 6.0, "R"),
    ('=SUM(INDIRECT("Sheet1!A1:B1"))', 11.0, "R"),
    ('=INDIRECT("Nowhere!A1")', "#REF!", "R"),
    ("=INDIRECT(C3)", "#REF!", "R no reference"),
    ('=INDIRECT("A1048577")', "#REF!", "R off the sheet"),
    ('=SUM(INDIRECT("mine"))', 6.0, "R a defined name"),
    ("=ADDRESS(2,3)", "$C$2", "M ADDRESS"),
    ("=ADDRESS(2,3,2)", "C$2", "M ADDRESS"),
    ("=ADDRESS(2,3,2,FALSE)", "R2C[3]", "M ADDRESS"),
    ('=ADDRESS(2,3,1,FALSE,"[Book1]Sheet1")', "'[Book1]Sheet1'!R2C3", "M ADDRESS"),
    ('=ADDRESS(2,3,1,FALSE,"EXCEL SHEET")', "'EXCEL SHEET'!R2C3", "M ADDRESS"),
    ("=ADDRESS(0,1)", "#VALUE!", "R off the sheet"),
    ("=SHEET()", 1.0, "R"),
    ("=SHEETS()", 1.0, "R"),
    ('=SHEET("sheet1")', 1.0, "R no case"),
    ('=SHEET("other")', "#N/A", "R"),
    ('=CELL("address",B2:B3)', "$B$2", "R the first cell"),
    ('=CELL("row")', 100.0, "R the formula's own cell"),
    ('=CELL("contents",B2)', 20.0, "R"),
    ('=CELL("colour",B2)', "#VALUE!", "R an unknown word"),
    ("=ISREF(A1)", True, "R"),
    ("=ISREF(OFFSET(A1,-1,0))", False, "R an error is no reference"),
    ("=ISREF(1)", False, "R"),
    ("=ISFORMULA(A1)", False, "R"),
    ("=FORMULATEXT(A1)", "#N/A", "R no formula"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_rows(row: Row) -> None:
    check(row, CELLS, names={"mine": "Sheet1!$A$1:$A$3"})


@pytest.mark.parametrize(
    "formula",
    ["ROW(Z100)", "COLUMNS(A1:Z100)", "ISREF(Z100)", "ISFORMULA(Z100)", 'CELL("col",Z100)', "SUM(ROW(Z99:Z100))"],
)
def test_asking_where_a_cell_lies_reads_nothing(formula: str) -> None:
    """``=ROW(Z100)`` in Z100 is no circle in Excel (C CELL.xlsx, FORMULATEXT.xlsx: cells that name themselves)."""
    assert step_of(formula).reads == ()


def test_asking_what_a_cell_holds_reads_it() -> None:
    assert [read.rect.a1 for read in step_of('CELL("contents",A1)+SUM(ROW(A2),A3)').reads] == ["A1", "A3"]


def step_of(formula: str) -> Step:
    grid = grid_of({**CELLS, "Z100": 1.0})
    place = Rect.parse("Z100")
    tree = parse(formula, place.top, place.left)
    resolver = Resolver(grid, {})
    resolved = resolver.resolve(tree, 0, place.top, place.left)
    return make_step(0, Block(0, place, FormulaForm(formula, tree), "dynamic", formula), resolved, grid, {})
