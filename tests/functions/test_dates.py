"""Dates and times. Serial numbers by hand: 39448 is 1 January 2008, 40544 is 1 January 2011."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.functions.evaluate import calculate
from tests.functions.tables import Row, check, ids
from xlsx_attention.functions.dates import LAST_DAY, SHIFT_1904, clock, parts, serial_of, weekday

ROWS: list[Row] = [
    ("=DATE(108,1,2)", 39449.0, "M DATE: 2 January 2008"),
    ("=DATE(2008,1,2)", 39449.0, "M DATE: 2 January 2008"),
    ("=DATE(2008,14,2)", 39846.0, "M DATE: 2 February 2009"),
    ("=DATE(2008,-3,2)", 39327.0, "M DATE: 2 September 2007"),
    ("=DATE(2008,1,35)", 39482.0, "M DATE: 4 February 2008"),
    ("=DATE(2008,1,-15)", 39432.0, "M DATE: 16 December 2007"),
    ("=DATE(-1,1,1)", "#NUM!", "R"),
    ("=DATE(10000,1,1)", "#NUM!", "R"),
    ("=DATE(1900,2,29)", 60.0, "R the day that never was"),
    ("=DATE(1900,3,1)", 61.0, "R"),
    ("=YEAR(39634)", 2008.0, "M YEAR: 5 July 2008"),
    ("=MONTH(DATE(2011,4,15))", 4.0, "M DAY, MONTH: 15 April 2011"),
    ("=DAY(DATE(2011,4,15))", 15.0, "M DAY"),
    ("=YEAR(-1)", "#NUM!", "R"),
    ("=DAY(60)", 29.0, "R the day that never was"),
    ("=DAY(0)", 0.0, "R 0 January 1900"),
    ('=YEAR("7/5/2008")', 2008.0, "R a date as text"),
    ('=DAYS("15-MAR-2021","1-FEB-2021")', 42.0, "M DAYS"),
    ("=DAYS(44561,44196)", 365.0, "M DAYS: 31 December 2021 and 2020"),
    ("=WEEKDAY(DATE(2008,2,14))", 5.0, "M WEEKDAY: a Thursday"),
    ("=WEEKDAY(DATE(2008,2,14),2)", 4.0, "M WEEKDAY"),
    ("=WEEKDAY(DATE(2008,2,14),3)", 3.0, "M WEEKDAY"),
    ("=WEEKDAY(DATE(2008,2,14),14)", 1.0, "R 14: from Thursday on"),
    ("=WEEKDAY(1)", 1.0, "R 1 January 1900 is a Sunday to Excel"),
    ("=WEEKDAY(39492,4)", "#NUM!", "R"),
    ("=EDATE(DATE(2011,1,15),1)", 40589.0, "M EDATE: 15 February 2011"),
    ("=EDATE(DATE(2011,1,15),-1)", 40527.0, "M EDATE: 15 December 2010"),
    ("=EDATE(DATE(2011,1,31),1)", 40602.0, "R the month's last day: 28 February 2011"),
    ("=EDATE(TRUE,1)", "#VALUE!", "R no logicals"),
    ("=EOMONTH(DATE(2011,1,1),1)", 40602.0, "M EOMONTH: 28 February 2011"),
    ("=EOMONTH(DATE(2011,1,1),-3)", 40482.0, "M EOMONTH: 31 October 2010"),
    ('=DATEVALUE("8/22/2011")', 40777.0, "M DATEVALUE"),
    ('=DATEVALUE("22-MAY-2011")', 40685.0, "M DATEVALUE"),
    ('=DATEVALUE("2011/02/23")', 40597.0, "M DATEVALUE"),
    ("=DATEVALUE(40777)", "#VALUE!", "R a number is no text"),
    ('=TIMEVALUE("2:24 AM")', 0.1, "M TIMEVALUE"),
    ('=ROUND(TIMEVALUE("22-Aug-2011 6:35 AM"),4)', 0.2743, "M TIMEVALUE"),
    ("=TIME(12,0,0)", 0.5, "M TIME"),
    ("=ROUND(TIME(16,48,10),7)", 0.7001157, "M TIME"),
    ("=TIME(27,0,0)", 0.125, "M TIME: 27 hours are 3"),
    ("=TIME(0,750,0)", 12.5 / 24, "M TIME: 750 minutes are 12:30"),
    ("=TIME(-1,0,0)", "#NUM!", "R"),
    ("=HOUR(0.75)", 18.0, "M HOUR"),
    ('=HOUR("7/18/2011 7:45")', 7.0, "M HOUR"),
    ('=MINUTE("12:45:00 PM")', 45.0, "M MINUTE"),
    ('=SECOND("4:48:18 PM")', 18.0, "M SECOND"),
    ("=SECOND(0.999999)", 0.0, "H rounded up to midnight"),
    ("=TODAY()=INT(NOW())", True, "R"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_rows(row: Row) -> None:
    check(row)


@given(st.integers(61, LAST_DAY))
def test_serials_are_pythons_days(serial: int) -> None:
    """From March 1900 on a serial number is a count of days from 30 December 1899."""
    day = date(1899, 12, 30) + timedelta(days=serial)
    assert parts(serial) == (day.year, day.month, day.day)
    assert serial_of(day.year, day.month, day.day) == serial
    assert weekday(serial) == day.isoweekday() % 7


@given(st.integers(0, LAST_DAY - SHIFT_1904))
def test_the_1904_system_counts_from_1904(serial: int) -> None:
    day = date(1904, 1, 1) + timedelta(days=serial)
    assert parts(serial, True) == (day.year, day.month, day.day)
    assert serial_of(day.year, day.month, day.day, True) == serial
    assert weekday(serial, True) == day.isoweekday() % 7


@given(st.integers(0, 86_399))
def test_every_second_of_a_day_is_read_back(second: int) -> None:
    assert clock(40_000 + second / 86_400)[1:4] == (second // 3600, second // 60 % 60, second % 60)


def test_a_date_whose_order_the_computer_decides_is_not_computed() -> None:
    # Public workbooks hold VALUE("2/3/2023") = 44987, 2 March, where this would be 3 February with US settings.
    for formula in ('VALUE("2/3/2023")', 'DATEVALUE("10-12-1999")'):
        assert str(calculate(formula)).startswith("not computed: a date in a text")
    # 22 is no month; equal numbers leave no doubt.
    assert calculate('DATEVALUE("8/22/2011")') == 40777.0
    assert calculate('VALUE("3/3/2023")') == 44988.0
