"""TEXT and the other ways from a number to a text and back."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import Plain, calculate
from tests.functions.tables import Row, check, ids

CELLS: dict[str, Plain] = {"A1": "2,000", "A2": True, "A3": "#N/A"}

ROWS: list[Row] = [
    ('=TEXT(1234.567,"$#,##0.00")', "$1,234.57", "M TEXT"),
    ('=TEXT(0.285,"0.0%")', "28.5%", "M TEXT"),
    ('=TEXT(4.34,"# ?/?")', "4 1/3", "M TEXT"),
    ('=TEXT(12200000,"0.00E+00")', "1.22E+07", "M TEXT"),
    ('=TEXT(1234567898,"[<=9999999]###-####;(###) ###-####")', "(123) 456-7898", "M TEXT"),
    ('=TEXT(1234,"0000000")', "0001234", "M TEXT"),
    ('=TEXT(123456,"##0° 00\' 00\'\'")', "12° 34' 56''", "M TEXT"),
    ('=TEXT(5.25,"# ??/??")', "5  1/4 ", "M number format codes: fractions of two digits"),
    ('=TEXT(0.3125,"# ?/16")', " 5/16", "H a fixed denominator"),
    ('=TEXT(1234.59,"####.#")', "1234.6", "M number format codes"),
    ('=TEXT(8.9,"#.000")', "8.900", "M number format codes"),
    ('=TEXT(0.631,"0.#")', "0.6", "M number format codes"),
    ('=TEXT(12,"#.0#")', "12.0", "M number format codes"),
    ('=TEXT(1234.568,"#.0#")', "1234.57", "M number format codes"),
    ('=TEXT(12000,"#,###")', "12,000", "M number format codes"),
    ('=TEXT(12000,"#,")', "12", "M number format codes"),
    ('=TEXT(12200000,"0.0,,")', "12.2", "M number format codes"),
    ('=TEXT(0.08,"0%")', "8%", "M number format codes"),
    ('=TEXT(2.8,"0%")', "280%", "M number format codes"),
    ('=TEXT(12345678,"##0.0E+0")', "12.3E+6", "M number format codes: multiples of three"),
    ('=TEXT(-1.5,"0.0;(0.0)")', "(1.5)", "R two sections"),
    ('=TEXT(0,"0;-0;""none""")', "none", "R three sections"),
    ('=TEXT("abc","0;-0;0;""<""@"">""")', "<abc>", "R four sections"),
    ('=TEXT("abc","0.00")', "abc", "R a text without a section of its own"),
    ('=TEXT(-0.4,"0")', "0", "C TEXT: no sign where only zeros show"),
    ('=TEXT(1/3,"General")', "0.333333333", "C TEXT"),
    ('=TEXT(123456789012,"General")', "1.23457E+11", "C TEXT"),
    ('=TEXT(12345.678,"00-00-00")', "01-23-46", "H as 00-00-00-00 in the corpus"),
    ('=TEXT(2.5,"0")', "3", "R half away from zero"),
    ('=TEXT(0.285,"0.00")', "0.29", "R half away from zero, on the decimal digits"),
    ('=TEXT(1.005,"0.00")', "1.01", "R half away from zero, on the decimal digits"),
    ('=TEXT(A1,"0.0")', "2000.0", "R a text that reads as a number"),
    ('=TEXT(A2,"0")', "TRUE", "R a logical as it is"),
    ('=TEXT(A3,"0")', "#N/A", "R an error passes"),
    ('=TEXT(5,"")', "", "R an empty format"),
    ('=TEXT(-1,"[>1]0.0;0")', "-1", "R the sign shows where a section is for all other numbers"),
    ('=TEXT(-3,"[<0](0);0")', "(3)", "R a section for negative numbers shows no sign of its own"),
    ('=TEXT(5,"0x")', "5x", "R a letter that asks for nothing stands for itself"),
    ('=TEXT(5,"0n")', "#VALUE!", "R"),
    ('=TEXT(41174,"mm###")', "#VALUE!", "C TEXT: a date with digits"),
    ('=TEXT(40909,"yyyy-mm-dd")', "2012-01-01", "H"),
    ('=TEXT(40909,"dddd, mmmm d, yyyy")', "Sunday, January 1, 2012", "H the calendar of 2012"),
    ('=TEXT(40909.5,"h:mm AM/PM")', "12:00 PM", "H"),
    ('=TEXT(40909.999999,"hh:mm:ss")', "00:00:00", "H rounded to the second"),
    ('=TEXT(0.5251157,"h:mm:ss.00")', "12:36:10.00", "H 45370.00 s"),
    ('=TEXT(1.5,"[h]:mm")', "36:00", "R elapsed hours"),
    ('=TEXT(1/48,"[mm]")', "30", "R elapsed minutes"),
    ('=TEXT(60,"yyyy-mm-dd")', "1900-02-29", "R the day that never was"),
    ('=TEXT(-1,"yyyy")', "#VALUE!", "R no date before day 0"),
    ("=FIXED(1234.567,1)", "1,234.6", "M FIXED"),
    ("=FIXED(1234.567,-1)", "1,230", "M FIXED"),
    ("=FIXED(-1234.567,-1,TRUE)", "-1230", "M FIXED"),
    ("=FIXED(44.332)", "44.33", "M FIXED"),
    ("=DOLLAR(1234.567,2)", "$1,234.57", "M DOLLAR"),
    ("=DOLLAR(1234.567,-2)", "$1,200", "M DOLLAR"),
    ("=DOLLAR(-1234.567,-2)", "($1,200)", "M DOLLAR"),
    ("=DOLLAR(-0.123,4)", "($0.1230)", "M DOLLAR"),
    ("=DOLLAR(99.888)", "$99.89", "M DOLLAR"),
    ("=DOLLARDE(1.02,16)", 1.125, "M DOLLARDE"),
    ("=DOLLARDE(1.1,32)", 1.3125, "M DOLLARDE"),
    ("=DOLLARFR(1.125,16)", 1.02, "M DOLLARFR"),
    ("=DOLLARFR(1.125,32)", 1.04, "M DOLLARFR"),
    ('=VALUE("$1,000")', 1000.0, "M VALUE"),
    ('=VALUE("16:48:00")-VALUE("12:00:00")', 0.2, "M VALUE"),
    ("=VALUE(TRUE)", "#VALUE!", "C T_VALUE_VALUETOTEXT"),
    ('=VALUE("12€")', 12.0, "C T_VALUE_VALUETOTEXT"),
    ('=VALUE("12,34")', "#VALUE!", "C T_VALUE_VALUETOTEXT"),
    ('=VALUE("")', "#VALUE!", "R an empty text is no number"),
    ('=NUMBERVALUE("2.500,27",",",".")', 2500.27, "M NUMBERVALUE"),
    ('=NUMBERVALUE("3.5%")', 0.035, "M NUMBERVALUE"),
    ('=NUMBERVALUE("9%%")', 0.0009, "M NUMBERVALUE: per cents add up"),
    ('=NUMBERVALUE("")', 0.0, "M NUMBERVALUE"),
    ('=NUMBERVALUE(" 3 000 ")', 3000.0, "M NUMBERVALUE: blanks do not count"),
    ("=VALUETOTEXT(TRUE)", "TRUE", "M VALUETOTEXT"),
    ('=VALUETOTEXT("Hello",1)', '"Hello"', "M VALUETOTEXT"),
    ("=VALUETOTEXT(A3)", "#N/A", "C T_VALUE_VALUETOTEXT: errors as text"),
    ('=ARRAYTOTEXT({1,"a";TRUE,#N/A},1)', '{1,"a";TRUE,#N/A}', "R as an array is written"),
    ('=ARRAYTOTEXT({1,"a";TRUE,#N/A})', "1, a, TRUE, #N/A", "R"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_rows(row: Row) -> None:
    check(row, CELLS)


GENERAL: list[tuple[str, str, str]] = [
    ("=1/3&\"\"", "0.333333333333333", "R 15 digits"),
    ("=2/3&\"\"", "0.666666666666667", "R 15 digits"),
    ("=1E20&\"\"", "1E+20", "R"),
    ("=0.1+0.2&\"\"", "0.3", "R 15 digits"),
    ("=7.123456E-09&\"\"", "0.000000007123456", "C VALUETOTEXT"),
    ("=-1.5&\"\"", "-1.5", "H"),
    ("=TRUE&\"\"", "TRUE", "R"),
    ("=A9&\"\"", "", "R an empty cell"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "text", "source"), GENERAL, ids=[row[0] for row in GENERAL])
def test_numbers_become_text_in_the_general_format(formula: str, text: str, source: str) -> None:
    assert calculate(formula) == text, source


CONVERSIONS: list[Row] = [
    ('="1"+1', 2.0, "R a text that reads as a number"),
    ('="1e2"+0', 100.0, "R an exponent"),
    ('=" 5 "+0', 5.0, "R blanks around"),
    ('="50%"*2', 1.0, "R per cent"),
    ('="(4)"+0', -4.0, "R brackets for a negative number"),
    ('="1 1/2"+0', 1.5, "R a fraction"),
    ('="1/2/2024"+0', 45293.0, "H 2 January 2024, month before day"),
    ('="2024-01-02"+0', 45293.0, "H"),
    ('="2-Jan-2024"+0', 45293.0, "H"),
    ('="January 2, 2024"+0', 45293.0, "H"),
    ('="6:00 PM"+0', 0.75, "H"),
    ('="1/2/2024 12:00"+0', 45293.5, "H"),
    ('="31/12/2024"+0', "#VALUE!", "R month before day: there is no month 31"),
    ('="30/2/2010"+0', "#VALUE!", "C T_VALUE_VALUETOTEXT"),
    ('="abc"+1', "#VALUE!", "R"),
    ('=""+1', "#VALUE!", "R an empty text is no number"),
    ("=TRUE+1", 2.0, "R"),
    ("=A9+1", 1.0, "R an empty cell is 0"),
    ("=-\"3\"", -3.0, "R"),
    ("=\"1\"=1", False, "R a text is no number"),
]  # fmt: skip


@pytest.mark.parametrize("row", CONVERSIONS, ids=ids(CONVERSIONS))
def test_texts_become_numbers(row: Row) -> None:
    check(row)
