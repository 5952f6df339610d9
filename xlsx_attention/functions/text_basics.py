"""Parts of texts, joining, case and characters. Source: Microsoft's page on each function.

Positions and lengths count UTF-16 units, as Excel's do: ``LEN("😀")`` is 2.
"""

from __future__ import annotations

from xlsx_attention.functions.coercion import text_of
from xlsx_attention.functions.registry import Context, ExcelError, Matrix, function
from xlsx_attention.functions.wildcards import search
from xlsx_attention.model.values import ERROR, NA, TEXT, VALUE, Scalar

#: The longest text that a cell holds; a longer result is ``#VALUE!``.
LONGEST = 32_767


def units(text: str) -> str:
    """One character for each UTF-16 unit: pairs stand as two surrogates."""
    if not text or max(text) <= "\uffff":
        return text
    raw = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(raw[i] | raw[i + 1] << 8) for i in range(0, len(raw), 2))


def joined(text: str) -> str:
    """The reverse of :func:`units`; half a pair becomes U+FFFD."""
    if all(not "\ud800" <= c <= "\udfff" for c in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def whole(number: float, least: int) -> int:
    """A count or position, cut to a whole number; ``#VALUE!`` below ``least``."""
    if number < least:
        raise ExcelError(VALUE)
    return int(min(number, 1 << 31))


@function("LEN", "text:text", "scalar")
def len_(ctx: Context, text: str) -> float:
    return float(len(units(text)))


@function("LEFT", "text:text count:number=1/0", "scalar")
def left(ctx: Context, text: str, count: float) -> str:
    """``#VALUE!`` for a negative count."""
    return joined(units(text)[: whole(count, 0)])


@function("RIGHT", "text:text count:number=1/0", "scalar")
def right(ctx: Context, text: str, count: float) -> str:
    """``#VALUE!`` for a negative count."""
    taken, parts = whole(count, 0), units(text)
    return joined(parts[max(len(parts) - taken, 0) :])


@function("MID", "text:text start:number count:number", "scalar")
def mid(ctx: Context, text: str, start: float, count: float) -> str:
    """``#VALUE!`` for a start below 1 or a negative count."""
    first, taken = whole(start, 1) - 1, whole(count, 0)
    return joined(units(text)[first : first + taken])


def _start(start: float, within: str) -> int:
    first = whole(start, 1) - 1
    if first > len(within):
        raise ExcelError(VALUE)
    return first


def _found(position: int) -> float:
    if position < 0:
        raise ExcelError(VALUE)
    return float(position + 1)


@function("FIND", "text:text within:text start:number=1/0", "scalar")
def find(ctx: Context, text: str, within: str, start: float) -> float:
    """With case, without wildcards; ``#VALUE!`` where it is not found or the start lies outside."""
    place = units(within)
    return _found(place.find(units(text), _start(start, place)))


@function("SEARCH", "text:text within:text start:number=1/0", "scalar")
def search_(ctx: Context, text: str, within: str, start: float) -> float:
    """Without case, with ``*``, ``?`` and ``~``; ``#VALUE!`` where it is not found or the start lies outside."""
    place = units(within)
    return _found(search(units(text), place, _start(start, place)))


@function("SUBSTITUTE", "text:text old:text new:text instance:number?", "scalar")
def substitute(ctx: Context, text: str, old: str, new: str, instance: float | None) -> str:
    """With case; every occurrence, or only the given one (``#VALUE!`` below 1)."""
    if instance is None:
        if not old:
            return text
        # Asked before the text is made: one replacement can make it 32,767 times as long.
        if len(text) + text.count(old) * (len(new) - len(old)) > LONGEST:
            raise ExcelError(VALUE)
        return text.replace(old, new)
    position = -1
    for _ in range(min(whole(instance, 1), len(text) + 1)):
        position = text.find(old, position + 1 if position < 0 else position + len(old)) if old else -1
        if position < 0:
            return text
    return text[:position] + new + text[position + len(old) :]


@function("REPLACE", "text:text start:number count:number new:text", "scalar")
def replace(ctx: Context, text: str, start: float, count: float, new: str) -> str:
    """``#VALUE!`` for a start below 1 or a negative count."""
    first, taken, parts = whole(start, 1) - 1, whole(count, 0), units(text)
    return joined(parts[:first] + units(new) + parts[first + taken :])


@function("CONCATENATE", "text:text ...", "scalar")
def concatenate(ctx: Context, *texts: str) -> str:
    return "".join(texts)


def texts_of(ctx: Context, matrix: Matrix) -> list[str]:
    """Every value as text in reading order; the first error passes."""
    result = []
    for number, kind in zip(matrix.number.ravel().tolist(), matrix.kind.ravel().tolist(), strict=True):
        if kind >= ERROR:
            raise ExcelError(kind)
        result.append(ctx.texts[number] if kind == TEXT else text_of(ctx.scalar(number, kind)))
    return result


@function("CONCAT", "text:array ...", "array")
def concat(ctx: Context, *matrices: Matrix | None) -> str:
    """All values of all arguments in reading order; the first error passes; ``#VALUE!`` past 32,767 characters."""
    pieces: list[str] = []
    length = 0
    for text in (text for matrix in matrices if matrix is not None for text in texts_of(ctx, matrix)):
        length += len(text)
        if length > LONGEST:
            raise ExcelError(VALUE)
        pieces.append(text)
    return "".join(pieces)


@function("TEXTJOIN", "delimiter:array ignore_empty:logical text:array ...", "array")
def textjoin(ctx: Context, delimiter: Matrix | None, ignore_empty: bool | None, *matrices: Matrix | None) -> str:
    """Values with a delimiter between; several delimiters take turns. Empty texts are left out unless told otherwise.

    The first error passes, the delimiters' own before the others; ``#VALUE!`` past 32,767 characters.
    """
    between = [""] if delimiter is None else texts_of(ctx, delimiter)
    parts: list[str] = []
    for matrix in matrices:
        parts += [""] if matrix is None else texts_of(ctx, matrix)
    if ignore_empty or ignore_empty is None:
        parts = [part for part in parts if part]
    pieces: list[str] = []
    length = 0
    for i, part in enumerate(parts):
        piece = (between[(i - 1) % len(between)] if i else "") + part
        length += len(piece)
        if length > LONGEST:
            raise ExcelError(VALUE)
        pieces.append(piece)
    return "".join(pieces)


@function("TRIM", "text:text", "scalar")
def trim(ctx: Context, text: str) -> str:
    """Without blanks (U+0020 alone) at the ends, and one where several stood."""
    return " ".join(word for word in text.split(" ") if word)


@function("CLEAN", "text:text", "scalar")
def clean(ctx: Context, text: str) -> str:
    """Without the control characters 0 … 31."""
    return "".join(c for c in text if c >= " ")


def _each(text: str, upper: bool) -> str:
    """Case by single characters, as Excel has it: ``ß`` stays."""
    cased = text.upper() if upper else text.lower()
    if len(cased) == len(text):
        return cased
    changed = ((c, c.upper() if upper else c.lower()) for c in text)
    return "".join(new if len(new) == 1 else c for c, new in changed)


@function("UPPER", "text:text", "scalar")
def upper(ctx: Context, text: str) -> str:
    return _each(text, True)


@function("LOWER", "text:text", "scalar")
def lower(ctx: Context, text: str) -> str:
    return _each(text, False)


@function("PROPER", "text:text", "scalar")
def proper(ctx: Context, text: str) -> str:
    """A capital after every character that is no letter: ``2-Cent'S Worth``."""
    result, inside = [], False
    for c in text:
        result.append(_each(c, not inside))
        inside = c.isalpha()
    return "".join(result)


@function("REPT", "text:text count:number", "scalar")
def rept(ctx: Context, text: str, count: float) -> str:
    """``#VALUE!`` for a negative count and past 32,767 characters, which are never made."""
    times = whole(count, 0)
    if len(text) * times > LONGEST:
        raise ExcelError(VALUE)
    return text * times


@function("EXACT", "first:text second:text", "scalar")
def exact(ctx: Context, first: str, second: str) -> bool:
    return first == second


@function("CHAR", "code:number", "scalar")
def char(ctx: Context, code: float) -> str:
    """The character of Windows code page 1252; ``#VALUE!`` outside 1 … 255."""
    number = whole(code, 1)
    if number > 255:
        raise ExcelError(VALUE)
    return bytes([number]).decode("cp1252", "ignore") or chr(number)


@function("CODE", "text:text", "scalar")
def code(ctx: Context, text: str) -> float:
    """The first character's number in Windows code page 1252, 63 (``?``) where it has none; ``#VALUE!`` for ``""``."""
    if not text:
        raise ExcelError(VALUE)
    if "\x80" <= text[0] <= "\x9f":
        return float(ord(text[0]))
    return float(text[0].encode("cp1252", "replace")[0])


@function("UNICHAR", "code:number", "scalar")
def unichar(ctx: Context, code: float) -> str:
    """``#VALUE!`` outside 1 … 1,114,111, ``#N/A`` for half a surrogate pair."""
    number = whole(code, 1)
    if number > 0x10FFFF:
        raise ExcelError(VALUE)
    if 0xD800 <= number <= 0xDFFF:
        raise ExcelError(NA)
    return chr(number)


@function("UNICODE", "text:text", "scalar")
def unicode(ctx: Context, text: str) -> float:
    """The first character's code point; ``#VALUE!`` for ``""``."""
    if not text:
        raise ExcelError(VALUE)
    return float(ord(text[0]))


@function("T", "value:any", "scalar")
def t(ctx: Context, value: Scalar) -> str | Scalar:
    """A text as it is, ``""`` for other values; an error passes."""
    if value.kind >= ERROR:
        return value
    return value.text if value.kind == TEXT else ""
