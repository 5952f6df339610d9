"""SEQUENCE, SORT, FILTER, UNIQUE and the functions that cut arrays and put them together."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import Plain, calculate
from tests.functions.tables import Row, check, ids

CELLS: dict[str, Plain] = {
    "A1": 1.0, "B1": 2.0, "C1": 3.0, "A2": 4.0, "B2": 5.0, "C2": 6.0, "A3": 7.0, "B3": 8.0, "C3": 9.0,
    "E1": 3.0, "E2": "b", "E3": True, "E4": 1.0, "E5": "A", "E6": None, "E7": "#N/A", "E8": "a",
}  # fmt: skip

ROWS: list[Row] = [
    ("=SEQUENCE(2,3)", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "R SEQUENCE"),
    ("=SEQUENCE(3,1,0,-2)", [[0.0], [-2.0], [-4.0]], "R"),
    ("=SEQUENCE(0)", "#CALC!", "R"),
    ("=SEQUENCE(-1)", "#VALUE!", "R"),
    ("=TAKE(A1:C3,2)", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "M TAKE"),
    ("=TAKE(A1:C3,,2)", [[1.0, 2.0], [4.0, 5.0], [7.0, 8.0]], "M TAKE"),
    ("=TAKE(A1:C3,-2)", [[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], "M TAKE"),
    ("=TAKE(A1:C3,2,2)", [[1.0, 2.0], [4.0, 5.0]], "M TAKE"),
    ("=TAKE(A1:C3,0)", "#CALC!", "R"),
    ("=DROP(A1:C3,2)", [[7.0, 8.0, 9.0]], "M DROP"),
    ("=DROP(A1:C3,,2)", [[3.0], [6.0], [9.0]], "M DROP"),
    ("=DROP(A1:C3,-2)", [[1.0, 2.0, 3.0]], "M DROP"),
    ("=DROP(A1:C3,2,2)", 9.0, "M DROP"),
    ("=DROP(A1:C3,3)", "#CALC!", "R nothing is left"),
    ("=CHOOSEROWS(A1:C3,-1,1)", [[7.0, 8.0, 9.0], [1.0, 2.0, 3.0]], "R"),
    ("=CHOOSECOLS(A1:C3,{3,1})", [[3.0, 1.0], [6.0, 4.0], [9.0, 7.0]], "R"),
    ("=CHOOSEROWS(A1:C3,4)", "#VALUE!", "R"),
    ("=EXPAND(A1:B2,3,3)", [[1.0, 2.0, "#N/A"], [4.0, 5.0, "#N/A"], ["#N/A"] * 3], "M EXPAND"),
    ('=EXPAND(A1,2,2,"-")', [[1.0, "-"], ["-", "-"]], "M EXPAND"),
    ("=EXPAND(A1:C3,2)", "#VALUE!", "R a smaller size"),
    ("=HSTACK(A1:A2,C1:C3)", [[1.0, 3.0], [4.0, 6.0], ["#N/A", 9.0]], "R"),
    ("=VSTACK(A1:B1,C1)", [[1.0, 2.0], [3.0, "#N/A"]], "R"),
    ("=TOROW(A1:B2)", [[1.0, 2.0, 4.0, 5.0]], "R row by row"),
    ("=TOCOL(A1:B2,0,TRUE)", [[1.0], [4.0], [2.0], [5.0]], "R column by column"),
    ("=TOCOL(E5:E8,3)", [["A"], ["a"]], "R without empty cells and errors"),
    ("=WRAPROWS(A1:C1,2)", [[1.0, 2.0], [3.0, "#N/A"]], "R"),
    ("=WRAPCOLS(A1:C1,2,0)", [[1.0, 3.0], [2.0, 0.0]], "R"),
    ("=WRAPROWS(A1:C2,2)", "#VALUE!", "R a rectangle"),
    ("=WRAPROWS(A1:C1,0)", "#NUM!", "R"),
    ("=SORT({3;1;2})", [[1.0], [2.0], [3.0]], "R"),
    ("=SORT({3;1;2},,-1)", [[3.0], [2.0], [1.0]], "R"),
    ("=SORT({3,1,2},,,TRUE)", [[1.0, 2.0, 3.0]], "R by columns"),
    ("=SORT({1,2;2,1;1,1},{1,2},{1,-1})", [[1.0, 2.0], [1.0, 1.0], [2.0, 1.0]], "R several keys"),
    ("=SORT(E1:E7)", [[1.0], [3.0], ["A"], ["b"], [True], ["#N/A"], [0.0]], "R kinds in order, empty cells last"),
    ('=SORT({"co-op";"coop";"b";"_";"1"})', [["_"], ["1"], ["b"], ["coop"], ["co-op"]], "R signs, digits, letters"),
    ('=SORT({"é";"f";"e"})', [["e"], ["é"], ["f"]], "R an accented letter after its plain one"),
    ("=SORTBY({1;2;3},{3;1;2})", [[2.0], [3.0], [1.0]], "R"),
    ("=SORTBY({1;2;3},{1;1;2},-1,{5;4;3},1)", [[3.0], [2.0], [1.0]], "R several keys"),
    ("=SORTBY({1;2;3},{1;2})", "#VALUE!", "R sizes that differ"),
    ("=SORT({1;2},3)", "#VALUE!", "R no such column"),
    ("=FILTER(A1:C3,A1:A3>1)", [[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], "R"),
    ("=FILTER(A1:C3,A1:C1>1)", [[2.0, 3.0], [5.0, 6.0], [8.0, 9.0]], "R columns"),
    ("=FILTER(A1:C3,A1:A3>9)", "#CALC!", "R none"),
    ('=FILTER(A1:C3,A1:A3>9,"none")', "none", "R none"),
    ("=FILTER(A1:C3,{1;0})", "#VALUE!", "R sizes that differ"),
    ("=FILTER(A1:C3,E7)", "#VALUE!", "R sizes that differ"),
    ('=UNIQUE({"a";"A";"b";"a"})', [["a"], ["b"]], "R no case"),
    ('=UNIQUE({"a";"A";"b";"a"},,TRUE)', "b", "R those that appear once"),
    ("=UNIQUE({1,1,2},TRUE)", [[1.0, 2.0]], "R by columns"),
    ('=UNIQUE({1;"1";1})', [[1.0], ["1"]], "R a text is no number"),
    ("=UNIQUE({1,2;1,2;1,3})", [[1.0, 2.0], [1.0, 3.0]], "R whole rows"),
    ("=UNIQUE({1;1},,TRUE)", "#CALC!", "R none"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_rows(row: Row) -> None:
    check(row, CELLS)


@pytest.mark.parametrize(
    "formula",
    ["=SEQUENCE(1048576,16384)", "=EXPAND(1,1048576,16384,0)", "=MAKEARRAY(1048576,16384,LAMBDA(r,c,1))"],
)
def test_an_array_past_the_budget_is_refused_before_it_is_made(formula: str) -> None:
    result = calculate(formula)
    assert isinstance(result, str)
    assert result.startswith("not computed: elements of the arrays that one step needs: found 17,179,869,18")
