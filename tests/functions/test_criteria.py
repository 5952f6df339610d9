"""Criteria, subtotals and counts over cells."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import Plain, calculate

# Microsoft's page on SUMIF.
PROPERTIES: dict[str, Plain] = {
    "A2": 100000.0, "A3": 200000.0, "A4": 300000.0, "A5": 400000.0,
    "B2": 7000.0, "B3": 14000.0, "B4": 21000.0, "B5": 28000.0, "C2": 250000.0,
}  # fmt: skip
# Microsoft's page on COUNTIF.
FRUIT: dict[str, Plain] = {
    "A2": "apples", "A3": "oranges", "A4": "peaches", "A5": "apples",
    "B2": 32.0, "B3": 54.0, "B4": 75.0, "B5": 86.0,
}  # fmt: skip
# Microsoft's page on AVERAGEIFS.
GRADES: dict[str, Plain] = {
    "A2": "Emilio", "A3": "Julie", "A4": "Hans", "A5": "Frederique",
    "B2": 75.0, "B3": 94.0, "B4": 86.0, "B5": "Incomplete",
}  # fmt: skip
KINDS: dict[str, Plain] = {
    "A1": 1.0, "A2": "1", "A3": True, "A4": "", "A6": "a*", "A7": "abc", "A8": "#N/A", "A9": -1.0,
}  # fmt: skip

ROWS: list[tuple[str, dict[str, Plain], Plain]] = [
    ('=SUMIF(A2:A5,">160000",B2:B5)', PROPERTIES, 63000.0),
    ('=SUMIF(A2:A5,">160000")', PROPERTIES, 900000.0),
    ("=SUMIF(A2:A5,300000,B2:B5)", PROPERTIES, 21000.0),
    ('=SUMIF(A2:A5,">" & C2,B2:B5)', PROPERTIES, 49000.0),
    # The range of values has the shape of the tested range, whatever its own (same page).
    ('=SUMIF(A2:A5,">160000",B2)', PROPERTIES, 63000.0),
    ('=COUNTIF(A2:A5,"apples")', FRUIT, 2.0),
    ("=COUNTIF(A2:A5,A4)", FRUIT, 1.0),
    ('=COUNTIF(B2:B5,">55")', FRUIT, 2.0),
    ('=COUNTIF(B2:B5,"<>"&B4)', FRUIT, 3.0),
    ('=COUNTIF(B2:B5,">=32")-COUNTIF(B2:B5,">85")', FRUIT, 3.0),
    ('=COUNTIF(A2:A5,"*")', FRUIT, 4.0),
    ('=COUNTIF(A2:A5,"?????es")', FRUIT, 2.0),
    ('=COUNTIFS(A2:A5,"apples",B2:B5,">50")', FRUIT, 1.0),
    ('=COUNTIFS(A2:A5,"apples",B2:B4,">50")', FRUIT, "#VALUE!"),
    ('=AVERAGEIFS(B2:B5,B2:B5,">70",B2:B5,"<90")', GRADES, 80.5),
    ('=AVERAGEIFS(B2:B5,B2:B5,">95")', GRADES, "#DIV/0!"),
    ('=MAXIFS(B2:B5,A2:A5,"*e*")', GRADES, 94.0),
    ('=MINIFS(B2:B5,A2:A5,"z*")', GRADES, 0.0),
    # By hand, from the rules on Microsoft's pages and Excel's values in IronCalc's COUNTIF.xlsx.
    ("=COUNTIF(A1:A9,1)", KINDS, 2.0),
    ('=COUNTIF(A1:A9,">0")', KINDS, 1.0),
    ("=COUNTIF(A1:A9,TRUE)", KINDS, 1.0),
    ('=COUNTIF(A1:A9,"=")', KINDS, 1.0),
    ('=COUNTIF(A1:A9,"")', KINDS, 2.0),
    ('=COUNTIF(A1:A9,"<>")', KINDS, 8.0),
    ('=COUNTIF(A1:A9,"a~*")', KINDS, 1.0),
    ('=COUNTIF(A1:A9,"A*")', KINDS, 2.0),
    ('=COUNTIF(A1:A9,"#N/A")', KINDS, 1.0),
    ('=COUNTIF(A:A,"<>1")', KINDS, 1048575.0),
    ('=SUM(COUNTIF(A1:A9,{1,-1}))', KINDS, 3.0),
    ("=COUNT(A1:A9)", KINDS, 2.0),
    ("=COUNTA(A1:A9)", KINDS, 8.0),
    ("=COUNTBLANK(A1:A9)", KINDS, 2.0),
    ("=COUNTBLANK(A:A)", KINDS, 1048569.0),
    ("=COUNTIF((A1:A2,A4:A5),1)", KINDS, "#VALUE!"),
    ('=COUNT("1",TRUE,"x",#N/A)', KINDS, 2.0),
    ("=SUM(A1:A7)", KINDS, 1.0),
    ("=SUM(A1:A9)", KINDS, "#N/A"),
    ("=AVERAGE(A2:A7)", KINDS, "#DIV/0!"),
    ("=AVERAGEA(A1:A3)", KINDS, 2 / 3),
    ("=MAXA(A2:A4)", KINDS, 1.0),
    ("=MINA(A1:A4)", KINDS, 0.0),
    ("=VARPA(A1:A3)", KINDS, 2 / 9),
    ("=MAX(A2:A4)", KINDS, 0.0),
    ("=SUMPRODUCT(A1:A7,A1:A7)", KINDS, 1.0),
    ("=SUMPRODUCT(--(A1:A7=1))", KINDS, 1.0),
    # SUBTOTAL and AGGREGATE by hand, on 120, 10, 150, 23 (Microsoft's page on SUBTOTAL).
    ("=SUBTOTAL(9,A2:A5)", {"A2": 120.0, "A3": 10.0, "A4": 150.0, "A5": 23.0}, 303.0),
    ("=SUBTOTAL(1,A2:A5)", {"A2": 120.0, "A3": 10.0, "A4": 150.0, "A5": 23.0}, 75.75),
    ("=SUBTOTAL(12,A2:A5)", {"A2": 120.0}, "#VALUE!"),
    ("=AGGREGATE(4,6,A1:A3)", {"A1": 82.0, "A2": "#NUM!", "A3": 96.0}, 96.0),
    ("=AGGREGATE(14,6,A1:A4,3)", {"A1": 72.0, "A2": "#NUM!", "A3": 96.0, "A4": 30.0}, 30.0),
    ("=AGGREGATE(12,4,A1:A3)", {"A1": 82.0, "A2": "#NUM!", "A3": 96.0}, "#NUM!"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "cells", "expected"), ROWS)
def test_cells_that_meet_a_criterion(formula: str, cells: dict[str, Plain], expected: Plain) -> None:
    value = calculate(formula, cells)
    if isinstance(expected, float) and isinstance(value, float):
        assert value == pytest.approx(expected, rel=1e-15)
    else:
        assert value == expected


@pytest.mark.parametrize(
    "formula",
    [
        '=SUM(A1,WEBSERVICE("x"))',
        '=SUMIF(A1:A2,1)+WEBSERVICE("x")',
        '=MEDIAN({1,2},WEBSERVICE("x"))',
        '=QUOTIENT(WEBSERVICE("x"),2)',
        '=CORREL({1,2},WEBSERVICE("x")+{1,2})',
        '=MMULT({1,2},{1;1}*WEBSERVICE("x"))',
        '=SUMPRODUCT({1,2},{1,2}*WEBSERVICE("x"))',
        '=LARGE({1,2}*WEBSERVICE("x"),1)',
        '=MDETERM(WEBSERVICE("x")*{1,2;3,4})',
    ],
)
def test_what_is_not_computed_passes_with_its_reason(formula: str) -> None:
    assert calculate(formula, {"A1": 1.0, "A2": 2.0}) == "not computed: WEBSERVICE"
