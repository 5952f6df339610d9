"""Dates and times typed as text, as VALUE and DATEVALUE read them with the regional settings of the United States.

A file does not store the settings under which it was calculated: month before day is the rule here.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from xlsx_attention.functions.dates import days_in_month, serial_of

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

_NUMERIC = re.compile(r"(\d{1,4})\s*([/-])\s*(\d{1,4})(?:\s*\2\s*(\d{1,4}))?")
_DAY_FIRST = re.compile(r"(\d{1,2})[\s/-]*([a-z]{3,9})\.?(?:[\s/,-]*(\d{1,4}))?", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.?[\s/-]*(\d{1,4})(?:(?:\s*,\s*|[\s/-]+)(\d{4}|\d{1,2}))?", re.IGNORECASE)
_TIME = re.compile(r"(\d{1,4})(?::(\d{1,4})(?::(\d{1,4}(?:\.\d{0,9})?))?)?\s*(am|pm|a|p)?", re.IGNORECASE)


def _month(name: str) -> int | None:
    lower = name.lower()
    return next((i for i, full in enumerate(MONTHS, 1) if lower in (full.lower(), full[:3].lower())), None)


def _year(text: str | None) -> int | None:
    """Two digits stand for 1930 … 2029; none for the current year, which is not known from a file."""
    if text is None:
        return date.today().year
    if len(text) == 3:
        return None
    year = int(text)
    return year if len(text) == 4 else year + (2000 if year < 30 else 1900)


def _serial(year: int | None, month: int | None, day: int, date1904: bool) -> int | None:
    if year is None or month is None or not 1 <= month <= 12 or not 1900 <= year <= 9999:
        return None
    if not 1 <= day <= days_in_month(year, month):
        return None
    return serial_of(year, month, day, date1904)


def _numeric(match: re.Match[str], date1904: bool) -> int | None:
    first, _, second, third = match.groups()
    if len(first) == 4:
        return _serial(int(first), int(second), int(third or 1), date1904)
    if third is None:
        if int(first) <= 12 and len(second) == 4:
            return _serial(int(second), int(first), 1, date1904)
        return _serial(_year(None), int(first), int(second), date1904) if len(second) <= 2 else None
    return _serial(_year(third), int(first), int(second), date1904)


def parse_date(text: str, date1904: bool = False) -> int | None:
    """``1/2/2024``, ``2024-01-02``, ``2-Jan-2024``, ``January 2, 2024``, ``Jan-24`` as a serial number."""
    match = _NUMERIC.fullmatch(text)
    if match:
        return _numeric(match, date1904)
    match = _DAY_FIRST.fullmatch(text)
    if match:
        return _serial(_year(match[3]), _month(match[2]), int(match[1]), date1904)
    match = _MONTH_FIRST.fullmatch(text)
    if match is None:
        return None
    name, number, year = match.groups()
    if year is not None:
        return _serial(_year(year), _month(name), int(number), date1904) if len(number) <= 2 else None
    if len(number) <= 2 and 1 <= int(number) <= 31:
        return _serial(_year(None), _month(name), int(number), date1904)
    return _serial(_year(number), _month(name), 1, date1904)


def parse_time(text: str) -> float | None:
    """``13:30``, ``1:30 PM``, ``12:00:30.5``, ``6 PM`` as a fraction of a day; at most one part may be past its
    range.
    """
    match = _TIME.fullmatch(text)
    if match is None or (match[2] is None and match[4] is None):
        return None
    hour, minute, second = int(match[1]), int(match[2] or 0), float(match[3] or 0)
    if match[4]:
        if not 0 <= hour <= 12 or minute > 59 or second >= 60:
            return None
        hour = hour % 12 + (12 if match[4].lower().startswith("p") else 0)
    elif (hour > 23) + (minute > 59) + (second >= 60) > 1:
        return None
    return (hour * 3600 + minute * 60 + second) / 86_400


def parse_date_time(text: str, date1904: bool = False) -> float | None:
    """A date, a time, or a date with a time after it."""
    if not text.isascii() or not any(c.isdigit() for c in text):
        return None
    for whole in (parse_date(text, date1904), parse_time(text)):
        if whole is not None:
            return float(whole)
    for match in re.finditer(r"\s+", text):
        day, time = parse_date(text[: match.start()], date1904), parse_time(text[match.end() :])
        if day is not None and time is not None:
            return day + time
    return None
