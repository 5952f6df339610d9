"""Numbers as text and back: TEXT, VALUE, FIXED, DOLLAR and their kin. Source: Microsoft's page on each function."""

from __future__ import annotations

import math

from xlsx_attention.functions.coercion import text_of
from xlsx_attention.functions.number_format import format_number, format_text
from xlsx_attention.functions.numbers_as_text import (
    ORDER_UNKNOWN,
    decimal_of,
    order_is_unknown,
    parse_number,
    round_half_up,
)
from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.model.values import DIV0, ERROR, LOGICAL, NOT_COMPUTED, NUM, TEXT, VALUE, Scalar


def number_or_error(value: Scalar, ctx: Context) -> float:
    """As functions of the former Analysis ToolPak take it: logicals are ``#VALUE!``, texts that read as numbers
    count.
    """
    if value.kind >= ERROR:
        raise ExcelError(value.kind)
    if value.kind == LOGICAL:
        raise ExcelError(VALUE)
    if value.kind == TEXT:
        parsed = parse_number(value.text, ctx.date1904)
        if parsed is None:
            raise ExcelError(VALUE)
        if order_is_unknown(value.text):
            raise ExcelError(NOT_COMPUTED, ctx.texts.add(ORDER_UNKNOWN))
        return parsed
    return value.number


@function("TEXT", "value:any format:text", "scalar")
def text(ctx: Context, value: Scalar, format_: str) -> str | Scalar:
    """``value`` in a number format; ``#VALUE!`` for a format that Excel refuses. A logical shows as it is.

    A text that reads as a number is formatted as one; an empty cell is 0; ``""`` as a format gives ``""``.
    """
    if value.kind >= ERROR:
        return value
    if not format_:
        return ""
    if value.kind == LOGICAL:
        return format_text(text_of(value), format_)
    if value.kind == TEXT:
        number = parse_number(value.text, ctx.date1904)
        return format_text(value.text, format_) if number is None else format_number(number, format_, ctx.date1904)
    return format_number(value.number, format_, ctx.date1904)


@function("VALUE", "value:any", "scalar")
def value_(ctx: Context, value: Scalar) -> float | Scalar:
    """A text as a number, date or time; ``#VALUE!`` for other texts and for logicals. An empty cell is 0."""
    if value.kind >= ERROR:
        return value
    return number_or_error(value, ctx)


@function("NUMBERVALUE", "text:text decimal:text? group:text?", "scalar")
def numbervalue(ctx: Context, source: str, decimal: str | None, group: str | None) -> float:
    """A text as a number with separators of one's own; blanks do not count, ``%`` at the end may repeat, ``""`` is 0.

    ``#VALUE!`` where it is no number, for a group separator after the decimal one, and for equal separators.
    """
    point, comma = (decimal or ".")[0], (group or ",")[0]
    plain = "".join(source.split())
    if point == comma:
        raise ExcelError(VALUE)
    if not plain:
        return 0.0
    percents = len(plain) - len(plain.rstrip("%"))
    plain = plain.rstrip("%")
    whole, found, fraction = plain.partition(point)
    if comma in fraction or (point != "." and "." in plain and comma != "."):
        raise ExcelError(VALUE)
    number = parse_number(whole.replace(comma, "") + ("." if found else "") + fraction)
    if number is None:
        raise ExcelError(VALUE)
    return float(number / 100.0**percents)


def _quoted(value: Scalar, strict: bool) -> str:
    if value.kind == TEXT and strict:
        return '"' + value.text.replace('"', '""') + '"'
    return text_of(value)


def _strict(format_: float | None) -> bool:
    if format_ is not None and int(format_) not in (0, 1):
        raise ExcelError(VALUE)
    return bool(format_)


@function("VALUETOTEXT", "value:any format:number=0", "scalar")
def valuetotext(ctx: Context, value: Scalar, format_: float) -> str:
    """Any value as text, errors too; with format 1 texts stand in quotes. ``#VALUE!`` for another format."""
    return _quoted(value, _strict(format_))


@function("ARRAYTOTEXT", "array:array format:number=0", "array")
def arraytotext(ctx: Context, array: Matrix, format_: float) -> str:
    """``a, b, c`` in reading order, or with format 1 as an array is written: ``{1,"a";2,#N/A}``."""
    strict = _strict(format_)
    ctx.charge(array.size)
    rows = [
        [_quoted(ctx.scalar(float(n), int(k)), strict) for n, k in zip(numbers, kinds, strict=True)]
        for numbers, kinds in zip(array.number, array.kind, strict=True)
    ]
    if strict:
        return "{" + ";".join(",".join(row) for row in rows) + "}"
    return ", ".join(cell for row in rows for cell in row)


def _fixed(number: float, decimals: float, commas: bool) -> str:
    places = int(decimals)
    if places > 127:
        raise ExcelError(VALUE)
    rounded = round_half_up(abs(decimal_of(number)), places)
    return f"{rounded:,.{max(places, 0)}f}" if commas else f"{rounded:.{max(places, 0)}f}"


@function("FIXED", "number:number decimals:number=2/0 no_commas:logical=FALSE", "scalar")
def fixed(ctx: Context, number: float, decimals: float, no_commas: bool) -> str:
    """Rounded half away from zero, with commas unless told otherwise; ``#VALUE!`` for more than 127 decimals."""
    shown = _fixed(number, decimals, not no_commas)
    return "-" + shown if number < 0 and shown.strip("0.,") else shown


@function("DOLLAR", "number:number decimals:number=2/0", "scalar")
def dollar(ctx: Context, number: float, decimals: float) -> str:
    """``$1,234.57``, and ``($1,234.57)`` for a negative number."""
    shown = "$" + _fixed(number, decimals, True)
    return f"({shown})" if number < 0 and shown.strip("$0.,") else shown


def _base(fraction: float) -> tuple[float, float]:
    """The denominator cut to a whole number, and the power of ten that holds its digits."""
    if fraction < 0:
        raise ExcelError(NUM)
    whole = float(math.floor(fraction))
    if whole < 1:
        raise ExcelError(DIV0)
    return whole, 10.0 ** math.ceil(math.log10(whole))


@function("DOLLARDE", "price:any fraction:any", "scalar")
def dollarde(ctx: Context, price: Scalar, fraction: Scalar) -> float:
    """``1.02`` in sixteenths is 1 + 2/16. ``#NUM!`` for a negative denominator, ``#DIV/0!`` below 1."""
    number = number_or_error(price, ctx)
    denominator, power = _base(number_or_error(fraction, ctx))
    part, whole = math.modf(number)
    return whole + part * power / denominator


@function("DOLLARFR", "price:any fraction:any", "scalar")
def dollarfr(ctx: Context, price: Scalar, fraction: Scalar) -> float:
    """The reverse of DOLLARDE."""
    number = number_or_error(price, ctx)
    denominator, power = _base(number_or_error(fraction, ctx))
    part, whole = math.modf(number)
    return whole + part * denominator / power
