"""IS functions, N, TYPE, ERROR.TYPE and the like."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import Plain
from tests.functions.tables import Row, check, ids

CELLS: dict[str, Plain] = {"A1": 7.0, "A2": "Even", "A3": True, "A4": "#N/A", "A5": "#DIV/0!", "A6": ""}

ROWS: list[Row] = [
    ("=ISBLANK(B1)", True, "R"),
    ("=ISBLANK(A6)", False, "R an empty text is no empty cell"),
    ("=ISNUMBER(A1)", True, "R"),
    ('=ISNUMBER("19")', False, "R a text stays a text"),
    ("=ISTEXT(A2)", True, "R"),
    ("=ISNONTEXT(B1)", True, "R"),
    ("=ISLOGICAL(TRUE)", True, "M IS functions"),
    ('=ISLOGICAL("TRUE")', False, "M IS functions"),
    ("=ISERROR(A4)", True, "R"),
    ("=ISERR(A4)", False, "M IS functions: all errors but #N/A"),
    ("=ISERR(A5)", True, "R"),
    ("=ISNA(A4)", True, "M IS functions"),
    ("=ISNA(A5)", False, "M IS functions"),
    ("=ISNUMBER(A1:A3)", [[True], [False], [False]], "H"),
    ("=ISEVEN(-1)", False, "M ISEVEN"),
    ("=ISEVEN(2.5)", True, "M ISEVEN"),
    ("=ISEVEN(5)", False, "M ISEVEN"),
    ("=ISEVEN(0)", True, "M ISEVEN"),
    ("=ISODD(2.5)", False, "M ISODD"),
    ("=ISODD(-1)", True, "M ISODD"),
    ("=ISODD(A3)", "#VALUE!", "R no logicals"),
    ('=ISODD("x")', "#VALUE!", "R"),
    ("=NA()", "#N/A", "R"),
    ("=N(A1)", 7.0, "M N"),
    ("=N(A2)", 0.0, "M N"),
    ("=N(A3)", 1.0, "M N"),
    ("=N(A4)", "#N/A", "R"),
    ("=TYPE(A1)", 1.0, "R"),
    ("=TYPE(A2)", 2.0, "M TYPE"),
    ('=TYPE(2+"Mr. Smith")', 16.0, "M TYPE"),
    ("=TYPE({1,2;3,4})", 64.0, "M TYPE"),
    ("=TYPE(LAMBDA(x,x))", 128.0, "R a compound value"),
    ("=ERROR.TYPE(A5)", 2.0, "M ERROR.TYPE"),
    ("=ERROR.TYPE(A4)", 7.0, "R"),
    ("=ERROR.TYPE(A1)", "#N/A", "R no error"),
    ('=HYPERLINK("http://example.com","Click")', "Click", "R the friendly name"),
    ('=HYPERLINK("http://example.com")', "http://example.com", "R the link's text"),
    ('=IFERROR(__xludf.DUMMYFUNCTION("GOOGLEFINANCE()"),42)', 42.0, "R as Google Sheets exports it"),
    ('=ISERROR(WEBSERVICE("x"))', "not computed: WEBSERVICE", "R what is lacking is no error"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_rows(row: Row) -> None:
    check(row, CELLS)
