"""Functions that take arrays compute what stands in them as in an array formula, also in a cell without one.

``SUMPRODUCT(LEN(A1:A10))`` counts characters in every spreadsheet program without Ctrl+Shift+Enter; LibreOffice 7.4
gives these values for cells stored without an array. ``SUM(EXP(A1:C1))`` in such a cell takes the cell that stands
level.
"""

from __future__ import annotations

import math

import pytest

from tests.functions.evaluate import Plain, calculate

CELLS: dict[str, Plain] = {"A1": 1.0, "B1": 2.0, "C1": 3.0, "A2": 1.0, "A3": 4.0, "A5": "ab", "B5": "c", "C5": "def"}
E = math.exp(1) + math.exp(2) + math.exp(3)


@pytest.mark.parametrize("at", ["A9", "Z100"])
@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("=SUMPRODUCT(EXP(A1:C1))", E),
        ("=LN(SUMPRODUCT(EXP(A1:C1)))", math.log(E)),
        ("=EXP(A1)/SUMPRODUCT(EXP(A1:C1))", math.e / E),
        ("=SUMPRODUCT(LEN(A5:C5))", 6.0),
        ("=SUMPRODUCT(ROUND(A1:C1/3,1))", 2.0),
        ("=SUMPRODUCT(A1:C1,EXP(A1:C1))", math.exp(1) + 2 * math.exp(2) + 3 * math.exp(3)),
        ("=SUMPRODUCT(TRANSPOSE(A1:A3),A1:C1)", 1.0 + 0.0 + 12.0),
        ("=SUMPRODUCT(EXP(A1:C1-MAX(A1:C1)))", 1 + math.exp(-1) + math.exp(-2)),
        ("=MMULT(ABS(A1:C1),TRANSPOSE(A1:C1))", 14.0),
    ],
)
def test_a_function_that_takes_arrays(formula: str, value: float, at: str) -> None:
    cells = {**CELLS, "A2": 0.0} if "A1:A3" in formula else CELLS
    assert calculate(formula, cells, at=at, mode="plain") == pytest.approx(value, rel=1e-14)


def test_a_function_that_takes_ranges_still_intersects() -> None:
    assert calculate("=SUM(EXP(A1:C1))", CELLS, at="B9", mode="plain") == pytest.approx(math.exp(2), rel=1e-14)
    assert calculate("=SUM(EXP(A1:C1))", CELLS, at="Z100", mode="plain") == "#VALUE!"
