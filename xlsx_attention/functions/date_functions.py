"""Dates and times. Source: Microsoft's page on each function; the calendar stands in :mod:`dates`."""

from __future__ import annotations

import math
from datetime import datetime

from xlsx_attention.functions.dates import clock, days_in_month, parts, serial_of, weekday
from xlsx_attention.functions.dates_as_text import parse_date_time
from xlsx_attention.functions.numbers_as_text import ORDER_UNKNOWN, order_is_unknown
from xlsx_attention.functions.registry import Context, ExcelError, function
from xlsx_attention.functions.text_numbers import number_or_error
from xlsx_attention.model.values import ERROR, NOT_COMPUTED, NUM, TEXT, VALUE, Scalar


def _parts(serial: float, ctx: Context) -> tuple[int, int, int]:
    found = parts(serial, ctx.date1904)
    if found is None:
        raise ExcelError(NUM)
    return found


def _serial(year: int, month: int, day: int, ctx: Context) -> float:
    serial = serial_of(year, month, day, ctx.date1904)
    if serial is None:
        raise ExcelError(NUM)
    return float(serial)


def _whole(number: float) -> int:
    if abs(number) > 1e7:
        raise ExcelError(NUM)
    return math.floor(number)


@function("DATE", "year:number month:number day:number", "scalar")
def date(ctx: Context, year: float, month: float, day: float) -> float:
    """Months and days run on past their range; years 0 … 1899 count from 1900. ``#NUM!`` outside the calendar."""
    y, m, d = _whole(year), _whole(month), _whole(day)
    if not 0 <= y <= 9999:
        raise ExcelError(NUM)
    return _serial(y + 1900 if y < 1900 else y, m, d, ctx)


@function("YEAR", "serial:number", "scalar")
def year(ctx: Context, serial: float) -> float:
    """``#NUM!`` outside the calendar."""
    return float(_parts(serial, ctx)[0])


@function("MONTH", "serial:number", "scalar")
def month(ctx: Context, serial: float) -> float:
    """``#NUM!`` outside the calendar."""
    return float(_parts(serial, ctx)[1])


@function("DAY", "serial:number", "scalar")
def day(ctx: Context, serial: float) -> float:
    """``#NUM!`` outside the calendar."""
    return float(_parts(serial, ctx)[2])


@function("DAYS", "end:number start:number", "scalar")
def days(ctx: Context, end: float, start: float) -> float:
    """Whole days between two dates. ``#NUM!`` outside the calendar."""
    _parts(end, ctx), _parts(start, ctx)
    return float(math.floor(end) - math.floor(start))


#: By WEEKDAY's type: which day (0 Sunday … 6 Saturday) the week begins with, and its number.
_WEEKS = {1: (0, 1), 2: (1, 1), 3: (1, 0), **{10 + n: (n % 7, 1) for n in range(1, 8)}}


@function("WEEKDAY", "serial:number type:number=1/0", "scalar")
def weekday_(ctx: Context, serial: float, type_: float) -> float:
    """``#NUM!`` for an unknown type and outside the calendar."""
    _parts(serial, ctx)
    if int(type_) not in _WEEKS:
        raise ExcelError(NUM)
    first, number = _WEEKS[int(type_)]
    return float((weekday(serial, ctx.date1904) - first) % 7 + number)


def _shift(ctx: Context, start: Scalar, months: Scalar, end_of_month: bool) -> float:
    serial, count = number_or_error(start, ctx), int(number_or_error(months, ctx))
    y, m, d = _parts(serial, ctx)
    if abs(count) > 120_000:
        raise ExcelError(NUM)
    y, m = y + (m - 1 + count) // 12, (m - 1 + count) % 12 + 1
    last = days_in_month(y, m)
    return _serial(y, m, last if end_of_month else min(d, last), ctx)


@function("EDATE", "start:any months:any", "scalar")
def edate(ctx: Context, start: Scalar, months: Scalar) -> float:
    """The same day some months on, the month's last where it is shorter. ``#VALUE!`` for logicals, ``#NUM!``
    outside.
    """
    return _shift(ctx, start, months, False)


@function("EOMONTH", "start:any months:any", "scalar")
def eomonth(ctx: Context, start: Scalar, months: Scalar) -> float:
    """The last day of the month some months on. ``#VALUE!`` for logicals, ``#NUM!`` outside the calendar."""
    return _shift(ctx, start, months, True)


def _typed(ctx: Context, text: Scalar) -> float:
    if text.kind >= ERROR:
        raise ExcelError(text.kind)
    found = parse_date_time(text.text.strip(), ctx.date1904) if text.kind == TEXT else None
    if found is None:
        raise ExcelError(VALUE)
    if order_is_unknown(text.text):
        raise ExcelError(NOT_COMPUTED, ctx.texts.add(ORDER_UNKNOWN))
    return found


@function("DATEVALUE", "text:any", "scalar")
def datevalue(ctx: Context, text: Scalar) -> float:
    """The date in a text, without its time; ``#VALUE!`` for anything else, numbers too."""
    return float(math.floor(_typed(ctx, text)))


@function("TIMEVALUE", "text:any", "scalar")
def timevalue(ctx: Context, text: Scalar) -> float:
    """The time in a text, as a fraction of a day; ``#VALUE!`` for anything else."""
    return _typed(ctx, text) % 1.0


@function("TIME", "hour:number minute:number second:number", "scalar")
def time(ctx: Context, hour: float, minute: float, second: float) -> float:
    """A fraction of a day; parts run on past their range. ``#NUM!`` below 0 and for a part above 32,767."""
    whole = [math.floor(x) for x in (hour, minute, second)]
    if max(whole) > 32_767:
        raise ExcelError(NUM)
    total = whole[0] * 3600 + whole[1] * 60 + whole[2]
    if total < 0:
        raise ExcelError(NUM)
    return total % 86_400 / 86_400


def _clock(serial: float, ctx: Context) -> tuple[int, int, int, int, int]:
    _parts(serial, ctx)
    return clock(serial)


@function("HOUR", "serial:number", "scalar")
def hour(ctx: Context, serial: float) -> float:
    """``#NUM!`` outside the calendar."""
    return float(_clock(serial, ctx)[1])


@function("MINUTE", "serial:number", "scalar")
def minute(ctx: Context, serial: float) -> float:
    """``#NUM!`` outside the calendar."""
    return float(_clock(serial, ctx)[2])


@function("SECOND", "serial:number", "scalar")
def second(ctx: Context, serial: float) -> float:
    """``#NUM!`` outside the calendar."""
    return float(_clock(serial, ctx)[3])


def _now(ctx: Context) -> tuple[float, float]:
    now = datetime.now()
    today = _serial(now.year, now.month, now.day, ctx)
    return today, (now.hour * 3600 + now.minute * 60 + now.second) / 86_400


@function("TODAY", "", "scalar", volatile=True)
def today(ctx: Context) -> float:
    return _now(ctx)[0]


@function("NOW", "", "scalar", volatile=True)
def now(ctx: Context) -> float:
    """To the second."""
    return sum(_now(ctx))
