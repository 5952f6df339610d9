"""Dates and times in TEXT's formats: ``yyyy-mm-dd``, ``h:mm AM/PM``, ``[h]:mm:ss.00``."""

from __future__ import annotations

from collections.abc import Sequence

from xlsx_attention.functions.dates import clock, last_day, parts, weekday
from xlsx_attention.functions.dates_as_text import DAYS, MONTHS
from xlsx_attention.functions.registry import ExcelError
from xlsx_attention.model.values import VALUE

_UNITS = {"h": 24, "m": 24 * 60, "s": 24 * 60 * 60}


def _minutes(tokens: Sequence[tuple[str, str]]) -> set[int]:
    """Which ``m`` stand for minutes: those right after hours or right before seconds."""
    dates = [(i, text.strip("[]")) for i, (kind, text) in enumerate(tokens) if kind == "date" and text[0] not in ".aA"]
    result = set()
    for place, (i, text) in enumerate(dates):
        if text[0] != "m" or len(text) > 2:
            continue
        before = dates[place - 1][1][0] if place else ""
        after = dates[place + 1][1][0] if place + 1 < len(dates) else ""
        if before == "h" or after == "s":
            result.add(i)
    return result


def format_date(serial: float, tokens: Sequence[tuple[str, str]], date1904: bool) -> str:
    """``serial`` as the tokens (kind, text) ask; ``#VALUE!`` below 0 and past the year 9999."""
    if not 0 <= serial < last_day(date1904) + 1:
        raise ExcelError(VALUE)
    fractions = [text for kind, text in tokens if kind == "date" and text.startswith(".")]
    decimals = max((len(text) - 1 for text in fractions), default=0)
    day, hour, minute, second, fraction = clock(serial, decimals)
    calendar = parts(float(min(day, last_day(date1904))), date1904)
    assert calendar is not None
    year, month, day_of_month = calendar
    half = any(kind == "date" and text.upper() in ("AM/PM", "A/P") for kind, text in tokens)
    shown_hour = (hour + 11) % 12 + 1 if half else hour
    whole_seconds = day * 86_400 + hour * 3600 + minute * 60 + second
    minutes = _minutes(tokens)
    result = []
    for i, (kind, text) in enumerate(tokens):
        if kind != "date":
            result.append("" if kind == "fill" else text)
            continue
        letter, count = text[0], len(text)
        if letter == "[":
            unit = text[1]
            result.append(f"{whole_seconds * _UNITS[unit] // 86_400:0{count - 2}d}")
        elif letter == ".":
            result.append("." + f"{fraction:0{decimals}d}"[: count - 1])
        elif letter in "aA":
            word = ("AM", "PM")[hour >= 12] if len(text) == 5 else _half(text, hour >= 12)
            result.append(word)
        elif letter == "m" and i not in minutes:
            result.append(_name(month - 1, count, MONTHS, str(month)) if count != 5 else MONTHS[month - 1][0])
        elif letter == "d":
            result.append(_name(weekday(float(day), date1904), count, DAYS, str(day_of_month)))
        elif letter == "y":
            result.append(f"{year % 100:02d}" if count <= 2 else f"{year:04d}")
        elif letter == "e":
            result.append(str(year))
        elif letter == "b":
            result.append(f"{(year + 543) % 100:02d}" if count <= 2 else f"{year + 543:04d}")
        elif letter in "hms":
            value = {"h": shown_hour, "m": minute, "s": second}[letter]
            result.append(f"{value:0{min(count, 2)}d}")
    return "".join(result)


def _half(pattern: str, afternoon: bool) -> str:
    """``A/P`` as it is written: ``a/p`` gives small letters."""
    return pattern[2] if afternoon else pattern[0]


def _name(index: int, count: int, names: Sequence[str], number: str) -> str:
    """One or two letters: the number; three: the short name; more: the name."""
    if count <= 2:
        return number.rjust(count, "0")
    return names[index][:3] if count == 3 else names[index]
