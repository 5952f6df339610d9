"""LET, LAMBDA and the functions that take one."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import Plain, calculate
from tests.functions.tables import Row, check, ids
from xlsx_attention.errors import NotComputed

CELLS: dict[str, Plain] = {
    "A1": 1.0, "B1": 2.0, "C1": 3.0, "A2": 4.0, "B2": 5.0, "C2": 6.0, "D1": "a", "D2": "b", "E1": "#N/A",
}  # fmt: skip

ROWS: list[Row] = [
    ("=LET(x,5,SUM(x,1))", 6.0, "M LET"),
    ("=LET(x,2,y,x*3,x+y)", 8.0, "R a value may use the names before it"),
    ("=LET(x,1/0,5)", 5.0, "R an unused error does no harm"),
    ("=LET(x,1,y)", "#NAME?", "H"),
    ("=LET(r,A1:C2,ROWS(r))", 2.0, "R a reference stays one"),
    ("=LET(_xlpm.x,2,_xlpm.x^2)", 4.0, "R names as files store them"),
    ("=LAMBDA(a,b,SQRT(a^2+b^2))(3,4)", 5.0, "M LAMBDA"),
    ("=LAMBDA(x,x+1)", "#CALC!", "R a LAMBDA alone in a cell"),
    ("=LAMBDA(x,x+1)(1,2)", "#VALUE!", "R too many arguments"),
    ("=LAMBDA(x,y,x+y)(1)", "#VALUE!", "R too few arguments"),
    ("=LAMBDA(x,[y],IF(ISOMITTED(y),x,x+y))(3)", 3.0, "R an optional parameter"),
    ("=LAMBDA(_xlpm.x,_xlop.y,IF(ISOMITTED(_xlpm.y),_xlpm.x,_xlpm.x+_xlpm.y))(3)", 3.0, "R as files store it"),
    ("=LAMBDA(x,[y],IF(ISOMITTED(y),x,x+y))(3,4)", 7.0, "R an optional parameter"),
    ("=LET(f,LAMBDA(x,LAMBDA(y,x*y)),f(3)(4))", 12.0, "H a LAMBDA that gives a LAMBDA"),
    ("=LET(k,10,f,LAMBDA(x,x+k),LET(k,1,f(1)))", 11.0, "R a LAMBDA keeps the variables that it saw"),
    ("=MAP(A1:C2,LAMBDA(a,IF(a>4,a*a,a)))", [[1.0, 2.0, 3.0], [4.0, 25.0, 36.0]], "M MAP"),
    ("=MAP({1,2},{10,20,30},LAMBDA(a,b,a+b))", [[11.0, 22.0, "#N/A"]], "R sizes that differ"),
    ("=MAP(A1:C1,LAMBDA(a,A1:B1))", [["#CALC!", "#CALC!", "#CALC!"]], "R an array for one element"),
    ("=BYROW(A1:C2,LAMBDA(r,MAX(r)))", [[3.0], [6.0]], "M BYROW"),
    ("=BYROW(A1:C2,SUM)", [[6.0], [15.0]], "R a function's bare name"),
    ("=BYROW(A1:C2,_xleta.SUM)", [[6.0], [15.0]], "R as files store it"),
    ("=BYCOL(A1:C2,LAMBDA(c,MAX(c)))", [[4.0, 5.0, 6.0]], "M BYCOL"),
    ("=BYROW(A1:C2,LAMBDA(r,COLUMNS(r)))", [[3.0], [3.0]], "R a row of a reference is a reference"),
    ("=REDUCE(,A1:C2,LAMBDA(a,b,a+b^2))", 91.0, "M REDUCE: 1 + 4 + 9 + 16 + 25 + 36"),
    ("=REDUCE(0,A1:C2,SUM)", 21.0, "R a function's bare name"),
    ('=REDUCE("",D1:D2,LAMBDA(a,b,a&b))', "ab", "H"),
    ("=SCAN(1,A1:C2,LAMBDA(a,b,a*b))", [[1.0, 2.0, 6.0], [24.0, 120.0, 720.0]], "M SCAN"),
    ('=SCAN("",{"a","b","c"},LAMBDA(a,b,a&b))', [["a", "ab", "abc"]], "M SCAN"),
    ("=MAKEARRAY(2,3,LAMBDA(r,c,r*c))", [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]], "M MAKEARRAY"),
    ("=MAKEARRAY(0,3,LAMBDA(r,c,1))", "#VALUE!", "R a size below 1"),
    ("=MAP(E1,LAMBDA(x,IFERROR(x,0)))", 0.0, "R an error as an element"),
    ("=REDUCE(0,A1:C2,5)", "#VALUE!", "R not a LAMBDA"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_rows(row: Row) -> None:
    check(row, CELLS)


def test_a_name_may_hold_a_lambda_that_calls_itself() -> None:
    """10! by hand."""
    names = {"FACTORIAL": "LAMBDA(n,IF(n<2,1,n*FACTORIAL(n-1)))"}
    assert calculate("=FACTORIAL(10)", names=names) == 3_628_800.0


def test_recursion_without_end_is_refused() -> None:
    with pytest.raises(NotComputed, match="recursion"):
        calculate("=FOREVER(1)", names={"FOREVER": "LAMBDA(n,FOREVER(n+1))"})
