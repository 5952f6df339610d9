"""Digits in TEXT's formats: ``#,##0.00``, ``0.0%``, ``00-00``, ``0.00E+00``, ``# ??/??``."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from xlsx_attention.functions.numbers_as_text import decimal_of, round_half_up

Tokens = Sequence[tuple[str, str]]


def format_digits(number: float, tokens: Tokens) -> tuple[str, bool]:
    """A number ≥ 0 in a section of (kind, text) tokens, and whether all digits that show are zeros (no sign then)."""
    kinds = [kind for kind, _ in tokens]
    if "exponent" in kinds:
        return _scientific(number, tokens)
    slash = kinds.index("slash") if "slash" in kinds else -1
    if slash > 0 and kinds[slash - 1] == "digit" and any(k == "digit" or t.isdigit() for k, t in tokens[slash + 1 :]):
        return _fraction(number, tokens)
    return _plain(number, tokens)


def _scaled(number: float, tokens: Tokens) -> tuple[Decimal, set[int]]:
    """The number times 100 for each ``%``, over 1000 for each comma that ends the digits; the places of those
    commas.
    """
    value = decimal_of(number).scaleb(2 * sum(kind == "percent" for kind, _ in tokens))
    point = next((i for i, (kind, _) in enumerate(tokens) if kind == "point"), len(tokens))
    digits = [i for i, (kind, _) in enumerate(tokens) if kind == "digit"]
    before = [i for i in digits if i < point]
    scaling = set()
    for last in ({max(before)} if before else set()) | ({max(digits)} if digits and max(digits) > point else set()):
        i = last + 1
        while i < len(tokens) and tokens[i][0] == "comma":
            scaling.add(i)
            i += 1
    return value.scaleb(-3 * len(scaling)), scaling


def _split(value: Decimal, places: int) -> tuple[str, str]:
    """Digits before (none for 0) and after the point."""
    text = f"{round_half_up(value, places):f}"
    whole, _, fraction = text.partition(".")
    return whole.lstrip("0"), fraction.ljust(places, "0")[:places]


def _fill(pattern: str, digits: str, grouped: bool) -> list[str]:
    """One text for each placeholder: digits from the right, what is left over at the first one."""
    extra = digits[: max(len(digits) - len(pattern), 0)]
    rest = digits[len(extra) :].rjust(len(pattern), "\0")
    result = []
    remaining = len(pattern)
    for placeholder, digit in zip(pattern, rest, strict=True):
        remaining -= 1
        shown = {"0": "0", "?": " ", "#": ""}[placeholder] if digit == "\0" else digit
        if grouped and shown and remaining and remaining % 3 == 0:
            shown += " " if shown == " " else ","
        result.append(shown)
    if extra:
        after = len(pattern)
        lead = "".join(
            d + ("," if grouped and (len(extra) - 1 - i + after) % 3 == 0 else "") for i, d in enumerate(extra)
        )
        result[0] = lead + result[0]
    return result


def _decimals(pattern: str, digits: str) -> list[str]:
    shown = list(digits)
    for i in range(len(pattern) - 1, -1, -1):
        if shown[i] != "0" or pattern[i] == "0":
            break
        shown[i] = " " if pattern[i] == "?" else ""
    return shown


def _plain(number: float, tokens: Tokens) -> tuple[str, bool]:
    value, scaling = _scaled(number, tokens)
    point = next((i for i, (kind, _) in enumerate(tokens) if kind == "point"), len(tokens))
    whole_places = [i for i, (kind, _) in enumerate(tokens) if kind == "digit" and i < point]
    decimal_places = [i for i, (kind, _) in enumerate(tokens) if kind == "digit" and i > point]
    commas = [i for i, (kind, _) in enumerate(tokens) if kind == "comma"]
    grouped = bool(whole_places) and any(whole_places[0] < i < whole_places[-1] for i in commas)
    whole, fraction = _split(value, len(decimal_places))
    shown: dict[int, str] = {}
    if whole_places:
        pattern = "".join(tokens[i][1] for i in whole_places)
        shown.update(zip(whole_places, _fill(pattern, whole, grouped), strict=True))
    elif whole and point < len(tokens):
        # No place for the whole part: it stands before the point.
        shown[point] = whole + "."
    pattern = "".join(tokens[i][1] for i in decimal_places)
    shown.update(zip(decimal_places, _decimals(pattern, fraction), strict=True))
    result = []
    for i, (kind, text) in enumerate(tokens):
        if i in shown:
            result.append(shown[i])
        elif kind == "comma":
            inside = bool(whole_places) and whole_places[0] < i < whole_places[-1]
            result.append("" if inside or i in scaling else ",")
        elif kind != "fill":
            result.append(text)
    has_digits = bool(whole_places or decimal_places)
    return "".join(result), has_digits and not whole and not fraction.strip("0")


def _scientific(number: float, tokens: Tokens) -> tuple[str, bool]:
    at = next(i for i, (kind, _) in enumerate(tokens) if kind == "exponent")
    point = next((i for i, (kind, _) in enumerate(tokens[:at]) if kind == "point"), at)
    whole_places = [i for i, (kind, _) in enumerate(tokens[:at]) if kind == "digit" and i < point]
    decimal_places = [i for i, (kind, _) in enumerate(tokens[:at]) if kind == "digit" and i > point]
    exponent_places = [i for i, (kind, _) in enumerate(tokens) if kind == "digit" and i > at]
    value = decimal_of(number).scaleb(2 * sum(kind == "percent" for kind, _ in tokens))
    step = max(len(whole_places), 1)
    exponent = 0
    if value:
        exponent = value.adjusted() // step * step
        if round_half_up(value.scaleb(-exponent), len(decimal_places)).adjusted() >= step:
            exponent += step
    whole, fraction = _split(value.scaleb(-exponent), len(decimal_places))
    shown: dict[int, str] = {}
    pattern = "".join(tokens[i][1] for i in whole_places)
    if whole_places:
        shown.update(zip(whole_places, _fill(pattern, whole, False), strict=True))
    pattern = "".join(tokens[i][1] for i in decimal_places)
    shown.update(zip(decimal_places, _decimals(pattern, fraction), strict=True))
    if exponent_places:
        pattern = "".join(tokens[i][1] for i in exponent_places)
        filled = _fill(pattern, str(abs(exponent)) if exponent else "", False)
        shown.update(zip(exponent_places, filled, strict=True))
    sign = "-" if exponent < 0 else ("+" if tokens[at][1] == "E+" else "")
    result = []
    for i, (kind, text) in enumerate(tokens):
        if i in shown:
            result.append(shown[i])
        elif i == at:
            result.append("E" + sign)
        elif kind not in ("fill", "comma"):
            result.append(text)
    return "".join(result), value == 0


def _fraction(number: float, tokens: Tokens) -> tuple[str, bool]:
    slash = next(i for i, (kind, _) in enumerate(tokens) if kind == "slash")
    # The numerator is the run of digits right before the slash; what stands before that run is the whole part.
    start = slash
    while start and tokens[start - 1][0] == "digit":
        start -= 1
    end = slash + 1
    while end < len(tokens) and (tokens[end][0] == "digit" or tokens[end][1].isdigit()):
        end += 1
    numerator_pattern = "".join(text for _, text in tokens[start:slash])
    denominator_pattern = "".join(text for _, text in tokens[slash + 1 : end])
    whole_places = [i for i, (kind, _) in enumerate(tokens[:start]) if kind == "digit"]
    value = Fraction(decimal_of(number))
    whole = int(value) if whole_places else 0
    part = value - whole
    fixed = int(denominator_pattern) if denominator_pattern.strip("#?0") else 0
    if fixed:
        numerator, denominator = int(part * fixed + Fraction(1, 2)), fixed
    else:
        best = part.limit_denominator(10 ** min(len(denominator_pattern), 7) - 1)
        numerator, denominator = best.numerator, best.denominator
    if whole_places and numerator >= denominator:
        whole, numerator = whole + 1, numerator - denominator
    shown: dict[int, str] = {}
    if whole_places:
        blank = numerator == 0 and whole == 0
        pattern = "".join(tokens[i][1] for i in whole_places)
        shown.update(zip(whole_places, _fill(pattern, str(whole) if whole or blank else "", False), strict=True))
    if numerator == 0 and whole_places:
        width = max(len(numerator_pattern), 1) + 1 + max(len(str(fixed)) if fixed else len(denominator_pattern), 1)
        body = " " * width
    else:
        top = "".join(_fill(numerator_pattern, str(numerator), False))
        bottom = str(denominator)
        if not fixed and "?" in denominator_pattern:
            bottom = bottom.ljust(len(denominator_pattern))
        body = f"{top}/{bottom}"
    result = []
    for i, (kind, text) in enumerate(tokens):
        if i in shown:
            result.append(shown[i])
        elif i == start:
            result.append(body)
        elif (i < start or i >= end) and kind not in ("fill", "comma"):
            result.append(text)
    return "".join(result), whole == 0 and numerator == 0
