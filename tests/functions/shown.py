"""Values as documentation shows them: a number with so many digits stands for all that round to it."""

from __future__ import annotations

import re

#: Array rows divided by ``;``, columns by ``|``.
_NUMBER = re.compile(r"-?\d+(\.\d+)?(E[+-]?\d+)?")


def agrees(shown: str, value: object) -> bool:
    """Whether a computed value is what the text shows, to one unit of its last digit (exactly where it is whole)."""
    if isinstance(value, list):
        rows = [row.split("|") for row in shown.split(";")]
        return [len(r) for r in rows] == [len(r) for r in value] and all(
            agrees(text, cell)
            for texts, cells in zip(rows, value, strict=True)
            for text, cell in zip(texts, cells, strict=True)
        )
    if isinstance(value, bool):
        return shown == str(value).upper()
    if isinstance(value, str):
        return shown == value
    if not isinstance(value, float) or not _NUMBER.fullmatch(shown):
        return False
    mantissa, _, exponent = shown.partition("E")
    decimals = len(mantissa.partition(".")[2])
    if not decimals and not exponent:
        return value == float(shown)
    return abs(value - float(shown)) <= 1.000001 * 10.0 ** (int(exponent or 0) - decimals)
