"""Numbers as text and back, in the General format and the ways of typing that Excel (en-US) accepts."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from xlsx_attention.functions.dates_as_text import parse_date_time

_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_FRACTION = re.compile(r"([+-]?)(?:(\d{1,15}) )?(\d{1,15})/(\d{1,15})")
_THOUSANDS = re.compile(r"[+-]?\d+(?:,\d{3})+")
_CURRENCIES: Final = "$€£¥"

#: Widths of the General format: in TEXT(x, "General") as in a cell, and where a number becomes text (``x&""``).
CELL_WIDTH: Final = 11
TEXT_WIDTH: Final = 20


def parse_number(text: str, date1904: bool = False) -> float | None:
    """What Excel makes of a text where a number is due; ``None`` where it makes none.

    Accepts blanks around, a sign, ``1,234.5``, ``12%``, ``$3``, ``12€``, ``(4)`` for −4, exponents, ``1 1/2``, and
    dates and times as :func:`~xlsx_attention.functions.dates_as_text.parse_date_time` reads them.
    """
    plain = text.strip(" \u00a0")
    if len(plain) > 255 or not plain:
        return None
    if plain.isascii() and _PLAIN.fullmatch(plain):
        return _finite(float(plain))
    value = _decorated(plain)
    if value is None:
        value = _fraction(plain)
    # Around a date or time blanks are not let pass (IronCalc's TRIGONOMETRIC.xlsx, GCD_LCM.xlsx).
    return parse_date_time(text, date1904) if value is None else value


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _decorated(plain: str) -> float | None:
    """A number with a currency, thousands, per cent or brackets."""
    negative = False
    if plain.startswith("(") and plain.endswith(")"):
        negative, plain = True, plain[1:-1].strip()
        if plain[:1] in ("+", "-"):
            return None
    percents = 0
    if plain.endswith("%"):
        percents, plain = 1, plain[:-1].rstrip()
    elif plain.startswith("%"):
        percents, plain = 1, plain[1:].lstrip()
    sign = ""
    if plain[:1] in ("+", "-"):
        sign, plain = plain[0], plain[1:].lstrip()
    if plain[:1] and plain[0] in _CURRENCIES:
        plain = plain[1:].lstrip()
        if not sign and plain[:1] in ("+", "-"):
            sign, plain = plain[0], plain[1:]
    elif plain[-1:] and plain[-1] in _CURRENCIES:
        plain = plain[:-1].rstrip()
    if plain[:1] in ("+", "-"):
        return None
    if "," in plain:
        whole, dot, fraction = plain.partition(".")
        if "," in fraction or not _THOUSANDS.fullmatch(whole):
            return None
        plain = whole.replace(",", "") + dot + fraction
    if not (plain.isascii() and _PLAIN.fullmatch(plain)):
        return None
    # Per cent shifts the decimal digits: 23.123% is the double nearest to 0.23123, not a quotient.
    value = float(Decimal(sign + plain).scaleb(-2)) if percents else float(sign + plain)
    return _finite(-value if negative else value)


def _fraction(plain: str) -> float | None:
    """``1 1/2``; without a whole part ``1/2`` is a date, so that only ``0 1/2`` counts."""
    match = _FRACTION.fullmatch(plain)
    if match is None or match[2] is None or not plain.isascii() or int(match[4]) == 0:
        return None
    value = int(match[2]) + int(match[3]) / int(match[4])
    return -value if match[1] == "-" else value


def figures(number: float, count: int = 15) -> tuple[str, int]:
    """``(digits, exponent)`` of ``|number|`` rounded to ``count`` significant digits, without zeros at the end.

    ``number = 0.d₁d₂… × 10^(exponent+1)``, i.e. the first digit has the value ``d₁ × 10^exponent``.
    """
    mantissa, _, exponent = f"{abs(number):.{count - 1}E}".partition("E")
    return mantissa.replace(".", "").rstrip("0") or "0", int(exponent)


def decimal_of(number: float) -> Decimal:
    """The number that Excel shows: 15 significant digits."""
    return Decimal(f"{number:.14E}")


def round_half_up(number: Decimal, places: int) -> Decimal:
    """Half away from zero on the decimal digits; ``places`` may be negative."""
    if number.adjusted() < -places - 1:
        return Decimal(0)
    if places <= -310:
        return Decimal(0)
    if places >= -int(number.as_tuple().exponent):
        return number  # nothing to round, and a quantum of thousands of places is past what Decimal's context holds
    return number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def _plain_text(digits: str, exponent: int) -> str:
    if exponent >= len(digits) - 1:
        return digits + "0" * (exponent - len(digits) + 1)
    if exponent >= 0:
        return f"{digits[: exponent + 1]}.{digits[exponent + 1 :]}"
    return f"0.{'0' * (-exponent - 1)}{digits}"


def _scientific(digits: str, exponent: int) -> str:
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{mantissa}E{'+' if exponent >= 0 else '-'}{abs(exponent):02d}"


def format_general(number: float) -> str:
    """A number as ``&`` writes it: 15 significant digits, plain while that takes no more than 20 characters.

    Source: Excel's ``=1/3&""``, ``=1E20&""``; ``7.123456E-09`` gives ``0.000000007123456`` (corpus, VALUETOTEXT).
    """
    if number == 0.0:
        return "0"
    digits, exponent = figures(number)
    sign = "-" if number < 0 else ""
    if -4 <= exponent < TEXT_WIDTH or (exponent < 0 and 1 - exponent + len(digits) <= TEXT_WIDTH):
        return sign + _plain_text(digits, exponent)
    return sign + _scientific(digits, exponent)


def format_general_cell(number: float) -> str:
    """A number as ``TEXT(x, "General")`` and a cell show it: at most 11 characters, sign aside (corpus, TEXT)."""
    if number == 0.0:
        return "0"
    sign = "-" if number < 0 else ""
    _, exponent = figures(number)
    if -5 < exponent < CELL_WIDTH:
        places = CELL_WIDTH - 2 - max(exponent, 0)
        shown = _trimmed(round_half_up(abs(decimal_of(number)), max(places, 0)))
        if len(shown.partition(".")[0]) <= CELL_WIDTH:
            return sign + shown
    digits, exponent = figures(number)
    if exponent < 0 and 1 - exponent + len(digits) <= CELL_WIDTH:
        return sign + _plain_text(digits, exponent)
    return sign + _scientific(*figures(number, 6))


def _trimmed(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


_THREE_NUMBERS = re.compile(r"\s*(\d{1,2})[/-](\d{1,2})[/-]\d{2,4}\b")
#: Why such a text has no value that a file could tell.
ORDER_UNKNOWN = "a date in a text, whose order (day or month first) each computer sets for itself"


def order_is_unknown(text: str) -> bool:
    """Whether a text is a date such as ``2/3/2023``, which is in March or in February as the computer is set."""
    found = _THREE_NUMBERS.match(text)
    return found is not None and found[1] != found[2] and 1 <= int(found[1]) <= 12 and 1 <= int(found[2]) <= 12
