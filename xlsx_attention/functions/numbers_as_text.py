"""Numbers as text and back, in the General format and the ways of typing that Excel accepts."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def parse_number(text: str) -> float | None:
    """What Excel makes of a text where a number is due; ``None`` where it makes none.

    Accepts blanks around, a sign, ``1,234.5`` with thousands in threes, ``12%``, ``$3``, ``(4)`` for −4 and exponents.
    """
    plain = text.strip(" \u00a0")
    if _PLAIN.fullmatch(plain) and plain.isascii():
        value = float(plain)
        return value if abs(value) < float("inf") else None
    negative = False
    if plain.startswith("(") and plain.endswith(")"):
        negative, plain = True, plain[1:-1].strip()
    percent = plain.endswith("%")
    if percent:
        plain = plain[:-1].rstrip()
    if plain.startswith("%"):
        percent, plain = True, plain[1:].lstrip()
    for sign in ("-$", "+$", "$-", "$+", "$"):
        if plain.startswith(sign):
            plain = sign.replace("$", "") + plain[len(sign) :].lstrip()
            break
    if "," in plain:
        whole, dot, fraction = plain.partition(".")
        if "," in fraction or not re.fullmatch(r"[+-]?\d{1,3}(?:,\d{3})+", whole):
            return None
        plain = whole.replace(",", "") + dot + fraction
    if not (_PLAIN.fullmatch(plain) and plain.isascii()):
        return None
    value = float(plain)
    if negative:
        value = -value
    if percent:
        value /= 100.0
    return value if abs(value) < float("inf") else None


def format_general(number: float) -> str:
    """A number as ``&`` writes it: 15 significant digits, ``1E+20`` past them (Excel's ``=1/3&""``, ``=1E20&""``)."""
    if number == 0.0:
        return "0"
    digits, _, exponent_text = f"{abs(number):.14E}".partition("E")
    exponent = int(exponent_text)
    sign = "-" if number < 0 else ""
    figures = digits.replace(".", "").rstrip("0")
    if -5 <= exponent <= 19:
        if exponent >= len(figures) - 1:
            return sign + figures + "0" * (exponent - len(figures) + 1)
        if exponent >= 0:
            return f"{sign}{figures[: exponent + 1]}.{figures[exponent + 1 :]}"
        return f"{sign}0.{'0' * (-exponent - 1)}{figures}"
    mantissa = figures[0] + ("." + figures[1:] if len(figures) > 1 else "")
    return f"{sign}{mantissa}E{'+' if exponent >= 0 else '-'}{abs(exponent):02d}"
