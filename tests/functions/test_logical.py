"""IF and its family, AND, OR, XOR, NOT."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import Plain, calculate
from tests.functions.tables import Row, check, ids

CELLS: dict[str, Plain] = {
    "A1": 1.0, "A2": 2.0, "A3": 3.0, "A4": "Yes", "A5": True, "A6": "#N/A", "B1": 10.0, "B2": 20.0, "B3": 30.0,
    "C2": 23.0, "C3": 45.0, "C4": 12.0, "C5": 10.0,
}  # fmt: skip

ROWS: list[Row] = [
    ('=IF(A4="Yes",1,2)', 1.0, "M IF"),
    ('=IF(A4="yes",1,2)', 1.0, "R comparisons know no case"),
    ("=IF(A1>A2,1)", False, "R IF: FALSE where value_if_false is left out"),
    ("=IF(A1<A2,,1)", 0.0, "R IF: 0 where an argument is empty"),
    ("=IF(A1>A2,1,)", 0.0, "R IF: 0 where an argument is empty"),
    ("=IF(TRUE,1,1/0)", 1.0, "R IF evaluates one branch"),
    ("=IF(1/0,1,2)", "#DIV/0!", "R the condition's error"),
    ('=IF("abc",1,2)', "#VALUE!", "R a text that is no truth value"),
    ('=IF("TRUE",1,2)', 1.0, "R the text TRUE counts"),
    ("=IF(D9,1,2)", 2.0, "R an empty cell is FALSE"),
    ("=IF(-0.5,1,2)", 1.0, "R every number but 0 is TRUE"),
    ("=IF(A1:A3>1,A1:A3,-A1:A3)", [[-1.0], [2.0], [3.0]], "H"),
    ("=IF({TRUE,FALSE},{1;2},9)", [[1.0, 9.0], [2.0, 9.0]], "H"),
    ("=IF({TRUE,FALSE},1,1/0)", [[1.0, "#DIV/0!"]], "H"),
    ("=SUM(IF(A1:A3>1,B1:B3))", 50.0, "H"),
    ("=IFERROR(1/0,\"caught\")", "caught", "R IFERROR"),
    ("=IFERROR(A6,5)", 5.0, "R IFERROR"),
    ("=IFERROR(A1,1/0)", 1.0, "R the alternative is not evaluated"),
    ("=IFERROR(10/(A1:A3-1),0)", [[0.0], [10.0], [5.0]], "H"),
    ("=IFERROR(D9,7)", 0.0, "R an empty cell is no error"),
    ("=IFNA(A6,5)", 5.0, "R IFNA"),
    ("=IFNA(1/0,5)", "#DIV/0!", "R IFNA catches #N/A alone"),
    ('=IFS(A1>1,"a",A2>1,"b")', "b", "R IFS"),
    ('=IFS(A1>1,"a")', "#N/A", "R IFS: no condition is true"),
    ('=IFS(A1=1,"a",1/0,"b")', "a", "R IFS stops at the first true one"),
    ('=IFS(1/0,"a",TRUE,"b")', "#DIV/0!", "R an error before it"),
    ('=SWITCH(2,1,"Sunday",2,"Monday",3,"Tuesday","No match")', "Monday", "M SWITCH"),
    ('=SWITCH(99,1,"Sunday",2,"Monday",3,"Tuesday")', "#N/A", "M SWITCH"),
    ('=SWITCH(99,1,"Sunday",2,"Monday",3,"Tuesday","No match")', "No match", "M SWITCH"),
    ('=SWITCH("a","A",1,2)', 1.0, "R comparisons know no case"),
    ("=CHOOSE(2,C2,C3,C4)", 45.0, "M CHOOSE"),
    ("=SUM(C2:CHOOSE(2,C3,C4,C5))", 80.0, "M CHOOSE gives a reference"),
    ("=CHOOSE(2.9,1,2,3)", 2.0, "R the index is cut to a whole number"),
    ("=CHOOSE(0,1,2)", "#VALUE!", "R CHOOSE"),
    ("=CHOOSE(3,1,2)", "#VALUE!", "R CHOOSE"),
    ("=CHOOSE(1,2,1/0)", 2.0, "R only the chosen value is evaluated"),
    ("=CHOOSE({1,2},A1:A3,B1:B3)", [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]], "H"),
    ("=AND(A1>0,A2>0)", True, "R AND"),
    ("=AND(A1:A3)", True, "R AND"),
    ('=AND(A1,"abc")', "#VALUE!", "R a typed text that is no truth value"),
    ('=AND(A1,"")', True, "C AND_OR_XOR: an empty text does not count"),
    ("=AND(A4)", "#VALUE!", "R AND: no logical values"),
    ("=AND(A1,A6)", "#N/A", "R an error passes"),
    ("=OR(A1>5,A5)", True, "R OR"),
    ("=OR(D9:D10)", "#VALUE!", "R no logical values"),
    ("=XOR(TRUE,TRUE,TRUE)", True, "R XOR: an odd number"),
    ("=XOR(3>0,2<9)", False, "M XOR"),
    ("=NOT(A1)", False, "R NOT"),
    ("=NOT(A1:A3>1)", [[True], [False], [False]], "H"),
    ("=TRUE()", True, "R TRUE"),
    ('="a"="A"', True, "R comparisons know no case"),
    ('="_"<"1"', True, "R signs come before digits"),
    ('="9"<"a"', True, "R digits come before letters"),
    ('="é"<"f"', True, "R an accented letter stands by its plain one"),
    ('="co-op"<"coop"', False, "R a hyphen counts only where all else is equal"),
    ('={"b","a";"c","B"}>"B"', [[False, False], [True, False]], "H"),
    ('=D9=""', True, "R an empty cell is an empty text beside a text"),
    ("=D9=0", True, "R an empty cell is 0 beside a number"),
    ('="a">1', True, "R texts come after numbers"),
    ('=TRUE>"zzz"', True, "R logicals come after texts"),
    ("=FALSE()", False, "R FALSE"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_rows(row: Row) -> None:
    check(row, CELLS)


def test_a_lacking_function_is_not_caught() -> None:
    """What the engine lacks is not an error of Excel's: IFERROR must not hide it."""
    assert calculate('=IFERROR(WEBSERVICE("x"),1)') == "not computed: WEBSERVICE"


def test_a_lacking_function_in_the_other_branch_does_no_harm() -> None:
    assert calculate('=IF(TRUE,1,WEBSERVICE("x"))') == 1.0


def test_an_unknown_name_is_excels_error() -> None:
    """A cached value of the corpus: ``=IFERROR(XYZ(1), "caught")``."""
    assert calculate('=IFERROR(XYZ(1),"caught")') == "caught"
    assert calculate("=XYZ(1)") == "#NAME?"


def test_nested_iferror_evaluates_each_level_once() -> None:
    """Sixty levels over an array with errors: twice a level would never end."""
    formula = "1/{0,1}"
    for _ in range(60):
        formula = f"IFERROR({formula}/{{0,1}},1/{{0,1}})"
    assert calculate(f"={formula}") == [["#DIV/0!", 1.0]]
