"""Both runners give the same bits for spills, for what reads spills, and for LET and LAMBDA, named and filled."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.formula.translate import Translator

from tests.functions.evaluate import grid_of
from tests.running.test_slow_runner import NUMBERS, VALUES, compare
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.grid import ArrayFormula, Sheet, WorkbookGrid
from xlsx_attention.model.values import Plane

CONSTANTS = st.lists(VALUES, min_size=24, max_size=24)
#: Names that hold LAMBDAs: plain, optional argument, one calling another, one calling itself.
NAMES = {
    "scale": "LAMBDA(x,k,x*k+1)",
    "softplus": "LAMBDA(x,IF(x>5,x,LN(1+EXP(x))))",
    "both": "LAMBDA(x,y,scale(softplus(x),y))",
    "power": "LAMBDA(x,n,IF(n<=0,1,x*power(x,n-1)))",
    "total": "LAMBDA(range,SUM(range)/COUNT(range))",
}
#: Formulas of one value a cell, as the first cell of a fill at F2 has them.
SINGLE = [
    "scale({0},{1})", "both({0},{1})", "power({0},3)", "total({2})", "LET(x,{0},y,{1},x*y-x)", "LET(r,{2},SUM(r*r))",
    "LET(f,LAMBDA(a,a+{0}),f({1}))", "SUM(MAP({2},LAMBDA(v,scale(v,2))))", "REDUCE(0,{2},LAMBDA(a,v,a*0.5+v))",
    "SUM(BYROW({2},LAMBDA(r,MAX(r))))", "SUM(MAKEARRAY(2,3,LAMBDA(i,j,i*{0}+j)))", "LAMBDA(x,x^2)({0})",
]  # fmt: skip
#: Formulas that give arrays.
SPILLING = [
    "{2}*{0}", "{2}+{3}", "TRANSPOSE({2})", "MAP({2},LAMBDA(v,v/2))", "SCAN(0,{2},LAMBDA(a,v,a+v))",
    "MMULT({2},TRANSPOSE({2}))", "SEQUENCE(3,2,{0})", "IF({2}>1,{2},0)", "LET(m,{2},EXP(m-MAX(m)))",
    "BYROW({2},LAMBDA(r,SUM(r)))", "VSTACK({2},{3})", "SORT({2})", "TAKE({2},2)",
]  # fmt: skip
CELLS = st.sampled_from(["A1", "$A1", "B$2", "$C$3", "D4"])
RANGES = st.sampled_from(["A1:B3", "$A$1:$B$3", "A$1:C$3", "B2:C4", "A1:A4"])


def sheet_with(
    values: list[float | str | bool | None],
    formulas: dict[tuple[int, int], str],
    arrays: dict[tuple[int, int], ArrayFormula],
) -> WorkbookGrid:
    """The constants in A1:D6 and formulas beside them, in a sheet up to L12."""
    grid = grid_of({cell_name(i // 4, i % 4): value for i, value in enumerate(values)}, NAMES)
    old = grid.sheets[0].cached
    plane = Plane.empty(Rect(0, 0, 12, 16))
    plane.write(old.rect, old.number, old.kind)
    rows, columns = zip(*formulas, strict=True)
    places = np.array(rows, np.int32), np.array(columns, np.int32)
    grid.sheets[0] = Sheet("Sheet1", 0, plane, *places, list(formulas.values()), arrays=arrays)
    return grid


@settings(max_examples=60)
@given(CONSTANTS, st.sampled_from(SINGLE), CELLS, CELLS, RANGES, st.integers(1, 3), st.integers(1, 3))
def test_named_and_unnamed_lambdas_filled(
    values: list[float | str | bool | None], formula: str, one: str, other: str, area: str, height: int, width: int
) -> None:
    text = f"={formula.format(one, other, area)}"
    places = [(1 + i, 5 + j) for i in range(height) for j in range(width)]
    filled = {(r, c): Translator(text, "A1").translate_formula(cell_name(r - 1, c - 5))[1:] for r, c in places}
    assert compare(sheet_with(values, filled, {})) == len(places)


@settings(max_examples=60)
@given(CONSTANTS, st.sampled_from(SPILLING), CELLS, RANGES, RANGES, st.integers(1, 4), st.integers(1, 4), NUMBERS)
def test_spills_of_any_size_and_what_reads_them(
    values: list[float | str | bool | None],
    formula: str,
    one: str,
    area: str,
    other: str,
    height: int,
    width: int,
    stored: float,
) -> None:
    spill = Rect(1, 5, 1 + height, 5 + width)
    # The file's own range of the spill may be smaller or larger than what the formula gives.
    formulas = {(1, 5): formula.format(one, "", area, other), (8, 5): "SUM(F2#)", (8, 6): "F2#*2", (9, 5): "SUM(F2:F4)"}
    arrays = {(1, 5): ArrayFormula(spill, "dynamic"), (8, 6): ArrayFormula(Rect.cell(8, 6), "dynamic")}
    grid = sheet_with(values, formulas, arrays)
    grid.sheets[0].cached.write(spill, np.full(spill.shape, stored), np.zeros(spill.shape, np.uint8))
    assert compare(grid) == spill.size + 3
