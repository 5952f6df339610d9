"""Serial numbers and the calendar, in both date systems, with the 29 February 1900 that never was.

In the 1900 system serial 0 reads "0 January 1900", 1 is 1 January 1900, 60 is "29 February 1900", 61 is 1 March. In the
1904 system serial 0 is 1 January 1904. Source: Microsoft, "Differences between the 1900 and the 1904 date system".
"""

from __future__ import annotations

from datetime import date
from typing import Final

#: Days from the serial 0 of the 1900 system to that of the 1904 system.
SHIFT_1904: Final = 1462
#: 31 December 9999 in the 1900 system.
LAST_DAY: Final = 2_958_465
_EPOCH: Final = date(1899, 12, 30).toordinal()


def last_day(date1904: bool) -> int:
    return LAST_DAY - SHIFT_1904 if date1904 else LAST_DAY


def parts(serial: float, date1904: bool = False) -> tuple[int, int, int] | None:
    """``(year, month, day)`` of a serial number; ``None`` outside 0 … 31 December 9999."""
    day = int(serial // 1)
    if not 0 <= serial < last_day(date1904) + 1:
        return None
    if date1904:
        day += SHIFT_1904
    if day == 60:
        return 1900, 2, 29
    if day == 0:
        return 1900, 1, 0
    found = date.fromordinal(_EPOCH + day + (1 if day < 60 else 0))
    return found.year, found.month, found.day


def serial_of(year: int, month: int, day: int, date1904: bool = False) -> int | None:
    """The serial number of a date; months and days outside their range run on, as in DATE. ``None`` outside the
    calendar.
    """
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if not 1899 <= year <= 9999 or abs(day) > LAST_DAY:
        return None
    first = date(year, month, 1).toordinal() - _EPOCH
    if first <= 60:
        first -= 1
    # Counting days from the first of the month walks over the day that never was, as Excel does.
    serial = first + day - 1 - (SHIFT_1904 if date1904 else 0)
    return serial if 0 <= serial <= last_day(date1904) else None


def days_in_month(year: int, month: int) -> int:
    """As Excel counts them: February 1900 has 29."""
    if month == 2:
        return 29 if year == 1900 or (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def weekday(serial: float, date1904: bool = False) -> int:
    """0 for Sunday … 6 for Saturday; before March 1900 as Excel has it, a day off the calendar."""
    return (int(serial // 1) + (SHIFT_1904 if date1904 else 0) + 6) % 7


def clock(serial: float, decimals: int = 0) -> tuple[int, int, int, int, int]:
    """``(days, hours, minutes, seconds, fraction)``, rounded to ``decimals`` digits of a second before it is cut up.

    ``days`` may be one more than the serial's own where the time rounds up to midnight.
    """
    unit = 10**decimals
    # Serial numbers carry about eleven digits of a day: a nudge keeps 0.1 s from becoming 0.0999.
    total = int((serial - serial // 1) * 86_400 * unit + 0.5 + 1e-6)
    rest, fraction = divmod(total, unit)
    rest, second = divmod(rest, 60)
    rest, minute = divmod(rest, 60)
    days, hour = divmod(rest, 24)
    return int(serial // 1) + days, hour, minute, second, fraction
